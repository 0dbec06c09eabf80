//! The home page in English.

use crate::texts::{Home, Table};

pub(super) const HOME: Home = Home {
    search_title: "Search",
    description: "SSD measurements with every loop, their evidence and a signature. Compare drives and see whether a difference is larger than the spread.",
    heading: "Drives, measured with their evidence",
    lead: "Every result here is signed and holds every loop, the latency of every I/O and the evidence that the drive did the work, or says what could not be shown. Choose some and see where they differ, and whether the difference is larger than the spread between loops.",
    ways: ["All drives", "Rankings", "How it is measured"],
    search: "Search",
    placeholder: "Drive, suite or label",
    found: "Results found",
    latest: "Latest results",
    more: "More results",
    nothing_found: ["No result has all of these words. Try fewer of them, or ", "see all results", "."],
    nothing_yet: ["No result has been published here yet. ", "Measure a drive", " and upload the first one."],
    columns: [
        "Drive",
        "Suite",
        "Sequential read",
        "Sequential write",
        "Random read",
        "Random write",
        "Measured",
    ],
    measure_heading: "Measure your own drive",
    measure_note: "Three commands on Linux, without root. The test file is removed on every way out.",
    table: Table {
        label: "Results",
        choose: "Choose",
        compare: "Compare",
        hint: "Tick two to eight results to compare them.",
        chosen: "{n} of 8 chosen.",
        too_many: "{n} chosen; at most 8 can be compared.",
        tick: "Compare {drive}, suite {suite}, of {date}",
    },
};
