//! The whole server over real connections, each test with a directory and a port of its own.

mod api;
mod charts;
mod desk;
mod http;
mod pages;
mod statements;
mod support;
mod uploads;
