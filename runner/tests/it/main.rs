//! The program as people use it: what it prints, which code it ends with, what it leaves behind.

mod analyse;
mod copies;
mod device;
mod help;
mod interrupt;
mod key;
mod passes;
mod program;
mod refusals;
mod results;
mod resume;
mod simulated;
mod terminal;
