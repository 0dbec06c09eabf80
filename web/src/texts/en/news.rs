//! The feed in English.

use crate::texts::News;

pub(super) const NEWS: News = News {
    title: "Cliffmark: new results",
    entry: |drive, suite| format!("{drive}, suite {suite}"),
    picture: |drive| format!("Chart of {drive}"),
    simulated: "A model of a drive in virtual time: no measurement.",
};
