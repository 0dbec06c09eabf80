//! The frame around every page: head, header, navigation, footer and the one script tag.
//!
//! No inline script, no inline style: the pages' content security policy allows neither.

use crate::{
    pages::{Assets, PageContext},
    texts::{self, Texts},
};
use leptos::{html, prelude::*};
use model::lang::Lang;

/// What stands in a page's head besides the assets.
pub(crate) struct Head<'a> {
    /// Title without the site's name.
    pub(crate) title: &'a str,
    /// One or two sentences for search engines and cards.
    pub(crate) description: &'a str,
    /// Picture for cards: path of a PNG on this site, `None` when the page has no chart.
    pub(crate) image: Option<&'a str>,
    /// Path and query by which the page wants to be known; `None` keeps it out of indexes.
    pub(crate) canonical: Option<&'a str>,
}

/// Which entry of the navigation is the current page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Results,
    Compare,
    Methods,
    About,
    Elsewhere,
}

/// Stands in the context of what is shown of files that a reader opened, where no server has an answer.
#[derive(Clone, Copy)]
struct FromFiles;

/// Whether what is being written is of files that a reader opened.
pub(crate) fn from_files() -> bool {
    use_context::<FromFiles>().is_some()
}

/// The whole document around `main`; of opened files `main` alone.
pub(crate) fn document<V: IntoView + 'static>(
    ctx: &PageContext,
    head: &Head<'_>,
    place: Place,
    main: impl FnOnce() -> V,
) -> String {
    let Texts { shell: texts, .. } = texts::of(ctx.lang);
    if ctx.from_files {
        return Owner::new().with(|| {
            provide_context(FromFiles);
            main().into_any().to_html()
        });
    }
    let html = Owner::new().with(|| {
        let body = main().into_any();
        view! {
            <html lang=ctx.lang.token()>
                {head_view(ctx, head)}
                <body>
                    <a class="skip" href="#main">{texts.skip}</a>
                    {header_view(ctx, place)}
                    <main id="main" tabindex="-1">
                        {body}
                    </main>
                    {footer_view(ctx)}
                </body>
            </html>
        }
        .to_html()
    });
    format!("<!DOCTYPE html>\n{html}\n")
}

fn head_view(ctx: &PageContext, head: &Head<'_>) -> AnyView {
    let base = ctx.public_url.trim_end_matches('/').to_owned();
    let absolute = |path: &str| format!("{base}{path}");
    let title = if head.title.is_empty() {
        texts::of(ctx.lang).shell.site_title.to_owned()
    } else {
        format!("{} · Cliffmark", head.title)
    };
    let description = head.description.to_owned();
    let image = head.image.map(absolute);
    let canonical = head.canonical.map(absolute);
    let Assets { css, favicon, .. } = &ctx.assets;
    view! {
        <head>
            <meta charset="utf-8" />
            <title>{title.clone()}</title>
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            <meta name="description" content=description.clone() />
            {og("og:site_name", "Cliffmark")}
            {og("og:type", "article")}
            {og("og:title", title)}
            {og("og:description", description)}
            {match &canonical {
                Some(url) => {
                    view! {
                        <link rel="canonical" href=url.clone() />
                        {og("og:url", url.clone())}
                    }
                        .into_any()
                }
                None => view! { <meta name="robots" content="noindex" /> }.into_any(),
            }}
            {image
                .map(|url| {
                    view! {
                        {og("og:image", url)}
                        <meta name="twitter:card" content="summary_large_image" />
                    }
                })}
            <link rel="stylesheet" href=css.clone() />
            {favicon.clone().map(|href| view! { <link rel="icon" type="image/svg+xml" href=href /> })}
            {boot_view(&ctx.assets)}
        </head>
    }
    .into_any()
}

/// A property of the Open Graph protocol, which cards of other sites read.
fn og(property: &'static str, content: impl Into<String>) -> AnyView {
    html::meta().attr("property", property).content(content.into()).into_any()
}

/// The script tag that starts the islands, when all its parts were built.
fn boot_view(assets: &Assets) -> Option<AnyView> {
    let Assets { boot_js: Some(boot), app_js: Some(app), app_wasm: Some(wasm), .. } = assets.clone() else {
        return None;
    };
    Some(
        view! {
            <link rel="modulepreload" href=app.clone() />
            <script type="module" id="boot" src=boot data-app=app data-wasm=wasm></script>
        }
        .into_any(),
    )
}

fn header_view(ctx: &PageContext, place: Place) -> AnyView {
    let Texts { shell: texts, .. } = texts::of(ctx.lang);
    let entries = [
        (Place::Results, "/", texts.results),
        (Place::Compare, "/compare", texts.compare),
        (Place::Methods, "/methods", texts.methods),
        (Place::About, "/about", texts.about),
    ]
    .map(|(entry, address, text)| (entry, ctx.href(address), text));
    view! {
        <header class="site">
            <a class="brand" href=ctx.href("/")>
                <svg viewBox="0 0 32 20" width="32" height="20" aria-hidden="true" focusable="false">
                    <path d="M1 4h14l4 12h12" fill="none" stroke="currentColor" stroke-width="3"></path>
                </svg>
                "Cliffmark"
            </a>
            <nav aria-label=texts.site>
                <ul>
                    {entries
                        .map(|(entry, href, text)| {
                            let current = (entry == place).then_some("page");
                            view! {
                                <li>
                                    <a href=href aria-current=current>
                                        {text}
                                    </a>
                                </li>
                            }
                        })}
                </ul>
            </nav>
        </header>
    }
    .into_any()
}

fn footer_view(ctx: &PageContext) -> AnyView {
    let Texts { shell: texts, open, upload, .. } = texts::of(ctx.lang);
    let [promise, bytes] = texts.promise;
    let languages = Lang::ALL
        .map(|lang| {
            let current = (lang == ctx.lang).then_some("true");
            view! {
                <li>
                    <a href=ctx.here_in(lang) lang=lang.token() hreflang=lang.token() aria-current=current>
                        {lang.name()}
                    </a>
                </li>
            }
        })
        .collect_view();
    view! {
        <footer class="site">
            <p>
                {promise}<sup>"6"</sup>{bytes}<a href=ctx.href("/methods")>{texts.methods}</a>" · "
                <a href=ctx.href("/open")>{open.title}</a>" · "<a href=ctx.href("/upload")>{upload.title}</a>" · "
                <a href=ctx.href("/about")>{texts.about}</a>" · "<a href="/api/openapi.json">"API"</a>
            </p>
            <nav aria-label=texts.language>
                <ul class="languages">{languages}</ul>
            </nav>
        </footer>
    }
    .into_any()
}
