//! Addresses of the comparison changed in one thing, everything else in them kept: results, order, view, language.

use crate::{islands::PickerAddress, pages::PageContext};
use charts::{Show, View};
use model::comparison::Comparison;

/// What stays when one thing of the address changes.
#[derive(Debug, Clone)]
pub(super) struct Links {
    ctx: PageContext,
    /// The series as addresses name them, the baseline first.
    pub(super) ids: Vec<String>,
    pub(super) view: View,
}

impl Links {
    pub(super) fn new(ctx: &PageContext, comparison: &Comparison, view: View) -> Self {
        let ids = comparison.series.iter().map(|series| series.head.address()).collect();
        Self { ctx: ctx.clone(), ids, view }
    }

    /// A comparison that has but one result so far.
    pub(super) fn of_one(ctx: &PageContext, id: String) -> Self {
        Self { ctx: ctx.clone(), ids: vec![id], view: View::default() }
    }

    /// The comparison of these series, shown as this one.
    pub(super) fn of(&self, ids: &[String]) -> String {
        self.ctx.href(&address(ids, self.view))
    }

    /// This comparison shown in another way.
    pub(super) fn shown(&self, view: View) -> String {
        self.ctx.href(&address(&self.ids, view))
    }

    /// Another page of the site.
    pub(super) fn page(&self, path: &str) -> String {
        self.ctx.href(path)
    }

    /// The figures of this comparison, shown as here, in a form for programs.
    pub(super) fn data(&self, path: &str) -> String {
        format!("{path}?r={}{}", self.ids.join(","), self.view.query())
    }

    /// The page as Markdown.
    pub(super) fn markdown(&self) -> String {
        self.ctx.href(&self.data("/compare.md"))
    }

    /// Where one more result leads.
    pub(super) fn adding(&self) -> PickerAddress {
        // An id that no address holds marks its place.
        const PLACE: &str = "+";
        let ids: Vec<String> = self.ids.iter().cloned().chain([PLACE.to_owned()]).collect();
        let whole = self.of(&ids);
        let (before, after) = whole.split_once(PLACE).unwrap_or((&whole, ""));
        let mut kept = Vec::new();
        if !self.ids.is_empty() {
            kept.push(("r", self.ids.join(",")));
        }
        if self.view.show != Show::default() {
            kept.push(("show", self.view.show.token().to_owned()));
        }
        kept.extend(self.view.axis.map(|axis| ("axis", axis.token().to_owned())));
        if self.ctx.lang_asked {
            kept.push(("lang", self.ctx.lang.to_string()));
        }
        PickerAddress {
            before: before.to_owned(),
            after: after.to_owned(),
            kept: kept.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    }

    /// The comparison without one of its series.
    pub(super) fn without(&self, index: usize) -> String {
        self.of(&without(&self.ids, index))
    }

    /// The comparison with another baseline.
    pub(super) fn with_baseline(&self, index: usize) -> String {
        let ids: Vec<String> =
            std::iter::once(self.ids[index].clone()).chain(without(&self.ids, index)).collect();
        self.of(&ids)
    }
}

fn without(ids: &[String], index: usize) -> Vec<String> {
    ids.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, id)| id.clone()).collect()
}

/// The address of the comparison of these results in one language.
pub(super) fn address(ids: &[String], view: View) -> String {
    let query = view.query();
    match (ids.is_empty(), query.strip_prefix('&')) {
        (true, None) => "/compare".to_owned(),
        (true, Some(view)) => format!("/compare?{view}"),
        (false, _) => format!("/compare?r={}{query}", ids.join(",")),
    }
}
