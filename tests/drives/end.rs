//! How a program ended, in the guest or here.

use model::ResultDocument;
use serde_json::Value;

/// The end of a program.
#[derive(Debug, Default)]
pub(crate) struct End {
    /// Its exit code; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    /// What it wrote on standard output.
    pub(crate) stdout: Vec<u8>,
    /// What it wrote on standard error.
    pub(crate) stderr: String,
}

impl End {
    /// The result document on standard output.
    pub(crate) fn document(&self) -> ResultDocument {
        ResultDocument::from_json(self.stdout.trim_ascii()).unwrap_or_else(|error| self.panic(&error))
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| self.panic(&error))
    }

    /// Standard output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The same end when it is the expected one.
    ///
    /// # Panics
    /// When the exit code is another one; with what the program said.
    pub(crate) fn expect(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "it said:\n{}\n{}", self.stderr, self.text());
        self
    }

    fn panic(&self, error: &dyn std::error::Error) -> ! {
        panic!("{error}\nexit code {:?}, it said:\n{}", self.code, self.stderr)
    }
}
