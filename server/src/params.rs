//! What addresses say: our own extractors, so that a bad address gets our own answer.

use crate::error::ApiError;
use axum::{
    extract::{ConnectInfo, FromRequestParts, Query},
    http::{Uri, request::Parts},
};
use charts::View;
use model::{ids::ResultIdPrefix, lang::Lang};
use std::{
    net::{IpAddr, SocketAddr},
    ops::RangeInclusive,
    str::FromStr,
};

/// A segment of the path.
#[derive(Debug, FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(ApiError))]
pub struct Path<T>(pub T);

/// The query as names and values. Names that nobody asks for are ignored.
#[derive(Debug, Clone, Default)]
pub struct Params(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let Query(pairs) = Query::try_from_uri(&parts.uri)?;
        Ok(Self(pairs))
    }
}

impl Params {
    /// The value of `name`; `None` when it is missing or empty, as forms send it.
    ///
    /// # Errors
    /// When it is given more than once.
    pub fn one(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let mut values = self.0.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(ApiError::BadRequest(format!("`{name}` is given more than once"))),
            (value, None) => Ok(value.filter(|value| !value.is_empty())),
        }
    }

    /// The value of `name` read as `T`, `None` when it is missing. `what` says what it should be.
    ///
    /// # Errors
    /// When it is given more than once or is no `T`.
    pub fn read<T: FromStr>(&self, name: &str, what: &str) -> Result<Option<T>, ApiError> {
        let read = |text: &str| text.parse().map_err(|_| no_such_value(name, what, text));
        self.one(name)?.map(read).transpose()
    }

    /// The whole number `name`, the nearest one of `range` when it lies outside; `None` when it is missing.
    ///
    /// # Errors
    /// When it is given more than once or is no whole number.
    pub fn clamped(&self, name: &str, range: &RangeInclusive<u32>) -> Result<Option<u32>, ApiError> {
        let read = |text: &str| {
            let (below, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                let what = format!("a whole number from {} to {}", range.start(), range.end());
                return Err(no_such_value(name, &what, text));
            }
            // Digits that are no u32 are too many.
            let number = if below { 0 } else { digits.parse().unwrap_or(u32::MAX) };
            Ok(number.clamp(*range.start(), *range.end()))
        };
        self.one(name)?.map(read).transpose()
    }

    /// How figures are set out: `show=absolute|relative` and `axis=linear|log`.
    ///
    /// # Errors
    /// When one of them is given more than once or is none of these.
    pub fn view(&self) -> Result<View, ApiError> {
        Ok(View {
            show: self.read("show", "absolute or relative")?.unwrap_or_default(),
            axis: self.read("axis", "linear or log")?,
        })
    }

    /// The page of a list that is asked for: where the one before ended, and how many entries, `usual` when not said.
    ///
    /// # Errors
    /// When one is given more than once, or the number is none.
    pub fn page(&self, usual: u32) -> Result<(Option<String>, u32), ApiError> {
        let limit = self.read("limit", "a whole number from 1 to 100")?.unwrap_or(usual);
        Ok((self.one("cursor")?.map(str::to_owned), limit))
    }

    /// The series that `r=` names: separated by commas or in several `r`, at most eight, in their order.
    ///
    /// # Errors
    /// When there are more, one joins too many results, or a part of one is no id.
    pub fn series(&self) -> Result<Vec<SeriesRef>, ApiError> {
        let mut results: Vec<SeriesRef> = Vec::new();
        let values = self.0.iter().filter(|(name, _)| name == "r").flat_map(|(_, value)| value.split(','));
        for text in values.map(str::trim).filter(|text| !text.is_empty()) {
            let series = SeriesRef::parse(text)?;
            if !results.contains(&series) {
                results.push(series);
            }
        }
        if results.len() > analysis::comparison::MAX_SERIES {
            return Err(ApiError::BadRequest(format!(
                "`r` names {} series; at most {} can be compared",
                results.len(),
                analysis::comparison::MAX_SERIES
            )));
        }
        Ok(results)
    }
}

/// A series by the results that it is made of, in their order, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeriesRef(pub Vec<ResultIdPrefix>);

/// Most results in one series.
const MAX_JOINED: usize = 16;

impl SeriesRef {
    fn parse(text: &str) -> Result<Self, ApiError> {
        let mut ids: Vec<ResultIdPrefix> = Vec::new();
        for part in text.split('~') {
            let id = part.parse::<ResultIdPrefix>().map_err(|error| {
                ApiError::BadRequest(format!("`r` names no result by `{}`: {error}", shortened(part)))
            })?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        if ids.len() > MAX_JOINED {
            return Err(ApiError::BadRequest(format!("a series joins at most {MAX_JOINED} results")));
        }
        Ok(Self(ids))
    }
}

impl std::fmt::Display for SeriesRef {
    /// As addresses write it: `A~B`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: Vec<&str> = self.0.iter().map(ResultIdPrefix::as_str).collect();
        f.write_str(&ids.join("~"))
    }
}

fn no_such_value(name: &str, what: &str, text: &str) -> ApiError {
    ApiError::BadRequest(format!("`{name}` is {what}, not `{}`", shortened(text)))
}

/// The beginning of a text, for answers that quote it.
#[must_use]
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}

/// Where a page stands, and the language it is asked for in.
#[derive(Debug, Clone)]
pub struct Here {
    /// Path and query of the request, as pages repeat it.
    pub path: String,
    /// The language; `None` when the address does not ask for one.
    pub lang: Option<Lang>,
}

impl Here {
    /// What `uri` says; a language that nobody speaks here is as good as none.
    #[must_use]
    pub fn of(uri: &Uri) -> Self {
        let pairs = uri.query().unwrap_or_default().split('&');
        let lang = pairs.filter_map(|pair| pair.strip_prefix("lang=")?.parse().ok()).next();
        Self { path: uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string), lang }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Here {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::of(&parts.uri))
    }
}

/// The address that a limit is counted for.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

impl FromRequestParts<crate::App> for Peer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &crate::App) -> Result<Self, ApiError> {
        // The last address is the one that the proxy itself saw; those before it are anyone's words.
        let forwarded = parts
            .headers
            .get_all("x-forwarded-for")
            .iter()
            .next_back()
            .and_then(|value| value.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
        if let Some(address) = forwarded.filter(|_| app.config().trust_proxy) {
            return Ok(Self(address));
        }
        match parts.extensions.get::<ConnectInfo<SocketAddr>>() {
            Some(ConnectInfo(peer)) => Ok(Self(peer.ip())),
            None => Err(ApiError::Internal("the listener does not tell who asks".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_many() -> String {
        (0..17).map(|i| format!("{i:016}")).collect::<Vec<_>>().join("~")
    }

    fn params(pairs: &[(&str, &str)]) -> Params {
        Params(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn results_come_in_commas_and_repeats() {
        let (a, b) = ("a".repeat(64), "b".repeat(16));
        let both = format!("{a},{b}");
        for pairs in
            [vec![("r", both.as_str())], vec![("r", &a), ("x", "y"), ("r", &b), ("r", &a), ("r", "")]]
        {
            let results = params(&pairs).series().unwrap();
            assert_eq!(results.iter().map(ToString::to_string).collect::<Vec<_>>(), [a.as_str(), &b]);
        }
        let joined = params(&[("r", &format!("{a}~{b}~{a},{b}"))]).series().unwrap();
        assert_eq!(
            joined.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [format!("{a}~{b}"), b.clone()]
        );
        for bad in [
            "A".repeat(16),
            "a~b".to_owned(),
            format!("{a}~"),
            too_many(),
            "<script>".to_owned(),
            "é".repeat(500),
        ] {
            assert!(params(&[("r", &bad)]).series().is_err(), "{bad}");
        }
        let nine: Vec<String> = (0..9).map(|i| format!("{i:016}")).collect();
        assert!(params(&[("r", &nine.join(","))]).series().is_err());
    }

    #[test]
    fn a_value_is_given_once() {
        assert!(params(&[("w", "1"), ("w", "2")]).one("w").is_err());
        assert_eq!(params(&[("w", "")]).one("w").unwrap(), None);
        assert!(params(&[("w", "-1")]).read::<u32>("w", "a number").is_err());
        assert_eq!(params(&[("w", "7")]).read::<u32>("w", "a number").unwrap(), Some(7));
    }

    #[test]
    fn numbers_outside_of_their_range_are_the_nearest_in_it() {
        let read = |text| params(&[("scale", text)]).clamped("scale", &(1..=3));
        for (text, number) in
            [("2", 2), ("0", 1), ("-1", 1), ("9", 3), ("300", 3), ("99999999999999999999", 3)]
        {
            assert_eq!(read(text).unwrap(), Some(number), "{text}");
        }
        for bad in ["x", "-", "1.5", "+1", "1e3"] {
            let error = read(bad).unwrap_err().to_string();
            assert_eq!(error, format!("`scale` is a whole number from 1 to 3, not `{bad}`"));
        }
    }
}
