//! Paths as they are written down in records: as text where they are text, else as their bytes, so that every path
//! of this machine reads back as it was. For `#[serde(with = "crate::path_bytes")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Bytes(Vec<u8>),
}

pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    let form = match path.to_str() {
        Some(text) => Form::Text(text.to_owned()),
        None => Form::Bytes(path.as_os_str().as_bytes().to_vec()),
    };
    form.serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Ok(match Form::deserialize(deserializer)? {
        Form::Text(text) => PathBuf::from(text),
        Form::Bytes(bytes) => PathBuf::from(OsString::from_vec(bytes)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Held(#[serde(with = "super")] PathBuf);

    #[test]
    fn every_path_reads_back_and_text_is_written_as_text() {
        for (bytes, written) in [
            (&b"/mnt/drive"[..], r#""/mnt/drive""#),
            (b"/mnt/\xff", "[47,109,110,116,47,255]"),
            (b"", r#""""#),
        ] {
            let held = Held(PathBuf::from(OsStr::from_bytes(bytes)));
            let json = serde_json::to_string(&held).unwrap();
            assert_eq!(json, written);
            assert_eq!(serde_json::from_str::<Held>(&json).unwrap(), held);
        }
    }
}
