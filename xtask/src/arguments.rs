//! The words after `cargo xtask TASK`.
//!
//! Knows: words, switches and options with one value.
//! Does not know: which of them a task has; a task takes what it knows and calls `finish`.

use std::str::FromStr;

use anyhow::Result;

use crate::process::Exit;

/// What was typed and not yet taken by a task.
pub(crate) struct Arguments {
    rest: Vec<String>,
}

impl Arguments {
    /// The arguments of this process, without its own name.
    pub(crate) fn from_env() -> Self {
        Self { rest: std::env::args().skip(1).collect() }
    }

    /// Takes the next word that is not an option; `None` when there is none.
    pub(crate) fn word(&mut self) -> Option<String> {
        let first_is_word = self.rest.first().is_some_and(|word| !word.starts_with("--"));
        first_is_word.then(|| self.rest.remove(0))
    }

    /// Takes the switch `name`; true when it was given.
    pub(crate) fn switch(&mut self, name: &str) -> bool {
        let before = self.rest.len();
        self.rest.retain(|word| word != name);
        self.rest.len() != before
    }

    /// Takes `name VALUE` or `name=VALUE`; `None` when the option was not given.
    ///
    /// # Errors
    /// The value is missing or cannot be read as a `T`.
    pub(crate) fn value<T: FromStr>(&mut self, name: &str) -> Result<Option<T>> {
        let prefix = format!("{name}=");
        let Some(at) = self.rest.iter().position(|word| word == name || word.starts_with(&prefix)) else {
            return Ok(None);
        };
        let word = self.rest.remove(at);
        let text = match word.strip_prefix(&prefix) {
            Some(text) => text.to_owned(),
            None if at < self.rest.len() => self.rest.remove(at),
            None => return Err(Exit::usage(format!("{name} needs a value"))),
        };
        match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(Exit::usage(format!("{name} cannot be `{text}`"))),
        }
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// Something was typed that the task does not know.
    pub(crate) fn finish(self) -> Result<()> {
        match self.rest.first() {
            None => Ok(()),
            Some(word) => {
                Err(Exit::usage(format!("`{word}` is not known here; `cargo xtask help` lists the tasks")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(words: &str) -> Arguments {
        Arguments { rest: words.split_whitespace().map(str::to_owned).collect() }
    }

    #[test]
    fn options_are_taken_in_any_order_and_form() {
        let mut arguments = typed("io --runtime=2.5 --keep --pairs 7");
        assert_eq!(arguments.word().as_deref(), Some("io"));
        assert_eq!(arguments.value::<usize>("--pairs").unwrap(), Some(7));
        assert_eq!(arguments.value::<f64>("--runtime").unwrap(), Some(2.5));
        assert_eq!(arguments.value::<String>("--dir").unwrap(), None);
        assert!(arguments.switch("--keep") && !arguments.switch("--keep"));
        arguments.finish().unwrap();
    }

    #[test]
    fn what_nobody_took_is_an_error() {
        assert!(typed("--onec").finish().unwrap_err().to_string().contains("--onec"));
        assert!(typed("--pairs").value::<usize>("--pairs").is_err());
        assert!(typed("--pairs x").value::<usize>("--pairs").is_err());
    }
}
