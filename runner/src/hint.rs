//! What a command can end with: an exit code, or a failure that says what happened, why and what to do
//! next.
//!
//! The only place that knows the exit codes and how a failure is printed. It does not know any command.

use std::{error::Error, fmt, io, io::Write, process::ExitCode};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything asked for was done.
    Done,
    /// It failed.
    Failed,
    /// It was asked for something that makes no sense.
    Usage,
    /// Refused for the safety of data, or because the figures would prove nothing.
    Refused,
    /// Finished, but some cells are void.
    Void,
    /// Interrupted by the user; what there is, is valid.
    Interrupted,
}

impl Exit {
    /// The number the shell sees.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Void => 4,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command did not do what it was asked for.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    hints: Vec<String>,
}

impl Failure {
    /// A failure with an exit code and what happened, as a fragment without a full stop.
    #[must_use]
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), source: None, hints: Vec::new() }
    }

    /// Something that went wrong.
    #[must_use]
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, message)
    }

    /// A request that makes no sense.
    #[must_use]
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A request that is refused for safety or proof.
    #[must_use]
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Exit::Refused, message)
    }

    /// The same, caused by `source`.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same, with one more thing to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The exit code it ends the program with.
    #[must_use]
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Whether the reader of our output went away, which is no failure of ours: `cliffmark show | head`.
    fn is_broken_pipe(&self) -> bool {
        let io = self.source.as_deref().and_then(|source| source.downcast_ref::<io::Error>());
        io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Prints it on standard error and yields the exit code. A broken pipe is success.
    #[must_use]
    pub fn report(&self) -> Exit {
        if self.is_broken_pipe() {
            return Exit::Done;
        }
        // Nothing is left to be done when standard error is closed too.
        let _ = write!(anstream::stderr().lock(), "{}", self.text());
        self.exit
    }

    /// The failure as printed: what happened, the chain of causes, what to do next.
    #[must_use]
    pub fn text(&self) -> String {
        use owo_colors::OwoColorize as _;
        let mut text = format!("{} {}\n", "error:".red().bold(), self.message);
        let mut last = self.message.clone();
        let mut cause = self.source();
        while let Some(error) = cause {
            let line = error.to_string();
            // Errors that merely pass their source on would print it twice.
            if line != last {
                text.push_str(&format!("  caused by: {line}\n"));
            }
            last = line;
            cause = error.source();
        }
        for hint in &self.hints {
            text.push_str(&format!("{} {hint}\n", "hint:".cyan().bold()));
        }
        text
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Writes to standard output; commands use it for everything that is a result.
///
/// # Errors
/// When standard output cannot be written to; a closed pipe ends the program quietly.
pub fn print(text: &str) -> Result<(), Failure> {
    write_all(anstream::stdout().lock(), text.as_bytes())
}

/// Writes bytes to standard output exactly as they are.
///
/// # Errors
/// When standard output cannot be written to; a closed pipe ends the program quietly.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    write_all(io::stdout().lock(), bytes)
}

fn write_all(mut out: impl Write, bytes: &[u8]) -> Result<(), Failure> {
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| Failure::failed("cannot write to standard output").because(error))
}

/// Writes a line for people to standard error. What is told there is never needed to go on, so a closed
/// standard error is not an error.
pub fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Text from elsewhere as it may be printed: no control characters, no marks that reverse or hide text,
/// at most `max_chars` long.
#[must_use]
pub fn printable(text: &str, max_chars: usize) -> String {
    text.chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| model::labels::is_plain_text(&format!("x{c}"), 2))
        .take(max_chars)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_why_and_what_next() {
        let failure = Failure::failed("cannot open the file")
            .because(io::Error::from(io::ErrorKind::PermissionDenied))
            .hint("try another one");
        let plain = anstream::adapter::strip_str(&failure.text()).to_string();
        assert_eq!(
            plain,
            "error: cannot open the file\n  caused by: permission denied\nhint: try another one\n"
        );
        assert_eq!(failure.exit(), Exit::Failed);
    }

    #[test]
    fn a_closed_pipe_is_success() {
        let failure = Failure::failed("x").because(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(failure.report(), Exit::Done);
    }

    #[test]
    fn foreign_text_loses_what_terminals_obey() {
        assert_eq!(printable("a\u{1b}[31mb\nc\u{202e}d", 80), "a[31mb cd");
        assert_eq!(printable("abcdef", 3), "abc");
    }
}
