//! How long others may keep an answer. Handlers name a policy, one middleware writes the headers.

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, IntoResponseParts, Response, ResponseParts},
};
use http_body_util::BodyExt as _;
use model::{document::Visibility, summary::ResultHead};
use sha2::{Digest as _, Sha256};

/// How long an answer may be kept. An answer without a policy is not stored at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CachePolicy {
    /// A page: kept, but asked about each time.
    Page,
    /// Bundles, pictures and data: results never change, but can be hidden, so minutes and no more.
    Revalidate,
    /// The same two of an unlisted result: for who asked, not for caches that others share.
    PrivatePage,
    /// See [`CachePolicy::PrivatePage`].
    PrivateRevalidate,
    /// A file whose name changes with its content.
    Immutable,
}

impl CachePolicy {
    /// The policy of a page that shows these results.
    pub fn page<'a>(heads: impl IntoIterator<Item = &'a ResultHead>) -> Self {
        if any_unlisted(heads) { Self::PrivatePage } else { Self::Page }
    }

    /// The policy of data and pictures of these results.
    pub fn data<'a>(heads: impl IntoIterator<Item = &'a ResultHead>) -> Self {
        if any_unlisted(heads) { Self::PrivateRevalidate } else { Self::Revalidate }
    }

    fn is_private(self) -> bool {
        matches!(self, Self::PrivatePage | Self::PrivateRevalidate)
    }

    fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Page => "no-cache",
            Self::Revalidate => "public, max-age=300",
            Self::PrivatePage => "private, no-cache",
            Self::PrivateRevalidate => "private, max-age=300",
            Self::Immutable => "public, max-age=31536000, immutable",
        })
    }
}

fn any_unlisted<'a>(heads: impl IntoIterator<Item = &'a ResultHead>) -> bool {
    heads.into_iter().any(|head| head.visibility == Visibility::Unlisted)
}

impl IntoResponseParts for CachePolicy {
    type Error = std::convert::Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Self::Error> {
        parts.extensions_mut().insert(self);
        Ok(parts)
    }
}

/// Source: the robots meta tag's form for other things than pages.
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// What compression appends to the tag of what it compressed: another representation, another tag.
const ENCODINGS: [&str; 2] = ["br", "gzip"];

/// Writes `Cache-Control` and `ETag`, and answers 304 where the asker has the content already.
///
/// Stands inside of compression, so that the tag is of the content itself.
pub async fn write_headers(request: Request, next: Next) -> Response {
    let asked = request.headers().get(header::IF_NONE_MATCH).cloned();
    let mut response = next.run(request).await;
    let Some(policy) = response.extensions().get::<CachePolicy>().copied() else {
        response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        return response;
    };
    response.headers_mut().insert(header::CACHE_CONTROL, policy.header());
    if policy.is_private() {
        // Pages say so themselves; pictures and data can only say it here.
        response.headers_mut().insert(ROBOTS, HeaderValue::from_static("noindex"));
    }
    if policy == CachePolicy::Immutable || response.status() != StatusCode::OK {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let content = match body.collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(error) => {
            tracing::error!(%error, "an answer broke off while it was made");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let tag = etag(&content);
    if let Some(known) = asked.as_ref().and_then(|asked| matching(asked, &tag)) {
        parts.headers.remove(header::CONTENT_TYPE);
        parts.headers.remove(header::CONTENT_LENGTH);
        parts.headers.remove(header::CONTENT_DISPOSITION);
        parts.headers.insert(header::ETAG, known);
        parts.status = StatusCode::NOT_MODIFIED;
        return Response::from_parts(parts, Body::empty());
    }
    set_tag(&mut parts.headers, &tag);
    Response::from_parts(parts, Body::from(content))
}

/// Tells a compressed answer's tag from the plain one's. Stands outside of compression.
pub async fn mark_encoding(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers();
    let encoding = headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let tag = headers.get(header::ETAG).and_then(|value| value.to_str().ok());
    if let (Some(encoding), Some(plain)) = (encoding, tag.and_then(|tag| tag.strip_suffix('"'))) {
        let tag = format!("{plain}-{encoding}\"");
        set_tag(response.headers_mut(), &tag);
    }
    response
}

fn set_tag(headers: &mut HeaderMap, tag: &str) {
    if let Ok(value) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, value);
    }
}

fn etag(content: &Bytes) -> String {
    format!("\"{}\"", hex::encode(Sha256::digest(content)))
}

/// The asker's own form of `tag`, if it is among those it has.
fn matching(asked: &HeaderValue, tag: &str) -> Option<HeaderValue> {
    // Whatever there is, the asker has it. Source: RFC 9110, section 13.1.2.
    if asked.to_str().is_ok_and(|asked| asked.trim() == "*") {
        return HeaderValue::from_str(tag).ok();
    }
    let plain = |known: &str| {
        let known = known.trim().trim_start_matches("W/").trim_matches('"');
        let known = ENCODINGS
            .iter()
            .find_map(|encoding| known.strip_suffix(encoding)?.strip_suffix('-'))
            .unwrap_or(known);
        known == tag.trim_matches('"')
    };
    let known = asked.to_str().ok()?.split(',').find(|known| plain(known))?;
    HeaderValue::from_str(known.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_match_in_every_form() {
        let asked = |text: &'static str| matching(&HeaderValue::from_static(text), "\"abc\"").is_some();
        for yes in ["\"abc\"", "W/\"abc\"", "\"abc-br\"", "\"x\", \"abc-gzip\"", "*", " * "] {
            assert!(asked(yes), "{yes}");
        }
        for no in ["\"ab\"", "\"abc-xz\"", "**", ""] {
            assert!(!asked(no), "{no}");
        }
    }
}
