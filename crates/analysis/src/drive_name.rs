//! What a drive is called in a catalogue: its make, and its name in addresses.
//!
//! One drive has one name in addresses, however reviewers' machines spell it: case, separators, and a capacity that
//! the model repeats make no difference. Two drives never share one: what the plain name would lose comes back as a
//! digest behind two hyphens, which no plain name holds. Does not know which drives there are.

use model::{document::Origin, units::format_capacity};
use sha2::{Digest as _, Sha256};

/// Longest plain part of a name in addresses, bytes.
const MAX_PLAIN: usize = 100;
/// Stands before whatever a plain name cannot say.
const APART: &str = "--";
/// Ends the name of a simulated drive, so that it is never one with the drive it is modelled on.
const SIMULATED: &str = "simulated";

/// A drive's name in addresses: `samsung-ssd-990-pro-2tb`; a model of it is `samsung-ssd-990-pro-2tb--simulated`.
#[must_use]
pub fn slug(name: &str, capacity_bytes: Option<u64>, origin: Origin) -> String {
    let capacity = capacity_bytes.map(capacity_words).unwrap_or_default();
    let (mut words, mut whole) = words(name);
    while let Some(length) = repeated(&words, &capacity) {
        words.truncate(words.len() - length);
    }
    whole &= !words.is_empty() && capacity_bytes.is_some();
    words.extend(capacity);
    let mut slug = words.join("-");
    if slug.len() > MAX_PLAIN {
        whole = false;
        slug.truncate(MAX_PLAIN);
        slug.truncate(slug.trim_end_matches('-').len());
    }
    if slug.is_empty() {
        slug.push_str("drive");
    }
    if !whole {
        let spelled: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
        let identity =
            format!("{}\n{}", spelled.join(" "), capacity_bytes.map(format_capacity).unwrap_or_default());
        slug = format!("{slug}{APART}{}", hex(&Sha256::digest(identity)[..6]));
    }
    match origin {
        Origin::Measured => slug,
        Origin::Simulated => format!("{slug}{APART}{SIMULATED}"),
    }
}

/// The name in addresses that somebody may have meant: `Samsung SSD 990 PRO 2TB` and `samsung-ssd-990-pro-2tb-2tb`
/// are both `samsung-ssd-990-pro-2tb`. Of a name in addresses it is that name.
#[must_use]
pub fn respelled(text: &str) -> String {
    let lower = text.to_lowercase();
    let (plain, rest) = match lower.split_once(APART) {
        Some((plain, rest)) => (plain, format!("{APART}{rest}")),
        None => (lower.as_str(), String::new()),
    };
    let (mut words, _) = words(plain);
    // `2 tb` is one word of a name in addresses.
    if let [.., number, unit] = &words[..]
        && is_unit(unit)
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        let capacity = format!("{number}{unit}");
        words.truncate(words.len() - 2);
        words.push(capacity);
    }
    if words.last().is_some_and(|word| is_capacity(word)) {
        let capacity = words.pop().into_iter().collect::<Vec<_>>();
        while let Some(length) = repeated(&words, &capacity) {
            words.truncate(words.len() - length);
        }
        words.extend(capacity);
    }
    words.join("-") + &rest
}

/// The name in addresses of the drive that a simulated one is modelled on, or of the model of a measured one.
#[must_use]
pub fn counterpart(slug: &str) -> String {
    let ending = format!("{APART}{SIMULATED}");
    slug.strip_suffix(&ending).map_or_else(|| format!("{slug}{ending}"), str::to_owned)
}

/// The words of a name, lower case, and whether nothing was lost: letters and digits of other scripts are.
fn words(name: &str) -> (Vec<String>, bool) {
    let mut spaced = String::with_capacity(name.len());
    let mut whole = true;
    for c in name.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' => spaced.push(c),
            // These tell products apart, other signs only part words.
            '+' => spaced.push_str(" plus "),
            '×' => spaced.push_str(" x "),
            '&' => spaced.push_str(" and "),
            other => {
                whole &= !other.is_alphanumeric();
                spaced.push(' ');
            }
        }
    }
    (spaced.split_whitespace().map(str::to_owned).collect(), whole)
}

fn capacity_words(bytes: u64) -> Vec<String> {
    words(&format_capacity(bytes).replace(' ', "")).0
}

/// How many of the last words say nothing but the capacity.
fn repeated(words: &[String], capacity: &[String]) -> Option<usize> {
    let wanted = capacity.concat();
    (1..=capacity.len() + 1).find(|length| {
        words.len() >= *length && !wanted.is_empty() && words[words.len() - length..].concat() == wanted
    })
}

fn is_unit(word: &str) -> bool {
    matches!(word, "b" | "kb" | "mb" | "gb" | "tb")
}

fn is_capacity(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.len() < word.len() && is_unit(digits)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// First words of model names, and the make that they stand for.
const MAKES: [(&str, &str); 58] = [
    ("adata", "ADATA"),
    ("apacer", "Apacer"),
    ("biwin", "BIWIN"),
    ("cfd", "CFD"),
    ("corsair", "Corsair"),
    ("crucial", "Crucial"),
    ("dapustor", "DapuStor"),
    ("fanxiang", "Fanxiang"),
    ("fikwot", "Fikwot"),
    ("fujitsu", "Fujitsu"),
    ("gigabyte", "Gigabyte"),
    ("goodram", "Goodram"),
    ("hgst", "HGST"),
    ("hiksemi", "Hiksemi"),
    ("hikvision", "Hikvision"),
    ("hitachi", "Hitachi"),
    ("hp", "HP"),
    ("hynix", "SK hynix"),
    ("inland", "Inland"),
    ("intel", "Intel"),
    ("intenso", "Intenso"),
    ("kingston", "Kingston"),
    ("kioxia", "KIOXIA"),
    ("klevv", "KLEVV"),
    ("lenovo", "Lenovo"),
    ("lexar", "Lexar"),
    ("lite", "Lite-On"),
    ("liteon", "Lite-On"),
    ("maxtor", "Maxtor"),
    ("memblaze", "Memblaze"),
    ("micron", "Micron"),
    ("msi", "MSI"),
    ("mushkin", "Mushkin"),
    ("netac", "Netac"),
    ("nextorage", "Nextorage"),
    ("ocz", "OCZ"),
    ("orico", "ORICO"),
    ("patriot", "Patriot"),
    ("phison", "Phison"),
    ("plextor", "Plextor"),
    ("pny", "PNY"),
    ("sabrent", "Sabrent"),
    ("samsung", "Samsung"),
    ("sandisk", "SanDisk"),
    ("seagate", "Seagate"),
    ("skhynix", "SK hynix"),
    ("solidigm", "Solidigm"),
    ("spcc", "Silicon Power"),
    ("team", "Team"),
    ("teamgroup", "Team"),
    ("toshiba", "Toshiba"),
    ("transcend", "Transcend"),
    ("verbatim", "Verbatim"),
    ("viper", "Patriot"),
    ("wd", "Western Digital"),
    ("wdc", "Western Digital"),
    ("ymtc", "YMTC"),
    ("zhitai", "ZhiTai"),
];

/// Beginnings of model numbers that name no make, with what follows: at least so many letters and digits.
/// Source: the model numbers that these makes print on their drives.
const NUMBERS: [(&str, usize, &str); 6] = [
    ("mz", 8, "Samsung"),
    ("ct", 8, "Crucial"),
    ("mtfd", 8, "Micron"),
    ("ssdpe", 8, "Intel"),
    ("ssdsc", 8, "Intel"),
    ("hfs", 8, "SK hynix"),
];

/// The make of a drive, as far as its name tells it; `None` when it does not.
#[must_use]
pub fn make(name: &str) -> Option<&'static str> {
    let (words, _) = words(name);
    let first = words.first()?;
    let second = words.get(1).map_or("", String::as_str);
    match (first.as_str(), second) {
        ("sk", "hynix") => return Some("SK hynix"),
        ("western", "digital") => return Some("Western Digital"),
        ("silicon", "power") => return Some("Silicon Power"),
        _ => {}
    }
    let named = MAKES.iter().find(|(word, _)| word == first).map(|(_, make)| *make);
    let numbered = || {
        NUMBERS
            .iter()
            .find(|(start, length, _)| first.starts_with(start) && first.len() >= *length)
            .map(|found| found.2)
    };
    named.or_else(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TWO_TB: Option<u64> = Some(2_000_398_934_016);

    fn measured(name: &str, capacity: Option<u64>) -> String {
        slug(name, capacity, Origin::Measured)
    }

    #[test]
    fn one_drive_has_one_name_however_it_is_spelled() {
        for name in [
            "Samsung SSD 990 PRO 2TB",
            "SAMSUNG SSD 990 PRO 2 TB",
            "Samsung_SSD  990-PRO",
            "samsung ssd/990 pro",
        ] {
            assert_eq!(measured(name, TWO_TB), "samsung-ssd-990-pro-2tb", "{name}");
        }
        assert_eq!(measured("KIOXIA KCD8XRUG1T92", Some(1_920_383_410_176)), "kioxia-kcd8xrug1t92-1-92tb");
    }

    #[test]
    fn different_drives_never_share_a_name() {
        let drives = [
            ("A", TWO_TB),
            ("A+", TWO_TB),
            ("A", Some(1_000_204_886_016)),
            ("A", None),
            ("A 2TB", None),
            ("日本", TWO_TB),
            ("日本", None),
            ("韓国", TWO_TB),
            ("é", None),
            ("", None),
            ("2 TB", TWO_TB),
            ("drive", None),
        ];
        let mut slugs: Vec<String> =
            drives.iter().map(|(name, capacity)| measured(name, *capacity)).collect();
        let long = |end: &str| measured(&format!("{}{end}", "x".repeat(110)), TWO_TB);
        slugs.extend([long("a"), long("b")]);
        slugs.extend(drives.iter().map(|(name, capacity)| slug(name, *capacity, Origin::Simulated)));
        let all = slugs.len();
        slugs.sort();
        slugs.dedup();
        assert_eq!(slugs.len(), all, "{slugs:?}");
        // Nobody can spell the name of another drive's digest or of a model.
        assert_eq!(measured("A--simulated", TWO_TB), "a-simulated-2tb");
    }

    #[test]
    fn what_was_meant_is_understood() {
        for text in [
            "samsung-ssd-990-pro-2tb",
            "Samsung SSD 990 PRO 2TB",
            "samsung-ssd-990-pro-2tb-2tb",
            "Samsung_SSD_990_PRO_2_TB",
            "samsung-ssd-990-pro-2-tb-2tb",
        ] {
            assert_eq!(respelled(text), "samsung-ssd-990-pro-2tb", "{text}");
        }
        assert_eq!(respelled("960-PRO-512gb--Simulated"), "960-pro-512gb--simulated");
        assert_eq!(counterpart("a-2tb"), "a-2tb--simulated");
        assert_eq!(counterpart("a-2tb--simulated"), "a-2tb");
    }

    #[test]
    fn makes_are_told_by_the_first_words() {
        for (name, expected) in [
            ("Samsung SSD 990 PRO 2TB", Some("Samsung")),
            ("MZVL21T0HCLR-00B00", Some("Samsung")),
            ("WDS200T2X0E-00BCA0", None),
            ("WD_BLACK SN850X 2000GB", Some("Western Digital")),
            ("CT1000MX500SSD1", Some("Crucial")),
            ("SK hynix Platinum P41", Some("SK hynix")),
            ("960 PRO 512 GB", None),
            ("", None),
        ] {
            assert_eq!(make(name), expected, "{name}");
        }
        assert!(MAKES.is_sorted(), "in the order of the alphabet");
    }

    proptest! {
        #[test]
        fn names_in_addresses_are_plain_and_their_own_spelling(name in "\\PC{0,130}", capacity in proptest::option::of(1..u64::MAX)) {
            let slug = measured(&name, capacity);
            prop_assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{slug}");
            prop_assert!(!slug.starts_with('-') && slug.len() <= 120, "{slug}");
            prop_assert_eq!(measured(&name.to_uppercase().to_lowercase(), capacity), measured(&name.to_uppercase(), capacity));
        }
    }
}
