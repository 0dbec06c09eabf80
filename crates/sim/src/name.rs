//! `sim:NAME?key=value&key=value`: which drive, and in which conditions.

use crate::{
    drive::{Drive, Fault},
    fitted::{NAMES, fitted},
    parameters::{Cooling, DynamicCache, Slot},
};

/// Why a text names no simulated drive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// There is none of that name.
    #[error("there is no simulated drive `{0}`; there are {list}, and NAME*N for several together", list = NAMES.join(", "))]
    Unknown(String),
    /// The number of drives is out of range.
    #[error("`{0}` is no number of drives from 1 to 64")]
    Members(String),
    /// A condition that does not exist, or a value that it does not take.
    #[error(
        "`{0}` is no condition of a simulated drive; there are cooling=none|heatsink, slot=cpu|chipset, fill=0..95, \
         dynamic-cache=stuck|sticks and fault=multi|media|stall"
    )]
    Condition(String),
    /// A condition twice.
    #[error("`{0}` is given twice")]
    Twice(String),
}

/// Reads what follows `sim:`.
///
/// # Errors
/// When there is no such drive or condition.
pub fn parse(text: &str) -> Result<Drive, NameError> {
    let (name, conditions) = text.split_once('?').unwrap_or((text, ""));
    let (name, members) = match name.split_once('*') {
        None => (name, 1),
        Some((name, count)) => {
            let members = count.parse().ok().filter(|count| (1..=64).contains(count));
            (name, members.ok_or_else(|| NameError::Members(count.to_owned()))?)
        }
    };
    let parameters = fitted(name).ok_or_else(|| NameError::Unknown(name.to_owned()))?;
    let mut drive = Drive::new(parameters);
    drive.members = members;
    let (mut seen, mut fill) = (Vec::new(), 0.0);
    for condition in conditions.split('&').filter(|condition| !condition.is_empty()) {
        let unknown = || NameError::Condition(condition.to_owned());
        let (key, value) = condition.split_once('=').ok_or_else(unknown)?;
        if seen.contains(&key) {
            return Err(NameError::Twice(key.to_owned()));
        }
        seen.push(key);
        match (key, value) {
            ("cooling", "none") => drive.cooling = Cooling::None,
            ("cooling", "heatsink") => drive.cooling = Cooling::Heatsink,
            ("slot", "cpu") => drive.slot = Slot::Cpu,
            ("slot", "chipset") => drive.slot = Slot::Chipset,
            ("dynamic-cache", "stuck") => drive.dynamic = DynamicCache::Stuck,
            ("dynamic-cache", "sticks") => drive.dynamic = DynamicCache::Sticks,
            ("fault", "multi") => drive.fault = Some(Fault::Multi),
            ("fault", "media") => drive.fault = Some(Fault::Media),
            ("fault", "stall") => drive.fault = Some(Fault::Stall),
            ("fill", percent) => {
                let percent: u8 =
                    percent.parse().ok().filter(|percent| *percent <= 95).ok_or_else(unknown)?;
                fill = f64::from(percent) / 100.0;
            }
            _ => return Err(unknown()),
        }
    }
    drive.hold(fill);
    Ok(drive.rested())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_conditions_are_read() {
        for name in NAMES {
            assert_eq!(parse(name).unwrap().parameters.name, name);
        }
        let drive = parse("980-pro-2tb*8?cooling=heatsink&slot=chipset&fill=47&dynamic-cache=stuck").unwrap();
        assert_eq!((drive.members, drive.cooling, drive.slot), (8, Cooling::Heatsink, Slot::Chipset));
        assert!(drive.dynamic == DynamicCache::Stuck && (drive.fill - 0.47).abs() < 1e-9);
        // It holds data, in whichever order that is said.
        assert_eq!(parse("860-qvo-4tb?dynamic-cache=sticks").unwrap().dynamic, DynamicCache::Sticks);
        assert_eq!(parse("860-qvo-4tb?dynamic-cache=sticks&fill=1").unwrap().dynamic, DynamicCache::Stuck);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, message) in [
            ("", "no simulated drive ``"),
            ("990-pro", "there are 960-pro-512gb"),
            ("980-pro-2tb*0", "no number of drives"),
            ("980-pro-2tb*", "no number of drives"),
            ("980-pro-2tb?fill=96", "`fill=96` is no condition"),
            ("980-pro-2tb?cooling", "`cooling` is no condition"),
            ("980-pro-2tb?fill=1&fill=2", "`fill` is given twice"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
