//! Why a text is no suite, in words for those who wrote it: the line, and what belongs there.
//!
//! The parser's own words speak of fields, variants and types of this program; here they speak of keys and values.

use model::units::grouped;
use serde::{
    Deserialize, Deserializer,
    de::{self, IntoDeserializer, SeqAccess, Visitor, value::SeqAccessDeserializer},
};
use std::{fmt, marker::PhantomData};

/// A text that is no suite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", line.as_ref().map_or_else(String::new, |(number, line)| format!("line {number}, `{line}`: ")))]
pub struct Malformed {
    /// The line, from 1, and what stands in it; `None` when it is about the whole text.
    line: Option<(usize, String)>,
    /// What is wrong with it.
    what: String,
}

impl Malformed {
    /// What the parser found wrong with a text.
    pub(super) fn new(error: &toml::de::Error, text: &str) -> Self {
        let line = error.span().and_then(|span| {
            let number = text.get(..span.start)?.matches('\n').count();
            Some((number + 1, text.lines().nth(number)?.trim().to_owned()))
        });
        Self { line, what: plain(error.message()) }
    }
}

/// A parser's message in words of the suite's form; one that speaks of the text alone stays as it is.
fn plain(message: &str) -> String {
    let after = |start: &str| message.strip_prefix(start);
    if let Some((name, known)) = after("unknown field ").and_then(|rest| rest.split_once(", expected ")) {
        return format!("there is no {name} here, only {}", list(known));
    }
    if let Some((name, known)) = after("unknown variant ").and_then(|rest| rest.split_once(", expected ")) {
        return format!("there is no {name} for this, only {}", list(known));
    }
    if let Some(name) = after("missing field ") {
        return format!("{name} is missing");
    }
    if let Some(name) = after("duplicate field ") {
        return format!("{name} is there twice");
    }
    let wrong =
        after("invalid type: ").or_else(|| after("invalid value: ")).or_else(|| after("invalid length "));
    if let Some((found, expected)) = wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        let found =
            found.strip_prefix("string ").map_or_else(|| found.to_owned(), |text| format!("the text {text}"));
        return format!("{found} stands where {} belongs", kind(expected));
    }
    message.to_owned()
}

/// What there is, without the words before the list.
fn list(known: &str) -> &str {
    known.strip_prefix("one of ").unwrap_or(known)
}

/// A type of this program as what a writer of a suite puts there.
fn kind(expected: &str) -> String {
    let most = match expected {
        "u8" => u32::from(u8::MAX),
        "u16" => u32::from(u16::MAX),
        "u32" => u32::MAX,
        "u64" | "usize" => return "a whole number".to_owned(),
        "a string" | "a borrowed string" | "a path string" => return "a text in quotes".to_owned(),
        "a boolean" => return "true or false".to_owned(),
        "a sequence" => return "a list".to_owned(),
        tuple if tuple.starts_with("a tuple of size ") => {
            return format!("a list of {}", tuple.trim_start_matches("a tuple of size "));
        }
        table if table.starts_with("struct ") => return "a table".to_owned(),
        other => return other.to_owned(),
    };
    format!("a whole number from 0 to {}", grouped(most.into(), 0))
}

/// One value, or a list of them.
#[derive(Debug)]
pub(super) enum OneOrMore<T> {
    /// One.
    One(T),
    /// A list.
    More(Vec<T>),
}

impl Default for OneOrMore<u32> {
    fn default() -> Self {
        Self::One(0)
    }
}

impl<T> OneOrMore<T> {
    /// All of them.
    pub(super) fn all(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::More(more) => more,
        }
    }
}

// Derived as an untagged enum it would lose what is wrong with the value.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMoreVisitor(PhantomData))
    }
}

struct OneOrMoreVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMoreVisitor<T> {
    type Value = OneOrMore<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or a list of values")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(OneOrMore::One)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(OneOrMore::One)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(OneOrMore::One)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrMore::More)
    }
}

#[cfg(test)]
mod tests {
    use crate::suite::{Room, find};
    use std::fs;

    const SOUND: &str = "name = \"mine\"\nsummary = \"Mine\"\nsize = \"1GiB\"\nseconds = 5\nloops = 1\n\n[[cell]]\npattern = \"seq-read\"\nblock = \"1MiB\"\nqueue_depth = [1, 2]\nthreads = 1\n";

    #[test]
    fn what_is_wrong_is_said_without_words_of_the_program() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mine.toml");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            find(path.to_str().unwrap(), &[], Room::UNKNOWN).map(|suite| suite.methods.len())
        };
        assert_eq!(read(SOUND).unwrap(), 2);
        for (from, to, message) in [
            (
                "\"seq-read\"",
                "\"seq-red\"",
                "line 8, `pattern = \"seq-red\"`: there is no `seq-red` for this, only `seq-read`, `seq-write`, `rand-read`, `rand-write`, `rand-mix`",
            ),
            (
                "threads = 1",
                "thread = 1",
                "line 11, `thread = 1`: there is no `thread` here, only `pattern`, ",
            ),
            ("threads = 1", "", "line 7, `[[cell]]`: `threads` is missing"),
            (
                "seconds = 5",
                "seconds = -5",
                "line 4, `seconds = -5`: integer `-5` stands where a whole number from 0 to 4,294,967,295 belongs",
            ),
            (
                "seconds = 5",
                "seconds = \"five\"",
                "line 4, `seconds = \"five\"`: the text \"five\" stands where a whole number from 0 to 4,294,967,295 belongs",
            ),
            (
                "[1, 2]",
                "[1, \"x\"]",
                "line 10, `queue_depth = [1, \"x\"]`: the text \"x\" stands where a whole number from 0 to 4,294,967,295 belongs",
            ),
            (
                "threads = 1",
                "threads = true",
                "line 11, `threads = true`: boolean `true` stands where a value or a list of values belongs",
            ),
            ("\"1GiB\"", "1", "line 3, `size = 1`: integer `1` stands where a text in quotes belongs"),
        ] {
            let error = read(&SOUND.replacen(from, to, 1)).unwrap_err();
            let text = with_causes(&error);
            assert!(text.contains(message), "{to}: {text}");
            assert_eq!(text.matches("line ").count(), 1, "it is said once: {text}");
        }
    }

    fn with_causes(error: &dyn std::error::Error) -> String {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text.push_str(&format!("\n{error}"));
            cause = error.source();
        }
        text
    }
}
