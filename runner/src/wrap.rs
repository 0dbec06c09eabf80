//! Sentences in lines: what is printed for people has at most 80 columns, as far as words allow.

/// Columns of a line.
const WIDTH: usize = 80;

/// The text in lines of at most 80 columns, the first one behind `first`, all others behind as many spaces as `hang`;
/// with a line end behind each. A word that is longer than a line has one of its own. Numbers stay with their units.
pub(crate) fn wrapped(first: &str, hang: usize, text: &str) -> String {
    let mut out = String::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in words(text) {
        let needed = line.chars().count() + usize::from(!empty) + word.chars().count();
        if !empty && needed > WIDTH {
            out.push_str(line.trim_end());
            out.push('\n');
            line = " ".repeat(hang);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(&word);
        empty = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
    out
}

/// The words, a number with the unit behind it as one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let number = |one: &String| {
            let digits = one.trim_start_matches(['(', '+', '−']);
            digits.starts_with(|c: char| c.is_ascii_digit())
                && digits.chars().all(|c| c.is_ascii_digit() || ",.".contains(c))
                && !one.ends_with(['.', ','])
        };
        match words.last_mut().filter(|last| number(last)).filter(|_| is_unit(word)) {
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// Whether a word is a unit, with what may stand behind it.
fn is_unit(word: &str) -> bool {
    let unit = word.trim_end_matches(['.', ',', ';', ':', ')']);
    let units = "MB/s IOPS ns µs ms s min h B kB MB GB TB KiB MiB GiB TiB °C W %";
    units.split(' ').any(|one| one == unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_80_columns_and_keep_numbers_with_their_units() {
        let text = "Fast writing ended after 104.0 to 104.6 GB (19.0 s to 19.1 s): from 5,512.9 MB/s to 1,094.7 MB/s; the mean is 1,094.7 MB/s.";
        let lines = wrapped("  ", 4, text);
        assert_eq!(
            lines,
            "  Fast writing ended after 104.0 to 104.6 GB (19.0 s to 19.1 s): from\n    5,512.9 MB/s to 1,094.7 MB/s; the mean is 1,094.7 MB/s.\n"
        );
        assert_eq!(wrapped("name  ", 6, "short"), "name  short\n");
        assert_eq!(wrapped("", 2, ""), "\n");
        let long = "x".repeat(100);
        assert_eq!(wrapped("a ", 2, &format!("{long} b")), format!("a {long}\n  b\n"));
    }
}
