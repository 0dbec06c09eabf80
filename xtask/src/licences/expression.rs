//! SPDX licence expressions.
//!
//! Knows: `OR`, `AND`, `WITH`, parentheses and the old `/` between alternatives.
//! Does not know: which licences exist or are good.
//!
//! Source: SPDX Specification 2.3, annex D; Cargo's manual for the `/` form.

use anyhow::{Result, bail, ensure};

/// A licence expression that can be asked whether a choice of licences is enough.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Expression {
    /// One licence, with its exception when it has one (`Apache-2.0 WITH LLVM-exception`).
    Licence(String),
    /// All of them apply.
    All(Vec<Self>),
    /// One of them may be chosen.
    Any(Vec<Self>),
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// It is not one.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut reader = Reader { words: &words };
        let expression = reader.alternatives()?;
        match reader.words.first() {
            None => Ok(expression),
            Some(word) => bail!("`{word}` is not expected there"),
        }
    }

    /// Whether the expression can be met by licences for which `allowed` says yes.
    pub(super) fn is_satisfied_by(&self, allowed: &impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Licence(licence) => allowed(licence),
            Self::All(parts) => parts.iter().all(|part| part.is_satisfied_by(allowed)),
            Self::Any(parts) => parts.iter().any(|part| part.is_satisfied_by(allowed)),
        }
    }
}

/// A reader by recursive descent: `OR` binds weakest, then `AND`, then `WITH`.
struct Reader<'a> {
    words: &'a [&'a str],
}

impl<'a> Reader<'a> {
    fn alternatives(&mut self) -> Result<Expression> {
        let mut parts = vec![self.conjunction()?];
        while self.take("OR") {
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Any(parts) })
    }

    fn conjunction(&mut self) -> Result<Expression> {
        let mut parts = vec![self.licence()?];
        while self.take("AND") {
            parts.push(self.licence()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::All(parts) })
    }

    fn licence(&mut self) -> Result<Expression> {
        if self.take("(") {
            let inner = self.alternatives()?;
            ensure!(self.take(")"), "a `)` is missing");
            return Ok(inner);
        }
        let licence = self.id()?;
        if self.take("WITH") {
            return Ok(Expression::Licence(format!("{licence} WITH {}", self.id()?)));
        }
        Ok(Expression::Licence(licence.to_owned()))
    }

    fn id(&mut self) -> Result<&'a str> {
        match self.words {
            [] => bail!("it ends where a licence is expected"),
            [word @ ("OR" | "AND" | "WITH" | "(" | ")"), ..] => {
                bail!("`{word}` stands where a licence is expected")
            }
            [id, rest @ ..] => {
                self.words = rest;
                Ok(id)
            }
        }
    }

    fn take(&mut self, word: &str) -> bool {
        let next = self.words.first() == Some(&word);
        if next {
            self.words = &self.words[1..];
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(text: &str) -> bool {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
        Expression::parse(text).unwrap().is_satisfied_by(&|licence: &str| allowed.contains(&licence))
    }

    #[test]
    fn one_of_the_alternatives_is_enough() {
        assert!(met("MIT"));
        assert!(met("GPL-3.0-only OR MIT"));
        assert!(met("Unlicense/MIT"));
        assert!(!met("GPL-3.0-only"));
        assert!(!met("GPL-2.0 OR GPL-3.0"));
    }

    #[test]
    fn all_parts_of_a_conjunction_are_needed() {
        assert!(met("(MIT OR Apache-2.0) AND Unicode-3.0"));
        assert!(!met("MIT AND OpenSSL"));
        // AND binds tighter than OR: this is MIT, or both of the others.
        assert!(met("MIT OR OpenSSL AND GPL-3.0"));
        assert!(!met("(MIT OR OpenSSL) AND GPL-3.0"));
    }

    #[test]
    fn an_exception_belongs_to_its_licence() {
        assert!(met("Apache-2.0 WITH LLVM-exception"));
        assert!(!met("MIT WITH LLVM-exception"));
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in ["", "MIT OR", "MIT Apache-2.0", "(MIT", "MIT)", "AND MIT", "MIT WITH"] {
            assert!(Expression::parse(text).is_err(), "{text}");
        }
    }
}
