//! What a command can end with: an exit code, or a failure that says what happened, why and what to do
//! next.
//!
//! The only place that knows the exit codes and how a failure is printed. It does not know any command.

use std::{error::Error, fmt, io, io::Write, path::Path, process::ExitCode};

/// Longest path that is printed, characters: what the kernel takes has at most so many bytes.
const MAX_PATH_CHARS: usize = 4096;

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

    /// Prints it on standard error and yields the exit code.
    #[must_use]
    pub fn report(&self) -> Exit {
        // Nothing is left to be done when standard error is closed too.
        let _ = write!(anstream::stderr().lock(), "{}", self.text());
        self.exit
    }

    /// The failure as printed: what happened, the chain of causes, what to do next. Paths and words from elsewhere
    /// stand in all of them, so nothing that a terminal obeys is left, and no line of theirs looks like one of ours.
    #[must_use]
    pub fn text(&self) -> String {
        use owo_colors::OwoColorize as _;
        let line = |text: &str| printable(text, usize::MAX);
        let mut text = format!("{} {}\n", "error:".red().bold(), line(&self.message));
        for cause in self.causes() {
            // An error with a picture of the place in a file has several lines.
            let lines: Vec<String> = cause.lines().map(line).collect();
            text.push_str(&format!("  caused by: {}\n", lines.join("\n    ")));
        }
        for hint in &self.hints {
            text.push_str(&format!("{} {}\n", "hint:".cyan().bold(), line(hint)));
        }
        text
    }

    /// What happened and why in one sentence, to stand in another text.
    #[must_use]
    pub fn sentence(&self) -> String {
        let parts = [vec![self.message.clone()], self.causes()].concat();
        printable(&parts.join(": "), usize::MAX)
    }

    /// The chain of causes, without those that merely pass their source on.
    fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        let mut last = self.message.clone();
        let mut cause = self.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if text != last {
                causes.push(text.clone());
            }
            last = text;
            cause = error.source();
        }
        causes
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

/// Writes to standard output; commands use it for everything that is a result. A reader that went away, as in
/// `cliffmark run … | head -1`, is no error: the work goes on and ends as it would have.
///
/// # Errors
/// When standard output cannot be written to.
pub fn print(text: &str) -> Result<(), Failure> {
    write_all(anstream::stdout().lock(), text.as_bytes())
}

/// Writes bytes to standard output exactly as they are; a reader that went away is no error.
///
/// # Errors
/// When standard output cannot be written to.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    write_all(io::stdout().lock(), bytes)
}

fn write_all(mut out: impl Write, bytes: &[u8]) -> Result<(), Failure> {
    match out.write_all(bytes).and_then(|()| out.flush()) {
        // Nobody reads any more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| Failure::failed("cannot write to standard output").because(error)),
    }
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

/// A path as it may be printed; what is no text in it is shown as U+FFFD.
#[must_use]
pub fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy(), MAX_PATH_CHARS)
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

    /// A standard output whose every write fails.
    struct Failing(io::ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn only_a_reader_that_went_away_is_no_error() {
        assert!(write_all(Failing(io::ErrorKind::BrokenPipe), b"x").is_ok());
        let full = write_all(Failing(io::ErrorKind::StorageFull), b"x").unwrap_err();
        assert!(full.text().contains("cannot write to standard output"), "{}", full.text());
        // Elsewhere, a broken pipe is an error like any other: that of an upload, for instance.
        let upload = Failure::failed("x").because(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(upload.exit(), Exit::Failed);
        assert_eq!(upload.report(), Exit::Failed);
    }

    #[test]
    fn nothing_in_a_failure_passes_for_a_line_of_ours() {
        let path = Path::new("a\u{1b}[31m\nhint: rm -rf /");
        let failure = Failure::failed(format!("cannot open {}", path.display()))
            .because(format!("{}: not there", path.display()))
            .hint(format!("look at {}", path.display()));
        let plain = anstream::adapter::strip_str(&failure.text()).to_string();
        assert_eq!(
            plain,
            "error: cannot open a[31m hint: rm -rf /\n  caused by: a[31m\n    hint: rm -rf /: not there\n\
             hint: look at a[31m hint: rm -rf /\n"
        );
        assert_eq!(shown(path), "a[31m hint: rm -rf /");
        assert_eq!(failure.sentence(), "cannot open a[31m hint: rm -rf /: a[31m hint: rm -rf /: not there");
    }

    #[test]
    fn foreign_text_loses_what_terminals_obey() {
        assert_eq!(printable("a\u{1b}[31mb\nc\u{202e}d", 80), "a[31mb cd");
        assert_eq!(printable("abcdef", 3), "abc");
    }
}
