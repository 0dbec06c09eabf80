//! The page about the site in English.

use crate::texts::About;

pub(super) const ABOUT: About = About {
    title: "About",
    description: "What Cliffmark measures, what its proofs and signatures show, and what they do not.",
    heading: "About Cliffmark",
    lead: "Cliffmark measures drives, publishes the measurement with its evidence, and compares drives no further than the figures allow. Its name is the thing most benchmarks hide: the cliff, where a drive's fast cache ends.",
    sections: [
        (
            "How a figure comes about",
            "A native Linux program reads and writes with direct I/O, past the page cache, in a file that was filled with incompressible and unique data before. Every loop is kept, the discarded one too, with the latency of every I/O in a histogram. The figure shown is the median of the loops that count; the best loop stands beside it, since some programs show only that one.",
        ),
        (
            "What a proof is",
            "For each cell the program records whether direct I/O held, where the file's bytes lie, and how many bytes the kernel counted for the device. Where this evidence contradicts the figures the cell is void: it is kept and shown, and never ranked. Where something cannot be known, as behind a virtual disk, the page says so.",
        ),
        (
            "What a signature is",
            "The result is signed on the machine that measured. A signature proves who published a result and that nobody changed it; it does not prove that a number is true. Anyone can download the signed bytes and check them.",
        ),
        (
            "When two figures may be compared",
            "Percentages are given where the drive and at most one more thing differ, and that thing is named. Where more differs, the figures stand side by side without a percentage. A difference that is not larger than the spread between loops is called a tie. Figures are compared only when they were measured by the same method.",
        ),
        (
            "What is published about a machine",
            "Model, firmware and capacity of the drive, type of the file system, processor model, kernel version. No host name, user name, path or serial number, unless the owner chose to publish the serial number. Labels such as cooling or fill are the reviewer's own words and shown as such.",
        ),
    ],
};
