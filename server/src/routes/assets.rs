//! The files that browsers load.

use crate::{assets, cache::CachePolicy, error::ApiError, params::Path};
use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};

/// One file, already compressed where the browser takes brotli.
pub async fn asset(Path(file): Path<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    let asset = assets::find(&file).ok_or(ApiError::NoSuchPage)?;
    let content_type = HeaderValue::from_static(asset.content_type);
    let head =
        [(header::CONTENT_TYPE, content_type), (header::VARY, HeaderValue::from_static("accept-encoding"))];
    Ok(match asset.brotli.filter(|_| takes_brotli(&headers)) {
        Some(bytes) => {
            (CachePolicy::Immutable, head, [(header::CONTENT_ENCODING, "br")], bytes).into_response()
        }
        None => (CachePolicy::Immutable, head, asset.bytes).into_response(),
    })
}

/// Whether brotli is listed and not ruled out by `q=0`.
fn takes_brotli(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|list| list.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let ruled_out = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("br") && !ruled_out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brotli_only_where_it_is_taken() {
        let takes = |text: &'static str| {
            takes_brotli(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(text))]))
        };
        assert!(takes("gzip, deflate, br"));
        assert!(takes("br;q=0.5"));
        assert!(!takes("gzip, br;q=0"));
        assert!(!takes("brx"));
        assert!(!takes_brotli(&HeaderMap::new()));
    }
}
