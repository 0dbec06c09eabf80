//! Holds nothing: this package exists for its one test binary, `it/main.rs`, which tells whole stories
//! with the real programs and a real browser.
