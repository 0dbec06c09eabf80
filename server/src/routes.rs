//! Handlers: they read an address, ask the store or a pure function, and assemble an answer.

pub mod assets;
pub mod bundles;
pub mod charts;
pub mod compare;
pub mod health;
pub mod pages;
pub mod results;
pub mod statements;
