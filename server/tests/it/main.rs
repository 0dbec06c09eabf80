//! The whole server over real connections, each test with a directory and a port of its own.

mod api;
mod charts;
mod http;
mod pages;
mod support;
mod statements;
mod uploads;
