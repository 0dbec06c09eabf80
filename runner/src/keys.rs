//! The secret key that signs results: where it lies, how it is made, kept and moved.
//!
//! One text line, `cliffmark-secret-key-v1 HEX`, in a file that only its owner may read. The key itself
//! never enters a document; the drive's serial number enters as a digest keyed with it.

use crate::hint::Failure;
use ed25519_dalek::SigningKey;
use etcetera::BaseStrategy as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use model::ids::{KeyId, PublicKey, SerialHmac};
use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};
use sha2::{Digest as _, Sha256};
use std::{
    fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

const FORMAT: &str = "cliffmark-secret-key-v1";
/// Longest key file in bytes: the line has 89.
const MAX_BYTES: u64 = 1024;
const SERIAL_CONTEXT: &[u8] = b"cliffmark serial v1";

/// A secret key. Its `Debug` form shows only the public part.
pub struct SecretKey(SigningKey);

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SecretKey").field(&self.id()).finish()
    }
}

impl SecretKey {
    /// A new key from the system's random numbers.
    ///
    /// # Errors
    /// When the system gives none.
    pub fn generate() -> Result<Self, Failure> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| {
            Failure::failed("the system gives no random numbers for a key").because(error)
        })?;
        Ok(Self(SigningKey::from_bytes(&seed)))
    }

    /// Reads the one-line form.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let mut seed = [0; 32];
        let digits = text.trim_end().strip_prefix(FORMAT)?.strip_prefix(' ')?;
        hex::decode_to_slice(digits, &mut seed).ok()?;
        Some(Self(SigningKey::from_bytes(&seed)))
    }

    /// The one-line form, with its line end.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{FORMAT} {}\n", hex::encode(self.0.to_bytes()))
    }

    /// The key for signing.
    #[must_use]
    pub fn signing(&self) -> &SigningKey {
        &self.0
    }

    /// The public key.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// The public key's id.
    #[must_use]
    pub fn id(&self) -> KeyId {
        KeyId(Sha256::digest(self.public().0).into())
    }

    /// The digest under which a drive's serial number is published.
    #[must_use]
    pub fn serial_hmac(&self, serial: &str) -> SerialHmac {
        let derived = hmac(&self.0.to_bytes(), SERIAL_CONTEXT);
        SerialHmac(hmac(&derived, serial.as_bytes()))
    }
}

fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// The place of the secret key.
#[derive(Debug, Clone)]
pub struct KeyFile(PathBuf);

impl KeyFile {
    /// The file in the user's configuration directory.
    ///
    /// # Errors
    /// When there is no home directory.
    pub fn of_user() -> Result<Self, Failure> {
        let base = etcetera::choose_base_strategy().map_err(|error| {
            Failure::failed("cannot tell where the secret key belongs")
                .because(error)
                .hint("set HOME, or XDG_CONFIG_HOME to a directory of your own")
        })?;
        Ok(Self(base.config_dir().join("cliffmark/key")))
    }

    /// A key file at a place of choice, for tests.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The key, `None` when there is no file.
    ///
    /// # Errors
    /// When the file cannot be read, is open to others, or holds no key.
    pub fn load(&self) -> Result<Option<SecretKey>, Failure> {
        let path = self.0.display();
        let file = match fs::File::open(&self.0) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(Failure::failed(format!("cannot open the secret key {path}")).because(error));
            }
        };
        let unreadable = |error| Failure::failed(format!("cannot read the secret key {path}")).because(error);
        let mode = file.metadata().map_err(unreadable)?.mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(Failure::failed(format!("others may read the secret key {path} (mode {mode:04o})"))
                .hint(format!("run `chmod 600 {path}`; if others had access to this machine, make a new key with `cliffmark key new --replace`")));
        }
        let mut text = String::new();
        file.take(MAX_BYTES).read_to_string(&mut text).map_err(unreadable)?;
        SecretKey::from_text(&text).map(Some).ok_or_else(|| {
            Failure::failed(format!("{path} holds no secret key of the form `{FORMAT} HEX`"))
                .hint("put the key back from a backup, or make a new one with `cliffmark key new --replace`")
        })
    }

    /// The key, made now when there is none. Also tells whether it was made.
    ///
    /// # Errors
    /// When it can neither be read nor made.
    pub fn load_or_make(&self) -> Result<(SecretKey, bool), Failure> {
        if let Some(key) = self.load()? {
            return Ok((key, false));
        }
        let key = SecretKey::generate()?;
        self.create(&key)?;
        Ok((key, true))
    }

    /// Puts a key into place: never over another one, unless `replace` moves that one aside to
    /// `key.KEYID`, or `key.KEYID-2` and so on where that name is taken. Yields where the old one went.
    ///
    /// # Errors
    /// When there is a key and `replace` is false, or a file cannot be written.
    pub fn put(&self, key: &SecretKey, replace: bool) -> Result<Option<PathBuf>, Failure> {
        let moved = match fs::symlink_metadata(&self.0) {
            Ok(_) if !replace => {
                return Err(Failure::failed(format!("there is a secret key already: {}", self.0.display()))
                    .hint("results signed with it stay yours only while you have it; --replace keeps it beside the new one"));
            }
            Ok(_) => Some(self.move_aside()?),
            Err(_) => None,
        };
        self.create(key)?;
        Ok(moved)
    }

    fn move_aside(&self) -> Result<PathBuf, Failure> {
        // A file that holds no key is moved too: nothing of the user's is ever deleted.
        let suffix = match self.load() {
            Ok(Some(key)) => key.id().short(),
            _ => "unreadable".to_owned(),
        };
        let mut number = 1;
        loop {
            let mut aside = self.0.as_os_str().to_owned();
            aside.push(format!(".{suffix}"));
            if number > 1 {
                aside.push(format!("-{number}"));
            }
            let aside = PathBuf::from(aside);
            match renameat_with(CWD, &self.0, CWD, &aside, RenameFlags::NOREPLACE) {
                Ok(()) => return Ok(aside),
                Err(Errno::EXIST) => number += 1,
                Err(errno) => {
                    return Err(Failure::failed(format!(
                        "cannot move the present key to {}",
                        aside.display()
                    ))
                    .because(io::Error::from(errno)));
                }
            }
        }
    }

    fn create(&self, key: &SecretKey) -> Result<(), Failure> {
        let directory = self.0.parent().unwrap_or(Path::new("."));
        let fail = |error| {
            Failure::failed(format!("cannot write the secret key {}", self.0.display()))
                .because(error)
                .hint("XDG_CONFIG_HOME can name another configuration directory")
        };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(fail)?;
        write_secret(&self.0, key).map_err(fail)
    }
}

/// Writes a key into a file that must not exist yet and that only its owner may read.
///
/// # Errors
/// When the file exists or cannot be written.
pub fn write_secret(path: &Path, key: &SecretKey) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(key.to_text().as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_key_is_made_once_and_only_for_its_owner() {
        let directory = tempfile::tempdir().unwrap();
        let file = KeyFile::at(directory.path().join("cliffmark/key"));
        assert!(file.load().unwrap().is_none());
        let (made, new) = file.load_or_make().unwrap();
        let (again, new_again) = file.load_or_make().unwrap();
        assert!(new && !new_again);
        assert_eq!(made.id(), again.id());
        assert_eq!(fs::metadata(file.path()).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(file.path().parent().unwrap()).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_key_that_others_may_read_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = KeyFile::at(directory.path().join("key"));
        file.load_or_make().unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o640)).unwrap();
        let failure = file.load().unwrap_err();
        assert!(failure.text().contains("chmod 600"), "{}", failure.text());
    }

    #[test]
    fn a_new_key_never_overwrites() {
        let directory = tempfile::tempdir().unwrap();
        let file = KeyFile::at(directory.path().join("key"));
        let (old, _) = file.load_or_make().unwrap();
        let new = SecretKey::generate().unwrap();
        assert!(file.put(&new, false).is_err());
        let aside = file.put(&new, true).unwrap().unwrap();
        assert!(aside.ends_with(format!("key.{}", old.id().short())));
        assert_eq!(KeyFile::at(aside).load().unwrap().unwrap().id(), old.id());
        assert_eq!(file.load().unwrap().unwrap().id(), new.id());
    }

    #[test]
    fn a_name_that_is_taken_does_not_keep_a_key_from_being_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let file = KeyFile::at(directory.path().join("key"));
        let names = ["key.unreadable", "key.unreadable-2", "key.unreadable-3"];
        for (number, name) in names.into_iter().enumerate() {
            fs::write(file.path(), format!("no key, {number}")).unwrap();
            let aside = file.put(&SecretKey::generate().unwrap(), true).unwrap().unwrap();
            assert_eq!(aside, directory.path().join(name));
            fs::remove_file(file.path()).unwrap();
        }
        for (number, name) in names.into_iter().enumerate() {
            let kept = fs::read_to_string(directory.path().join(name)).unwrap();
            assert_eq!(kept, format!("no key, {number}"));
        }
    }

    #[test]
    fn the_text_form_reads_back_and_nothing_else_does() {
        let key = SecretKey::generate().unwrap();
        assert_eq!(SecretKey::from_text(&key.to_text()).unwrap().id(), key.id());
        let digits = "ab".repeat(32);
        for bad in ["", "x", &digits, &format!("{FORMAT}{digits}"), &format!("{FORMAT} {digits}00")] {
            assert!(SecretKey::from_text(bad).is_none(), "{bad}");
        }
        assert!(!format!("{key:?}").contains(&hex::encode(key.signing().to_bytes())));
    }

    #[test]
    fn serial_digests_depend_on_key_and_serial_only() {
        let key = SecretKey::from_text(&format!("{FORMAT} {}", "01".repeat(32))).unwrap();
        let other = SecretKey::from_text(&format!("{FORMAT} {}", "02".repeat(32))).unwrap();
        assert_eq!(key.serial_hmac("S1"), key.serial_hmac("S1"));
        assert_ne!(key.serial_hmac("S1"), key.serial_hmac("S2"));
        assert_ne!(key.serial_hmac("S1"), other.serial_hmac("S1"));
    }
}
