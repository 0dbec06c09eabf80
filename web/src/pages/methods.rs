//! The methods behind the figures, each with its parameters in words: what it shows, why, and what is not claimed.

use crate::{
    pages::{MethodData, MethodView, PageContext, list, rankings},
    parts::{column_heads, facts, scroll_table},
    shell::{Head, Place, document},
    texts::{self, Methods, Texts},
};
use leptos::prelude::*;
use model::{Method, MethodId, method::METHOD_VERSION};

/// The list of methods that results of this site were measured with.
#[must_use]
pub fn methods(ctx: &PageContext, methods: Vec<MethodView>) -> String {
    let Texts { methods: texts, .. } = texts::of(ctx.lang);
    let head =
        Head { title: texts.title, description: texts.description, image: None, canonical: Some("/methods") };
    document(ctx, &head, Place::Methods, move || {
        view! {
            <h1>{texts.title}</h1>
            <p class="lead">{texts.lead}</p>
            <h2>{texts.in_use}</h2>
            {table(ctx, methods)}
            <h2>{texts.how}</h2>
            <ol class="steps">{texts.steps.map(|step| view! { <li>{step}</li> }).collect_view()}</ol>
            <h2>{texts.not_claimed}</h2>
            {sentences(texts.limits.to_vec())}
            <h2>{texts.versions}</h2>
            <p>{(texts.version)(METHOD_VERSION)}</p>
        }
    })
}

fn sentences(sentences: Vec<&'static str>) -> AnyView {
    let items = sentences.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
    view! { <ul class="sentences">{items}</ul> }.into_any()
}

fn table(ctx: &PageContext, methods: Vec<MethodView>) -> AnyView {
    let Texts { methods: texts, measures, .. } = texts::of(ctx.lang);
    if methods.is_empty() {
        return view! { <p>{texts.nothing_yet}</p> }.into_any();
    }
    let [name, in_words, count] = texts.columns;
    let rows = methods
        .into_iter()
        .map(|MethodView { method, results }| {
            view! {
                <tr>
                    <th scope="row">
                        <strong>{method.method().label()}</strong>
                        <small>
                            <a href=ctx.href(&address(&method))>
                                <code>{method.to_string()}</code>
                            </a>
                        </small>
                    </th>
                    <td>{(measures.describe)(method.method())}</td>
                    <td class="number" data-title=count>
                        {results.to_string()}
                    </td>
                </tr>
            }
        })
        .collect_view();
    let head = column_heads([(name, false), (in_words, false), (count, true)]);
    scroll_table(texts.in_use, "cards methods", head, rows)
}

/// The path of a method's page.
pub(super) fn address(method: &MethodId) -> String {
    format!("/methods/{method}")
}

/// The page of one method: what it shows, its parameters in words and one by one, and its results.
#[must_use]
pub fn method(ctx: &PageContext, data: MethodData) -> String {
    let Texts { methods: texts, measures, .. } = texts::of(ctx.lang);
    let MethodData { view: MethodView { method: id, results: count }, ranked, results, next } = data;
    let method = id.method().clone();
    let (label, words, path) = (method.label(), (measures.describe)(&method), address(&id));
    let head = Head {
        title: &label,
        description: &words,
        image: None,
        canonical: (count > 0 && !ctx.path.contains("cursor=")).then_some(&path),
    };
    let (label, words) = (label.clone(), words.clone());
    document(ctx, &head, Place::Methods, move || {
        let parameters =
            (texts.facts)(&method).into_iter().chain([(texts.public_results, count.to_string())]);
        let parameters = parameters.map(|(name, value)| (name.to_owned(), value)).collect();
        let ranked = (!ranked.is_empty()).then(|| {
            view! {
                <h2>{texts.rankings}</h2>
                {rankings::links(ctx, measures, ranked.iter())}
            }
        });
        view! {
            <p class="kicker">{texts.kicker}</p>
            <h1>{label}</h1>
            <p class="lead">{words}</p>
            {(measures.data_warning)(method.data).map(|text| view! { <p class="care">{text}</p> })}
            {purpose(texts, &method)}
            <h2>{texts.parameters}</h2>
            {facts(parameters)}
            <h2>{texts.name}</h2>
            <p>
                <code class="digits">{id.to_string()}</code>
            </p>
            <p>{texts.name_note}</p>
            <p>{(texts.version)(METHOD_VERSION)}</p>
            {ranked}
            <h2>{texts.results}</h2>
            {if results.is_empty() {
                view! { <p>{texts.no_results}</p> }.into_any()
            } else {
                list::table(ctx, &results, None, next.is_none())
            }}
            {list::pager(next, texts.more)}
            <p>
                <a href=ctx.href("/methods")>{texts.all}</a>
            </p>
        }
    })
}

fn purpose(texts: &'static Methods, method: &Method) -> AnyView {
    let caveats = (texts.caveats)(method);
    let caveats = (!caveats.is_empty()).then(|| {
        view! {
            <h2>{texts.not_claimed}</h2>
            {sentences(caveats)}
        }
    });
    view! {
        <h2>{texts.why}</h2>
        {sentences((texts.reasons)(method))}
        {caveats}
    }
    .into_any()
}
