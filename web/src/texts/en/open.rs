//! The pages that open files in English.

use crate::texts::{Open, Upload};

pub(super) const OPEN: Open = Open {
    title: "Open a file",
    description: "Check a signed result bundle and read it in your own browser; the file does not leave it.",
    heading: "Open a result without uploading it",
    lead: "Choose one bundle to read it, or up to eight to compare them. The files stay in this browser: nothing of them is sent anywhere.",
    points: [
        "The signature is checked here, by the same code as on the server: whether the file is as it was signed, and by which key.",
        "What contradicts itself is refused, as it would be on upload.",
        "Figures, findings and charts are those of the result's page.",
    ],
    choose: "Choose bundles",
    or_drop: "or drop them anywhere on this page. Their names end in .cliffmark.",
    files: "Open files",
    remove: "Remove",
    make_first: "Make baseline",
    baseline: "baseline",
    checking: "Checking the signature and the figures …",
    not_loaded: "The part of this page that opens files could not be loaded. Reload the page, or use the command line below.",
    not_read: "Your browser could not read this file.",
    chart_failed: "The chart could not be drawn; its figures stand below.",
    needs_scripts: "With JavaScript switched on, this page checks a bundle in your browser and shows it as the page of a result.",
    on_the_command_line: "On the command line the same is done without a browser:",
    refused: |name, reason| format!("{name} is not shown: {reason}"),
    too_many: "eight results is the most that are compared; remove one first.",
    open_already: "this result is open already.",
    too_large: |limit| format!("it is larger than a bundle may be, which is {limit}."),
    bomb: "it opens to far more than a bundle may hold.",
    foreign: "it is no bundle. Bundles are the files that `cliffmark run` writes.",
    cut_off: "it ends too early. Copy or download it again from where it was whole.",
    damaged: "it is damaged. Copy or download it again from where it was whole.",
    other_content: "it holds something else than a signed result.",
    bad_signature: "its signature does not match: it was changed after it was signed, or signed by another key.",
    newer: |version| {
        format!(
            "its document has version {version}, which this page does not know; the server may need an update."
        )
    },
    malformed: |what| format!("its document is not written as the format demands ({what})."),
    implausible: |text| format!("it is signed, but its figures cannot be right. {text}"),
    nothing_open: "No file is open.",
    one_open: |drive| format!("The signature is right. The result of {drive} is shown below."),
    one_open_unlisted: |drive| {
        format!("The signature is right. The result of {drive}, which is not to be listed, is shown below.")
    },
    several_open: |count| format!("All signatures are right. {count} results are compared below."),
    signature: "Your browser checked this file's signature just now. A signature proves who published a result and that nobody changed it, not that a number is true.",
};

pub(super) const UPLOAD: Upload = Upload {
    title: "Upload",
    description: "Publish a signed result bundle: checked in your browser first, then by the server.",
    heading: "Publish a result",
    lead: "Choose a bundle. It is checked and shown in your browser first; it is sent when you say so, and not before.",
    steps: [
        "Your browser checks signature and figures and shows the page that readers will see.",
        "You read it, its labels among them: what is published is exactly what was signed.",
        "A click sends it. A result that was measured with --unlisted answers only to its full address until you release it.",
    ],
    take_back: "Only the key that signed a result can release or withdraw it: `cliffmark release ID`, `cliffmark withdraw ID`.",
    choose: ["Choose a bundle", "or drop it anywhere on this page. Its name ends in .cliffmark."],
    publish: "Publish this result",
    publishing: "Publishing …",
    published: "Published.",
    published_before: "This result had been published before.",
    to_page: "To its page",
    server_refused: "The server did not take it:",
    not_sent: "The server could not be reached. Nothing is lost; try again.",
    needs_scripts: "With JavaScript switched on, this page checks a bundle in your browser and then publishes it.",
    on_the_command_line: "On the command line the same is done without a browser:",
};
