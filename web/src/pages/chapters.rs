//! The order of a review: which charts belong together, under which heading, and the contents list over them.
//!
//! Knows no figure. A chapter of one chart is that chart's own section; one of several has a heading above theirs.

use crate::{
    pages::{Assets, ChartView, PageContext},
    parts::{Level, chart_section},
    texts,
};
use leptos::prelude::*;
use model::{chart_id::ChartId, lang::Lang};

/// A part of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chapter {
    Sequential,
    Random,
    QueueDepth,
    Latency,
    Repeats,
    Mixed,
    Cliff,
    Bursts,
    Surface,
    Load,
    Consistency,
    Applications,
    Copies,
    Loading,
    Heat,
    Power,
    Arrays,
}

impl Chapter {
    /// All of them in the order of a review.
    pub(crate) const ALL: [Self; 17] = [
        Self::Sequential,
        Self::Random,
        Self::QueueDepth,
        Self::Latency,
        Self::Repeats,
        Self::Mixed,
        Self::Cliff,
        Self::Bursts,
        Self::Surface,
        Self::Load,
        Self::Consistency,
        Self::Applications,
        Self::Copies,
        Self::Loading,
        Self::Heat,
        Self::Power,
        Self::Arrays,
    ];

    /// Its charts in their order.
    fn charts(self) -> &'static [ChartId] {
        match self {
            Self::Sequential => &[ChartId::Sequential],
            Self::Random => &[ChartId::Random],
            Self::QueueDepth => &[ChartId::QueueDepth],
            Self::Latency => &[ChartId::LatencyPercentiles],
            Self::Repeats => &[ChartId::RepeatRuns],
            Self::Mixed => &[ChartId::Mixed, ChartId::MixedFirstLast, ChartId::SteadyState],
            Self::Cliff => &[ChartId::Cliff, ChartId::BurstEndurance, ChartId::Fill],
            Self::Bursts => &[ChartId::Bursts],
            Self::Surface => &[ChartId::Surface],
            Self::Load => &[ChartId::MatrixIops, ChartId::MatrixLatency, ChartId::MatrixThroughput],
            Self::Consistency => {
                &[ChartId::ConsistencyBandwidth, ChartId::ConsistencyAccess, ChartId::BestWorst]
            }
            Self::Applications => &[ChartId::Applications],
            Self::Copies => &[ChartId::Copies],
            Self::Loading => &[ChartId::Loading],
            Self::Heat => &[ChartId::Throttling, ChartId::Temperature],
            Self::Power => &[ChartId::Power],
            Self::Arrays => &[ChartId::ArrayScaling],
        }
    }

    /// Its name in addresses, where it has a heading of its own.
    fn token(self) -> &'static str {
        match self {
            Self::Mixed => "chapter-mixed",
            Self::Cliff => "chapter-cliff",
            Self::Load => "chapter-load",
            Self::Consistency => "chapter-consistency",
            Self::Heat => "chapter-heat",
            // Their one chart is the section.
            _ => self.charts()[0].token(),
        }
    }
}

/// An entry of a page's contents list, and those below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Id of its section.
    pub(crate) id: String,
    pub(crate) title: String,
    /// Sections inside of it; empty for none.
    pub(crate) below: Vec<Self>,
}

impl Entry {
    /// One without entries below it.
    pub(crate) fn new(id: &str, title: impl Into<String>) -> Self {
        Self { id: id.to_owned(), title: title.into(), below: Vec::new() }
    }
}

/// The charts of a page in the order of a review, those that belong together under one heading.
pub(crate) struct Chapters(Vec<(Chapter, Vec<ChartView>)>);

impl Chapters {
    /// Sorts charts into chapters; a chapter without a chart is none.
    pub(crate) fn new(mut charts: Vec<ChartView>) -> Self {
        let chapters = Chapter::ALL.into_iter().map(|chapter| {
            let mut own = Vec::new();
            for id in chapter.charts() {
                if let Some(at) = charts.iter().position(|chart| chart.id == *id) {
                    own.push(charts.remove(at));
                }
            }
            (chapter, own)
        });
        Self(chapters.filter(|(_, own)| !own.is_empty()).collect())
    }

    /// The first chart of the page.
    pub(crate) fn first(&self) -> Option<&ChartView> {
        self.0.first().and_then(|(_, charts)| charts.first())
    }

    /// The entries of the contents list.
    pub(crate) fn entries(&self, lang: Lang) -> Vec<Entry> {
        let below = |charts: &[ChartView]| match charts {
            [_] => Vec::new(),
            several => {
                several.iter().map(|chart| Entry::new(chart.id.token(), chart.title.clone())).collect()
            }
        };
        let entry = |(chapter, charts): &(Chapter, Vec<ChartView>)| Entry {
            id: id(*chapter, charts),
            title: (texts::of(lang).chapters.title)(*chapter).to_owned(),
            below: below(charts),
        };
        self.0.iter().map(entry).collect()
    }

    /// The sections. The page's first picture is loaded at once.
    pub(crate) fn view(self, ctx: &PageContext) -> AnyView {
        let lang = ctx.lang;
        let assets: &Assets = &ctx.assets;
        let mut first = true;
        let mut section = |chart: ChartView, level: Level| {
            let markdown = ctx.href(&chart.markdown);
            let chart = ChartView { markdown, ..chart };
            chart_section(chart, lang, assets, std::mem::take(&mut first), level)
        };
        let mut sections = Vec::new();
        for (chapter, mut charts) in self.0 {
            let id = id(chapter, &charts);
            if charts.len() == 1 {
                sections.extend(charts.pop().map(|chart| section(chart, Level::Two)));
                continue;
            }
            let title = (texts::of(lang).chapters.title)(chapter);
            let charts = charts.into_iter().map(|chart| section(chart, Level::Three)).collect_view();
            let heading = format!("{id}-heading");
            let chapter = view! {
                <section id=id class="chapter" aria-labelledby=heading>
                    <h2 id=heading.clone()>{title}</h2>
                    {charts}
                </section>
            };
            sections.push(chapter.into_any());
        }
        sections.into_any()
    }
}

/// The id of a chapter's section: its own, or that of its one chart.
fn id(chapter: Chapter, charts: &[ChartView]) -> String {
    match charts {
        [only] => only.id.token().to_owned(),
        _ => chapter.token().to_owned(),
    }
}

/// The list of a page's sections, those of a chapter below its name.
pub(crate) fn contents(lang: Lang, entries: Vec<Entry>) -> AnyView {
    let label = texts::of(lang).shell.on_this_page;
    view! {
        <nav class="contents" aria-label=label>
            {list(entries)}
        </nav>
    }
    .into_any()
}

fn list(entries: Vec<Entry>) -> AnyView {
    let items = entries
        .into_iter()
        .map(|Entry { id, title, below }| {
            let below = (!below.is_empty()).then(|| list(below));
            view! {
                <li>
                    <a href=format!("#{id}")>{title}</a>
                    {below}
                </li>
            }
        })
        .collect_view();
    view! { <ul>{items}</ul> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chart_is_in_one_chapter() {
        for chart in ChartId::ALL {
            let count = Chapter::ALL.iter().filter(|chapter| chapter.charts().contains(&chart)).count();
            assert_eq!(count, 1, "{chart}");
        }
    }

    #[test]
    fn chapters_of_several_charts_have_names_of_their_own() {
        for chapter in Chapter::ALL {
            let own = chapter.token().starts_with("chapter-");
            assert_eq!(own, chapter.charts().len() > 1, "{chapter:?}");
        }
    }
}
