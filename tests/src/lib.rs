//! Holds nothing: this package exists for its two test programs. `it/main.rs` tells whole stories with the real
//! programs and a real browser, `drives/main.rs` measures emulated drives and drives that fail.
