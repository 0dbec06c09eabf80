//! The control socket of the emulator and of the storage daemon. Source: QEMU, "QEMU Machine Protocol Specification".

use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

/// The emulator answers at once; a longer silence is a fault.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// A connection that takes commands.
pub(crate) struct Qmp {
    stream: BufReader<UnixStream>,
}

impl Qmp {
    /// Connects and leaves the greeting behind.
    pub(crate) fn connect(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(ANSWER_WITHIN)).unwrap();
        let mut qmp = Self { stream: BufReader::new(stream) };
        let greeting = qmp.read();
        assert!(greeting.get("QMP").is_some(), "{greeting}");
        qmp.execute(&json!({ "execute": "qmp_capabilities" }));
        qmp
    }

    /// Gives a command and waits until it is done.
    ///
    /// # Panics
    /// When the emulator refuses it.
    pub(crate) fn execute(&mut self, command: &Value) {
        writeln!(self.stream.get_mut(), "{command}").unwrap();
        loop {
            let answer = self.read();
            if answer.get("return").is_some() {
                return;
            }
            // Besides answers there are events, which nobody here waits for.
            assert!(answer.get("event").is_some(), "{command}: {answer}");
        }
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }
}
