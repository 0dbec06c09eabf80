//! Catalogue and drives in English.

use crate::texts::Drives;

pub(super) const DRIVES: Drives = Drives {
    title: "Drives",
    description: "Every drive with public measurements, by make, model and capacity, with the spread of its figures over reviewers and firmware.",
    lead: "Every drive that somebody measured and published here, by make, model and capacity. A drive's page sets all of its results side by side and shows how far they lie apart.",
    search: "Search drives",
    placeholder: "Part of a name, or a capacity",
    makes: "Makes",
    all_makes: "All makes",
    other_makes: "Other makes",
    measured: "Measured drives",
    simulated: "Simulated drives",
    simulated_note: "Models in virtual time, fitted to published figures. No figure of theirs is a measurement, and none is ranked.",
    columns: ["Drive", "Capacity", "Results", "Signing keys", "Last result"],
    more: "More drives",
    nothing_found: [
        "No drive has all of these words in its name. Try fewer of them, or ",
        "see all drives",
        ".",
    ],
    nothing_yet: "No result has been published here yet, so there is no drive to list.",
    kicker: "Drive",
    simulated_kicker: "Simulated drive",
    summary: |results, keys| format!("{results}, signed by {keys}"),
    about: |name, summary| {
        format!(
            "{name}: {summary}. Medians, and how far results of different reviewers and firmware lie apart."
        )
    },
    care: "A model of a drive in virtual time, fitted to published figures. Nothing on this page is a measurement.",
    to_measured: "There are measurements of this drive",
    to_simulated: "There is also a model of this drive, which is no measurement",
    figures: "Figures over all results",
    figures_note: "The median of the results, each of which stands for itself by the median of its loops. Void and failed cells are left out; what was measured by different methods stands in different rows.",
    single_note: "With one result there is no spread between results yet. Another reviewer's measurement would give it.",
    no_figures: "None of its results has a figure that counts.",
    figure_columns: ["Test", "Median", "Between results", "Between all loops", "Results"],
    one_result: "one result",
    one_loop: "one loop",
    other_metrics: "All other metrics",
    by_reviewer: "By reviewer",
    by_firmware: "By firmware",
    by_note: "Each signing key stands for one reviewer. Names are what reviewers call themselves; nobody has checked them.",
    reviewer: "Key",
    firmware: "Firmware",
    firmware_unknown: "not reported",
    results: "Its results",
    compare_newest: "Compare the newest of them",
    rank: "Rankings by metric",
    cut: "There are more results than are put together here; the oldest are left out.",
    all_of_drive: "All results of this drive",
    all_of_key: "All results signed by this key",
    unnamed: "This drive reports no name of its own: results under this one need not be of one product.",
};
