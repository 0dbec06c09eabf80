//! The whole server over real connections, each test with a directory and a port of its own.

mod api;
mod catalogue;
mod charts;
mod http;
mod pages;
mod statements;
mod support;
mod uploads;
