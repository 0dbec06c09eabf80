//! What cannot be true of a pass on many files: all of them were moved, each whole, and no faster than time passes.

use model::{
    document::{CellStatus, Transfer},
    files::FILE_UNIT_BYTES,
    pass::Pass,
};

/// Checks a pass that reads and writes every byte of its files once, so many files at a time.
pub(super) fn check(
    pass: &Pass,
    (reads, writes): (bool, bool),
    parallel: u32,
    fatal: &mut impl FnMut(&'static str, String),
) {
    let files = pass.method.files().unwrap_or(0);
    let whole = matches!(pass.status, CellStatus::Complete | CellStatus::Void);
    let least = pass.method.span_bytes;
    let most = least.saturating_add(u64::from(files) * (FILE_UNIT_BYTES - 1));
    for (side, moved, name) in [(reads, &pass.read, "read"), (writes, &pass.write, "wrote")] {
        let bytes = moved.as_ref().map_or(0, |transfer: &Transfer| transfer.bytes);
        if side && (bytes > most || whole && bytes < least) {
            fatal("pass-bytes", format!("it {name} {bytes} bytes, its files have {least}"));
        }
    }
    if whole && writes && pass.settled_ns.is_none() {
        fatal("settled-of-time", "it does not say when what it wrote was durable".to_owned());
    }
    let classes = pass.files.as_ref().map_or(&[][..], |moved| &moved.classes);
    let sum = |of: fn(&model::files::FileClass) -> u64| classes.iter().map(of).fold(0, u64::saturating_add);
    if whole && (sum(|class| class.files.into()), sum(|class| class.bytes)) != (files.into(), least) {
        fatal("files-of-method", "the classes of its files are not those of its method".to_owned());
    }
    let longest = u128::from(pass.elapsed_ns) * u128::from(parallel);
    if u128::from(sum(|class| class.time_ns)) > longest + longest / 100 {
        fatal("files-of-time", "its files took longer than it lasted".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use crate::plausibility;
    use model::{
        ResultDocument, fixtures,
        ids::PublicKey,
        pass::{Pass, Workload},
    };

    fn codes(change: impl FnOnce(&mut Pass)) -> Vec<&'static str> {
        let document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        let mut document: ResultDocument = fixtures::with_copy(document, 156, 112);
        change(&mut document.passes[0]);
        let mut codes: Vec<_> = plausibility::check(&document).into_iter().map(|one| one.code).collect();
        codes.dedup();
        codes
    }

    #[test]
    fn each_lie_of_a_copy_is_found() {
        assert_eq!(codes(|_| ()), [""; 0]);
        assert_eq!(codes(|p| p.method.span_bytes *= 2), ["pass-bytes", "files-of-method"]);
        assert_eq!(codes(|p| p.settled_ns = None), ["settled-of-time"]);
        assert_eq!(codes(|p| p.settled_ns = Some(p.elapsed_ns - 1)), ["settled-of-time"]);
        assert_eq!(codes(|p| p.files = None), ["files-of-method"]);
        assert_eq!(codes(|p| p.files.as_mut().unwrap().classes[0].files -= 1), ["files-of-method"]);
        assert_eq!(codes(|p| p.files.as_mut().unwrap().classes[0].time_ns *= 100), ["files-of-time"]);
        let shallow = |p: &mut Pass| {
            let Workload::Copying(copying) = &mut p.method.workload else { unreachable!() };
            copying.queue_depth = 1;
        };
        assert_eq!(codes(shallow), ["latency-of-depth"]);
    }
}
