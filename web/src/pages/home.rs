//! The list of results, what the site is in two sentences, and how to add a result to it.

use crate::{
    pages::{HomeData, ListQueryView, PageContext, list},
    shell::{Head, Place, document},
    texts::{self, Texts},
};
use leptos::prelude::*;

/// The home page.
#[must_use]
pub fn home(ctx: &PageContext, data: HomeData) -> String {
    let Texts { home: texts, .. } = texts::of(ctx.lang);
    let searching = !data.query.q.is_empty() || !data.query.suite.is_empty();
    let head = Head {
        title: if searching { texts.search_title } else { "" },
        description: texts.description,
        image: None,
        canonical: (!searching && ctx.path == "/").then_some("/"),
    };
    let server = ctx.public_url.trim_end_matches('/').to_owned();
    document(ctx, &head, Place::Results, move || {
        let [drives, rankings, methods] = texts.ways;
        view! {
            <section class="hero">
                <h1>{texts.heading}</h1>
                <p class="lead">{texts.lead}</p>
                <ul class="ways">
                    <li>
                        <a href=ctx.href("/drives")>{drives}</a>
                    </li>
                    <li>
                        <a href=ctx.href("/rankings")>{rankings}</a>
                    </li>
                    <li>
                        <a href=ctx.href("/methods")>{methods}</a>
                    </li>
                </ul>
            </section>
            {results(ctx, data)}
            <section id="measure" aria-labelledby="measure-heading">
                <h2 id="measure-heading">{texts.measure_heading}</h2>
                <p>{texts.measure_note}</p>
                <pre tabindex="0">
                    <code>
                        {format!(
                            "cliffmark run /mnt/drive --suite cdm --out drive.cliffmark\ncliffmark show drive.cliffmark\ncliffmark upload drive.cliffmark --server {server}\n",
                        )}
                    </code>
                </pre>
            </section>
        }
    })
}

fn results(ctx: &PageContext, data: HomeData) -> AnyView {
    let Texts { home: texts, measures, .. } = texts::of(ctx.lang);
    let HomeData { results, query, next, total } = data;
    let searching = !query.q.is_empty() || !query.suite.is_empty();
    let heading = if searching { texts.found } else { texts.latest };
    let body = if results.is_empty() {
        empty(ctx, searching)
    } else {
        view! {
            <p class="note">{(measures.results)(total)}</p>
            {list::table(ctx, &results, Some(&query), next.is_none())}
        }
        .into_any()
    };
    view! {
        <section id="results" aria-labelledby="results-heading">
            <h2 id="results-heading">{heading}</h2>
            {search_form(ctx, &query)}
            {body}
            {list::pager(next, texts.more)}
        </section>
    }
    .into_any()
}

/// The field that searches the list of results.
pub(super) fn search_form(ctx: &PageContext, query: &ListQueryView) -> AnyView {
    let Texts { home: texts, .. } = texts::of(ctx.lang);
    let ListQueryView { q, sort, suite } = query.clone();
    view! {
        <form class="search" action="/" method="get" role="search">
            <label for="q">{texts.search}</label>
            <input id="q" name="q" type="search" maxlength="200" value=q placeholder=texts.placeholder />
            {hidden("sort", sort)}
            {hidden("suite", suite)}
            {hidden_lang(ctx)}
            <button type="submit">{texts.search}</button>
        </form>
    }
    .into_any()
}

/// A value that a form keeps; nothing for none.
pub(super) fn hidden(name: &'static str, value: String) -> AnyView {
    (!value.is_empty()).then(|| view! { <input type="hidden" name=name value=value /> }).into_any()
}

/// A form leads to a page in the language that this one was asked for in.
pub(super) fn hidden_lang(ctx: &PageContext) -> AnyView {
    hidden("lang", if ctx.lang_asked { ctx.lang.token().to_owned() } else { String::new() })
}

fn empty(ctx: &PageContext, searching: bool) -> AnyView {
    let Texts { home: texts, .. } = texts::of(ctx.lang);
    let ([before, link, behind], href) = if searching {
        (texts.nothing_found, ctx.href("/"))
    } else {
        (texts.nothing_yet, "#measure".to_owned())
    };
    view! { <p class="empty">{before}<a href=href>{link}</a>{behind}</p> }.into_any()
}
