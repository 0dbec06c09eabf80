//! Names that fit: how wide a text is, and how long names are shortened in the middle without losing
//! what tells them apart.
//!
//! Names come from uploaders. They are measured and cut here, never interpreted.

use std::collections::HashSet;

/// About how wide a text is, in em of a sans-serif face; errs on the wide side.
pub(crate) fn em(text: &str) -> f64 {
    text.chars().map(char_em).sum()
}

fn char_em(c: char) -> f64 {
    match c {
        ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'i' | 'j' | 'l' | '·' => 0.3,
        'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '{' | '}' | '-' | '/' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 0.95,
        'A'..='Z' => 0.69,
        '\u{20}'..='\u{7e}' => 0.58,
        '\u{a0}'..='\u{10ff}' => 0.7,
        _ => 1.05,
    }
}

/// Names that differ from one another, without the two code points that no XML document may hold.
pub(crate) fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let clean = |name: String| name.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    let mut seen = HashSet::new();
    names
        .into_iter()
        .map(clean)
        .map(|name| {
            let unique = std::iter::once(name.clone())
                .chain((2_u32..).map(|number| format!("{name} ({number})")))
                .find(|candidate| !seen.contains(candidate))
                .expect("numbers do not end");
            seen.insert(unique.clone());
            unique
        })
        .collect()
}

/// Names no wider than `budget` em each, still distinct when `names` are.
///
/// Tries the plain middle first; where names would become equal it keeps more of the end, then of the
/// start, then what follows the common beginning; as a last resort they are numbered.
pub(crate) fn shortened(names: &[String], budget: f64) -> Vec<String> {
    let all = |cut: &dyn Fn(&str) -> String| -> Vec<String> {
        names.iter().map(|name| if em(name) <= budget { name.clone() } else { cut(name) }).collect()
    };
    let common = common_prefix(names);
    let attempts = [0.5, 0.25, 0.75]
        .into_iter()
        .map(|share| all(&move |name| elide(name, budget, share)))
        .chain([all(&|name| elide_prefix(name, common, budget))]);
    for attempt in attempts {
        if attempt.iter().collect::<HashSet<_>>().len() == names.len() {
            return attempt;
        }
    }
    (1..).zip(names).map(|(number, name)| format!("{number}: {}", elide(name, budget - 2.0, 0.5))).collect()
}

/// Start and end of `name` with an ellipsis between; `share` of the room goes to the start.
fn elide(name: &str, budget: f64, share: f64) -> String {
    if em(name) <= budget {
        return name.to_owned();
    }
    let room = budget - char_em('…');
    let head = take(name.chars(), room * share);
    let tail: String = take(name.chars().rev(), room - em(&head)).chars().rev().collect();
    format!("{}…{}", head.trim_end(), tail.trim_start())
}

/// A name whose first `common` characters all names share: a little of them, then what follows.
fn elide_prefix(name: &str, common: usize, budget: f64) -> String {
    let head: String = name.chars().take(common.min(4)).collect();
    let rest: String = name.chars().skip(common.saturating_sub(2)).collect();
    let room = budget - em(&head) - 2.0 * char_em('…');
    let kept = take(rest.chars(), room);
    let end = if kept.len() < rest.len() { "…" } else { "" };
    format!("{}…{kept}{end}", head.trim_end())
}

fn take(chars: impl Iterator<Item = char>, budget: f64) -> String {
    let mut left = budget;
    chars
        .take_while(|&c| {
            left -= char_em(c);
            left >= 0.0
        })
        .collect()
}

/// Number of characters that all names begin with.
fn common_prefix(names: &[String]) -> usize {
    let Some((first, others)) = names.split_first() else { return 0 };
    first
        .chars()
        .enumerate()
        .take_while(|(index, c)| others.iter().all(|other| other.chars().nth(*index) == Some(*c)))
        .count()
}

/// A text broken at spaces into lines of at most `budget` em; a longer word keeps a line of its own.
pub(crate) fn lines(text: &str, budget: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if em(line) + em(" ") + em(word) <= budget {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn short_names_stay() {
        let names = owned(&["Samsung SSD 990 PRO 2TB", "WD_BLACK SN850X"]);
        assert_eq!(shortened(&names, 30.0), names);
    }

    #[test]
    fn what_differs_is_kept_wherever_it_stands() {
        let long = "an exceedingly long common part of every name here";
        for names in [
            owned(&[&format!("{long}, heatsink"), &format!("{long}, none")]),
            owned(&[&format!("A {long}"), &format!("B {long}")]),
            owned(&[&format!("{long} one {long}"), &format!("{long} two {long}")]),
            owned(&[&format!("{long}{long} {long}1{long}"), &format!("{long}{long} {long}2{long}")]),
        ] {
            let short = shortened(&names, 16.0);
            assert_ne!(short[0], short[1]);
            assert!(short.iter().all(|name| em(name) <= 16.0 && name.contains('…')), "{short:?}");
        }
    }

    #[test]
    fn equal_names_are_numbered() {
        let names = distinct(owned(&["a", "a", "a (2)", "a"]));
        assert_eq!(names, ["a", "a (2)", "a (2) (2)", "a (3)"]);
        assert_eq!(distinct(owned(&["a\u{ffff}"])), ["a\u{fffd}"]);
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(lines("aaaa bbbb cccc", 6.0), ["aaaa bbbb", "cccc"]);
        assert_eq!(lines("", 6.0), [""]);
    }
}
