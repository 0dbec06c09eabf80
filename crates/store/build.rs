//! Knows only that the migrations are embedded: a new file among them must rebuild this crate, which
//! `sqlx::migrate!` alone does not see to.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations/sqlite");
}
