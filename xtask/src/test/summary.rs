//! The sum over cargo's `test result:` lines, and what tests said that they skipped.
//!
//! Knows: the form of those lines.
//! Does not know: which tests there are.

use std::fmt;

use anyhow::{Result, ensure};

/// What a test prints before the name and the reason when it cannot be run on this machine.
const SKIPPED: &str = "SKIPPED: ";

/// How many tests passed and failed, and which of the passed ones tested nothing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    passed: u64,
    failed: u64,
    skipped: Vec<String>,
}

impl Summary {
    /// Adds a line of cargo's output; every other line than a summary or a skipped test counts nothing.
    pub(super) fn read(&mut self, line: &str) {
        // In front of it may stand the name of the test, which cargo prints without ending the line.
        if let Some((_, what)) = line.split_once(SKIPPED) {
            self.skipped.push(what.trim_end().to_owned());
        }
        let Some(rest) = line.trim_start().strip_prefix("test result: ") else { return };
        let counts = rest.split_once(". ").map_or(rest, |(_, counts)| counts);
        for count in counts.split(';') {
            let mut words = count.split_whitespace();
            let (Some(number), Some(what)) = (words.next(), words.next()) else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                _ => {}
            }
        }
    }

    /// A run without a single test has not tested anything.
    ///
    /// # Errors
    /// No test ran, or one failed.
    pub(super) fn must_hold_tests(&self) -> Result<()> {
        ensure!(self.passed > 0, "not a single test ran");
        ensure!(self.failed == 0, "{} tests failed", self.failed);
        Ok(())
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for what in &self.skipped {
            writeln!(f, "{SKIPPED}{what}")?;
        }
        let skipped = self.skipped.len() as u64;
        write!(f, "{} passed, {} failed", self.passed.saturating_sub(skipped), self.failed)?;
        if skipped > 0 {
            write!(f, ", {skipped} SKIPPED as told above")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_programs_are_summed() {
        let mut summary = Summary::default();
        for line in [
            "running 3 tests",
            "test a ... ok",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.01s",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s",
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "   Doc-tests cliffmark_model: 99 passed; 9 failed",
        ] {
            summary.read(line);
        }
        assert_eq!(summary, Summary { passed: 15, failed: 2, skipped: Vec::new() });
        assert_eq!(summary.to_string(), "15 passed, 2 failed");
        assert!(summary.must_hold_tests().is_err());
    }

    #[test]
    fn skipped_tests_are_told_again_and_are_not_counted_as_passed() {
        let mut summary = Summary::default();
        for line in [
            "test media_errors ... SKIPPED: media errors: there is no emulator\n",
            "ok",
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        ] {
            summary.read(line);
        }
        assert_eq!(
            summary.to_string(),
            "SKIPPED: media errors: there is no emulator\n2 passed, 0 failed, 1 SKIPPED as told above"
        );
    }

    #[test]
    fn no_tests_are_no_success() {
        assert!(Summary::default().must_hold_tests().is_err());
        assert!(Summary { passed: 1, ..Summary::default() }.must_hold_tests().is_ok());
    }
}
