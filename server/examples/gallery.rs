//! Draws every chart over bundles into a folder: PNGs in both themes and two widths, for one result and for up to eight,
//! and a page `index.html` with all of them and their words:
//! `cargo run -p cliffmark-server --example gallery -- DIR FILE.cliffmark...`.
//!
//! A chart is drawn of the bundles that have data for it, in the order they are given.

use charts::{Chart, Source, Style, Theme, View, draw};
use model::{ResultDocument, chart_id::ChartId, summary::ResultSummary};
use render::{Renderer, SvgRequest, png};
use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
};

const WIDTHS: [u32; 2] = [380, 1200];
const MOST_SERIES: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().ok_or("usage: gallery DIR FILE.cliffmark...")?;
    fs::create_dir_all(&folder)?;
    let mut results = Vec::new();
    for file in arguments {
        let verified =
            bundle::open(&fs::read(&file)?).map_err(|error| format!("{}: {error}", file.display()))?;
        let document = verified.document().clone();
        let summary = analysis::summary::summarise(&document, verified.id(), verified.key());
        results.push((summary, document));
    }
    let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let renderer = Renderer::start(threads)?;
    let mut page = String::from(HEAD);
    for id in ChartId::ALL {
        let having: Vec<&(ResultSummary, ResultDocument)> = results
            .iter()
            .filter(|(summary, document)| {
                draw(id, &[Source { summary, document }], &style(Theme::Light, 760)).is_some()
            })
            .take(MOST_SERIES)
            .collect();
        let _ = write!(page, "<h2 id=\"{id}\">{id}</h2>");
        if having.is_empty() {
            page.push_str("<p><strong>No bundle has data for it.</strong></p>");
        }
        let counts = if having.len() > 1 { vec![1, having.len()] } else { vec![having.len()] };
        for count in counts.into_iter().filter(|count| *count > 0) {
            let sources: Vec<Source<'_>> =
                having[..count].iter().map(|(summary, document)| Source { summary, document }).collect();
            page.push_str(&drawn(id, &sources, &renderer, &folder)?);
        }
    }
    fs::write(folder.join("index.html"), page)?;
    Ok(())
}

fn style(theme: Theme, width: u32) -> Style {
    Style { theme, width, height: 0, font_family: "sans-serif".to_owned(), view: View::default() }
}

/// One chart in both themes and all widths, as a part of the page.
fn drawn(
    id: ChartId,
    sources: &[Source<'_>],
    renderer: &Renderer,
    folder: &Path,
) -> Result<String, Box<dyn Error>> {
    let mut part = String::new();
    for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        for width in WIDTHS {
            let chart = draw(id, sources, &style(theme, width))
                .ok_or("one result has data, and several have none")?;
            if part.is_empty() {
                let _ = write!(part, "<p>{}</p>", escaped(&chart.caption));
            }
            let file = format!("{id}-{}-{name}-{width}.png", sources.len());
            fs::write(folder.join(&file), picture(&chart, width, renderer)?)?;
            let description = escaped(&chart.description);
            let _ = write!(
                part,
                "<img src=\"{file}\" width=\"{width}\" height=\"{}\" alt=\"{description}\">",
                chart.height
            );
        }
    }
    Ok(part)
}

fn picture(chart: &Chart, width: u32, renderer: &Renderer) -> Result<Vec<u8>, Box<dyn Error>> {
    let svg = renderer.svg(SvgRequest {
        option_json: chart.option.to_string(),
        width,
        height: chart.height,
        title: chart.title.clone(),
        description: chart.description.clone(),
        background: None,
    })?;
    Ok(png(&svg, 1)?)
}

/// Names in captions are uploaders' texts.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

const HEAD: &str = "<!doctype html><meta charset=\"utf-8\"><title>Charts</title>\
    <style>body{font:16px sans-serif;margin:2em;max-width:80em}img{display:block;margin:1em 0;max-width:100%}</style>\
    <h1>Charts</h1>";
