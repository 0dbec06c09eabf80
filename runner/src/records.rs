//! A file of records that survives a power cut: appended, each with its checksum, synced one by one.
//!
//! Form: a line with the format's name, then records of 4 bytes length (little endian), 32 bytes SHA-256 over
//! the record's number, the length and the payload, and the payload. Knows nothing of what the records mean.

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

const MAGIC: &[u8] = b"cliffmark-records-v1\n";
const HEAD: usize = 4 + 32;
/// Longest record in bytes: a cell with the longest series takes a few MiB.
const MAX_RECORD: usize = 64 << 20;
/// Longest file in bytes that is read.
const MAX_FILE: u64 = 1 << 30;

/// A file of records, open for appending.
#[derive(Debug)]
pub(crate) struct RecordWriter {
    file: File,
    next: u64,
}

impl RecordWriter {
    /// Makes a new file that only its owner may read. It lasts only once its directory is synced, which is done
    /// here too.
    ///
    /// # Errors
    /// When it exists or cannot be written.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(MAGIC)?;
        file.sync_all()?;
        if let Some(directory) = path.parent() {
            File::open(directory)?.sync_all()?;
        }
        Ok(Self { file, next: 0 })
    }

    /// Goes on with a file that was read: what lies behind its whole records is cut off.
    ///
    /// # Errors
    /// When it cannot be cut or written.
    pub(crate) fn resume(mut file: File, read: &Records) -> io::Result<Self> {
        file.set_len(read.whole_bytes)?;
        file.seek(SeekFrom::End(0))?;
        file.sync_all()?;
        Ok(Self { file, next: read.payloads.len() as u64 })
    }

    /// Appends a record and waits until the drive has it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn append(&mut self, payload: &[u8]) -> io::Result<()> {
        let length = u32::try_from(payload.len()).ok().filter(|_| payload.len() <= MAX_RECORD);
        let length = length.ok_or_else(|| io::Error::other("a record has at most 64 MiB"))?;
        // One call, so that no other writer's bytes can lie between the parts.
        let mut bytes = Vec::with_capacity(HEAD + payload.len());
        bytes.extend(length.to_le_bytes());
        bytes.extend(checksum(self.next, payload));
        bytes.extend(payload);
        self.file.write_all(&bytes)?;
        self.file.sync_data()?;
        self.next += 1;
        Ok(())
    }

    /// The file, for locks.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }
}

/// Opens a file of records that its program left behind, and holds its lock; `None` while the program runs.
///
/// # Errors
/// When it cannot be opened, or is no regular file; a link is not followed.
pub(crate) fn take(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().read(true).append(true).custom_flags(libc::O_NOFOLLOW).open(path).map_err(
        |error| match error.raw_os_error() {
            Some(libc::ELOOP) => io::Error::other("it is a symbolic link"),
            _ => error,
        },
    )?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::WOULDBLOCK) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// A file with the name of one of ours that cannot be used.
#[derive(Debug)]
pub struct Unusable {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: String,
    /// Its handle and lock when it is surely a file of records, or an empty one: only then it may be removed.
    ours: Option<File>,
}

impl Unusable {
    /// One that could not even be opened.
    pub(crate) fn unopened(path: &Path, error: &io::Error) -> Self {
        Self { path: path.to_owned(), why: error.to_string(), ours: None }
    }

    /// One that was [`take`]n and makes no sense.
    pub(crate) fn taken(path: &Path, mut file: File, error: &io::Error) -> Self {
        let ours = begins_as_ours(&mut file).unwrap_or(false).then_some(file);
        Self { path: path.to_owned(), why: error.to_string(), ours }
    }

    /// Whether it is surely a file that this program made and that no program uses.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.ours.is_some()
    }

    /// Removes it.
    ///
    /// # Errors
    /// When it is not surely ours, or cannot be removed.
    pub(crate) fn remove(self) -> io::Result<()> {
        match self.ours {
            Some(_lock) => fs::remove_file(&self.path),
            None => Err(io::Error::other("nothing shows that it is ours")),
        }
    }
}

fn begins_as_ours(file: &mut File) -> io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let mut head = Vec::new();
    file.take(MAGIC.len() as u64).read_to_end(&mut head)?;
    // Shorter when the program died while it made the file.
    Ok(MAGIC.starts_with(&head))
}

/// What a file of records holds.
#[derive(Debug)]
pub(crate) struct Records {
    /// The payloads of the whole records, in order.
    pub(crate) payloads: Vec<Vec<u8>>,
    /// How the file ends.
    pub(crate) end: End,
    /// Bytes up to the end of the last whole record.
    whole_bytes: u64,
}

/// What follows the last whole record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Nothing.
    Clean,
    /// A record that was being written when the program or machine died.
    Torn,
    /// A record that was whole once and is not any more; what lies behind it cannot be trusted.
    Damaged,
}

impl Records {
    /// Reads a file of records from its start.
    ///
    /// # Errors
    /// When it cannot be read or has another form.
    pub(crate) fn read(file: &mut File) -> io::Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        let read = file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
        if read as u64 > MAX_FILE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is larger than 1 GiB"));
        }
        if bytes.len() < MAGIC.len() && MAGIC.starts_with(&bytes) {
            // The program died while it made the file.
            return Ok(Self { payloads: Vec::new(), end: End::Torn, whole_bytes: 0 });
        }
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it does not begin as such a file does"));
        };
        Ok(parse(rest))
    }
}

fn parse(mut rest: &[u8]) -> Records {
    let mut records = Records { payloads: Vec::new(), end: End::Clean, whole_bytes: MAGIC.len() as u64 };
    while !rest.is_empty() {
        let number = records.payloads.len() as u64;
        let Some((payload, behind)) = split(rest) else {
            records.end = End::Torn;
            break;
        };
        if rest[4..HEAD] != checksum(number, payload) {
            // A length may be in the file before its data is: then everything behind it is missing or zero.
            let torn = behind.is_empty() || rest[4..].iter().all(|byte| *byte == 0);
            records.end = if torn { End::Torn } else { End::Damaged };
            break;
        }
        records.payloads.push(payload.to_vec());
        records.whole_bytes += (HEAD + payload.len()) as u64;
        rest = behind;
    }
    records
}

/// The first record's payload and what lies behind it; `None` when the bytes end before it does.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
    bytes.get(HEAD..)?.split_at_checked(length)
}

fn checksum(number: u64, payload: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(number.to_le_bytes());
    hash.update((payload.len() as u64).to_le_bytes());
    hash.update(payload);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn three() -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("records");
        let mut writer = RecordWriter::create(&path).unwrap();
        for payload in [&b"one"[..], b"", b"three"] {
            writer.append(payload).unwrap();
        }
        (directory, path)
    }

    fn read(path: &Path) -> Records {
        Records::read(&mut File::open(path).unwrap()).unwrap()
    }

    #[test]
    fn records_read_back_and_are_never_written_over() {
        let (_directory, path) = three();
        let records = read(&path);
        assert_eq!(records.payloads, [&b"one"[..], b"", b"three"]);
        assert_eq!(records.end, End::Clean);
        assert_eq!(RecordWriter::create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn wherever_the_file_is_cut_the_whole_records_stay() {
        let (_directory, path) = three();
        let whole = fs::read(&path).unwrap();
        let ends = [MAGIC.len(), MAGIC.len() + HEAD + 3, MAGIC.len() + 2 * HEAD + 3, whole.len()];
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let records = read(&path);
            let kept = ends[1..].iter().filter(|end| **end <= length).count();
            assert_eq!(records.payloads.len(), kept, "cut at {length}");
            let clean = ends.contains(&length);
            assert_eq!(records.end, if clean { End::Clean } else { End::Torn }, "cut at {length}");
        }
    }

    #[test]
    fn a_record_whose_data_never_arrived_is_torn() {
        let (_directory, path) = three();
        let whole = fs::read(&path).unwrap();
        let second_end = MAGIC.len() + 2 * HEAD + 3;
        for filler in [&[0; 5][..], &[0; 900], &[7; 5]] {
            let bytes = [&whole[..second_end], &whole[second_end..second_end + HEAD], filler].concat();
            let mut bytes = bytes;
            if filler.len() > 5 {
                bytes[second_end..].fill(0);
            }
            fs::write(&path, bytes).unwrap();
            let records = read(&path);
            assert_eq!((records.payloads.len(), records.end), (2, End::Torn));
        }
    }

    #[test]
    fn every_flipped_bit_in_the_middle_is_noticed_and_the_records_before_it_stay() {
        let (_directory, path) = three();
        let whole = fs::read(&path).unwrap();
        let (first_end, second_end) = (MAGIC.len() + HEAD + 3, MAGIC.len() + 2 * HEAD + 3);
        for at in first_end + 4..second_end {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            let records = read(&path);
            assert_eq!((records.payloads.len(), records.end), (1, End::Damaged), "byte {at}");
        }
        // A damaged length is no whole record either, whatever it then looks like.
        for at in first_end..first_end + 4 {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            let records = read(&path);
            assert_eq!(records.payloads.len(), 1, "byte {at}");
            assert_ne!(records.end, End::Clean);
        }
        fs::write(&path, b"something else\n and more of it").unwrap();
        assert!(Records::read(&mut File::open(&path).unwrap()).is_err());
    }

    #[test]
    fn a_file_goes_on_behind_its_whole_records() {
        let (_directory, path) = three();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let mut file = OpenOptions::new().read(true).append(true).open(&path).unwrap();
        let records = Records::read(&mut file).unwrap();
        let mut writer = RecordWriter::resume(file, &records).unwrap();
        writer.append(b"four").unwrap();
        let records = read(&path);
        assert_eq!(records.payloads, [&b"one"[..], b"", b"four"]);
        assert_eq!(records.end, End::Clean);
    }
}
