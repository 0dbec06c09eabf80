//! The pages that open files in the reader's browser: to read and compare them, and to publish one.
//!
//! Knows their words and what `static/js/open.js` finds in them. What a file shows is made by `crate::open`.

use crate::{
    pages::{Assets, PageContext},
    shell::{Head, Place, document},
    texts::{self, Open, Texts, Upload},
};
use leptos::{html, prelude::*};

/// The page that opens files.
#[must_use]
pub fn open(ctx: &PageContext) -> String {
    let Texts { open: texts, .. } = texts::of(ctx.lang);
    let head =
        Head { title: texts.title, description: texts.description, image: None, canonical: Some("/open") };
    document(ctx, &head, Place::Elsewhere, || {
        let points = texts.points.map(|point| view! { <li>{point}</li> }).collect_view();
        let commands = "cliffmark show FILE.cliffmark\ncliffmark verify FILE.cliffmark\n".to_owned();
        view! {
            <div id="intro">
                <h1>{texts.heading}</h1>
                <p class="lead">{texts.lead}</p>
                <ul>{points}</ul>
            </div>
            {desk(ctx, texts, None)}
            {instead(texts.needs_scripts, texts.on_the_command_line, commands)}
        }
    })
}

/// The page that publishes a file.
#[must_use]
pub fn upload(ctx: &PageContext) -> String {
    let Texts { open: opening, upload: texts, .. } = texts::of(ctx.lang);
    let head =
        Head { title: texts.title, description: texts.description, image: None, canonical: Some("/upload") };
    document(ctx, &head, Place::Elsewhere, || {
        let steps = texts.steps.map(|step| view! { <li>{step}</li> }).collect_view();
        let server = ctx.public_url.trim_end_matches('/');
        let commands =
            format!("cliffmark show FILE.cliffmark\ncliffmark upload FILE.cliffmark --server {server}\n");
        view! {
            <div id="intro">
                <h1>{texts.heading}</h1>
                <p class="lead">{texts.lead}</p>
                <ol class="steps">{steps}</ol>
                <p class="note">{texts.take_back}</p>
            </div>
            {desk(ctx, opening, Some(texts))}
            {instead(texts.needs_scripts, texts.on_the_command_line, commands)}
        }
    })
}

/// What scripts bring to life: the field for files, what is said of them, and the place where they are shown.
fn desk(ctx: &PageContext, texts: &'static Open, upload: Option<&'static Upload>) -> Option<AnyView> {
    let Assets {
        open_js: Some(script),
        desk_js: Some(module),
        desk_wasm: Some(wasm),
        chart_js: Some(chart),
        echarts_js: Some(library),
        ..
    } = ctx.assets.clone()
    else {
        return None;
    };
    let [choose, or_drop] = upload.map_or([texts.choose, texts.or_drop], |texts| texts.choose);
    let publish = upload.map(|texts| {
        html::p().class("actions").attr("id", "publish").attr("hidden", "").child((
            view! { <button type="button" class="primary">{texts.publish}</button> },
            view! { <a hidden>{texts.to_page}</a> },
        ))
    });
    // Texts that scripts put into the page are handed over as attributes: no script is written into it.
    let upload_texts = upload.map(|texts| {
        [texts.publishing, texts.published, texts.published_before, texts.server_refused, texts.not_sent]
            .join("\n")
    });
    let said = [
        texts.checking,
        texts.not_loaded,
        texts.not_read,
        texts.remove,
        texts.make_first,
        texts.baseline,
        texts.chart_failed,
    ]
    .join("\n");
    Some(
        view! {
            <div
                id="desk"
                class="desk"
                data-module=module
                data-wasm=wasm
                data-chart=chart
                data-library=library
                data-texts=said
                data-upload=upload_texts
            >
                <p class="drop">
                    <label for="files">{choose}</label>
                    " "
                    <input
                        id="files"
                        type="file"
                        accept=".cliffmark,application/zstd"
                        multiple=upload.is_none()
                        disabled
                    />
                    " "
                    <span class="note">{or_drop}</span>
                </p>
                <p id="said" role="status" aria-live="polite"></p>
                <div id="wrong" role="alert"></div>
                {publish}
                <section id="open-files" aria-labelledby="open-files-heading" hidden>
                    <h2 id="open-files-heading">{texts.files}</h2>
                    <ol class="chosen"></ol>
                </section>
                <div id="shown"></div>
                <script type="module" src=script></script>
            </div>
        }
        .into_any(),
    )
}

/// What can be done without this page, and what it needs.
fn instead(needs_scripts: &'static str, on_the_command_line: &'static str, commands: String) -> AnyView {
    view! {
        <noscript>
            <p class="care">{needs_scripts}</p>
        </noscript>
        <section id="instead">
            <p>{on_the_command_line}</p>
            <pre tabindex="0">
                <code>{commands}</code>
            </pre>
        </section>
    }
    .into_any()
}
