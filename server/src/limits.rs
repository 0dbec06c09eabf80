//! How often one place may do what costs the server much.

use crate::error::ApiError;
use governor::{
    Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
    state::keyed::DefaultKeyedStateStore,
};
use std::{
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
};

/// Places remembered before those that are quiet again are forgotten.
const MANY_PLACES: usize = 10_000;

/// The limit on uploads: so many a minute from one place, all of them at once if need be.
#[derive(Debug)]
pub struct UploadLimit {
    limiter: RateLimiter<IpAddr, DefaultKeyedStateStore<IpAddr>, DefaultClock>,
}

impl UploadLimit {
    /// A limit of `per_minute` uploads.
    #[must_use]
    pub fn new(per_minute: NonZeroU32) -> Self {
        Self { limiter: RateLimiter::keyed(Quota::per_minute(per_minute)) }
    }

    /// Counts an upload.
    ///
    /// # Errors
    /// [`ApiError::RateLimited`] when it is one too many.
    pub fn count(&self, peer: IpAddr) -> Result<(), ApiError> {
        if self.limiter.len() > MANY_PLACES {
            self.limiter.retain_recent();
        }
        self.limiter.check_key(&place(peer)).map_err(|not_yet| {
            let wait = not_yet.wait_time_from(DefaultClock::default().now());
            ApiError::RateLimited(wait.as_secs() + 1)
        })
    }
}

/// One subscriber has a whole /64 of IPv6 addresses.
fn place(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_own_limit() {
        let limit = UploadLimit::new(NonZeroU32::new(2).unwrap());
        let count = |text: &str| limit.count(text.parse().unwrap());
        assert!(count("192.0.2.1").is_ok());
        assert!(count("::ffff:192.0.2.1").is_ok());
        assert!(matches!(count("192.0.2.1"), Err(ApiError::RateLimited(1..=31))));
        assert!(count("192.0.2.2").is_ok());
        assert!(count("2001:db8::1").is_ok());
        assert!(count("2001:db8::2").is_ok());
        assert!(count("2001:db8::3").is_err());
    }
}
