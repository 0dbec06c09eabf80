//! Headings of a review's chapters in English.

use crate::{pages::Chapter, texts::Chapters};

pub(super) const CHAPTERS: Chapters = Chapters {
    title: |chapter| match chapter {
        Chapter::Sequential => "Sequential",
        Chapter::Random => "Random",
        Chapter::QueueDepth => "Queue depth",
        Chapter::Latency => "Latency",
        Chapter::Repeats => "Repeats",
        Chapter::Mixed => "Mixed load",
        Chapter::Cliff => "Continuous writing",
        Chapter::Bursts => "Bursts",
        Chapter::Surface => "By place",
        Chapter::Load => "Small and large I/Os together",
        Chapter::Consistency => "Consistency",
        Chapter::Applications => "Applications",
        Chapter::Copies => "Copies",
        Chapter::Loading => "Loading",
        Chapter::Heat => "Temperature and throttling",
        Chapter::Power => "Power",
        Chapter::Arrays => "Arrays",
    },
};
