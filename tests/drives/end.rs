//! How a program ended, in the guest or here.

use model::{
    ResultDocument,
    document::{Cell, CellStatus},
    proof::VoidReason,
};
use serde_json::Value;

/// Whether all of a cell was measured; see [`End::measured`].
pub(crate) fn is_whole(cell: &Cell) -> bool {
    let void_for_others = cell.status == CellStatus::Void && cell.void == [VoidReason::ForeignIo];
    cell.status == CellStatus::Complete || void_for_others
}

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

    /// The same end when it measured everything. Devices here lie on a disk that others use too: that they moved much on it
    /// meanwhile, which makes a cell void, is no fault of the program under test.
    ///
    /// # Panics
    /// When a cell failed or is void for another reason; with what the program said.
    pub(crate) fn measured(&self) -> &Self {
        assert!(matches!(self.code, Some(0 | 4)), "exit code {:?}, it said:\n{}", self.code, self.stderr);
        let told = self.json();
        // A report of `cell` has its reasons at its top.
        let void: Vec<Value> = match told["cells"].as_array() {
            Some(cells) => cells.iter().map(|cell| cell["void"].clone()).collect(),
            None => vec![told["void"].clone()],
        };
        let foreign = serde_json::json!([VoidReason::ForeignIo.token()]);
        let (clean, unclean): (Vec<_>, Vec<_>) =
            void.into_iter().partition(|reasons| *reasons == serde_json::json!([]));
        assert!(unclean.iter().all(|reasons| *reasons == foreign), "{unclean:?}, it said:\n{}", self.stderr);
        assert_eq!(
            self.code == Some(0),
            unclean.is_empty(),
            "{} clean, exit code {:?}",
            clean.len(),
            self.code
        );
        self
    }

    fn panic(&self, error: &dyn std::error::Error) -> ! {
        panic!("{error}\nexit code {:?}, it said:\n{}", self.code, self.stderr)
    }
}
