//! The frame in English.

use crate::texts::Shell;

pub(super) const SHELL: Shell = Shell {
    site_title: "Cliffmark: SSD measurements with their evidence",
    skip: "Skip to the content",
    site: "Site",
    results: "Results",
    drives: "Drives",
    rankings: "Rankings",
    feed: "New results",
    compare: "Compare",
    methods: "Methods",
    about: "About",
    promise: [
        "Cliffmark shows what was measured, how, and what cannot be proven. MB/s is 10",
        " bytes per second. ",
    ],
    language: "Language",
    on_this_page: "On this page",
};
