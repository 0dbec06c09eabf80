//! Writes the options of every chart over fixtures into a folder, one file per theme, width and number of
//! results, named `CHART-THEME-RESULTS-WIDTHxHEIGHT.json`, and the captions to standard error:
//! `cargo run -p cliffmark-charts --features fixtures --example options -- DIR`.

use cliffmark_charts::{Source, Style, Theme, draw, fixtures};
use model::{ResultDocument, chart_id::ChartId, labels::LabelKey};
use std::{env, error::Error, fs, io::Write, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = env::args().nth(1).ok_or("usage: options DIR")?;
    fs::create_dir_all(&dir)?;
    let eight = eight();
    for count in [1, 2, 8] {
        let documents = &eight[..count];
        let summaries: Vec<_> =
            (1..).zip(documents).map(|(number, document)| fixtures::summary(document, number)).collect();
        let sources: Vec<Source<'_>> =
            summaries.iter().zip(documents).map(|(summary, document)| Source { summary, document }).collect();
        for id in ChartId::ALL {
            for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
                for width in [380, 760, 1200] {
                    let font_family = "sans-serif".to_owned();
                    let Some(chart) = draw(id, &sources, &Style { theme, width, height: 0, font_family })
                    else {
                        return Err(format!("{id} has nothing to draw").into());
                    };
                    let file = format!("{id}-{name}-{count}-{width}x{}.json", chart.height);
                    fs::write(Path::new(&dir).join(file), chart.option.to_string())?;
                    if (width, name) == (760, "light") {
                        writeln!(
                            std::io::stderr(),
                            "{id} {count}: {}\n{}\n",
                            chart.caption,
                            chart.description
                        )?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Eight results: two that are equal but for cooling, a long name, a Japanese one, a failed and a void
/// cell, a fall from loop to loop, a simulated drive.
fn eight() -> Vec<ResultDocument> {
    let mut heatsink = fixtures::document("Samsung SSD 990 PRO 2TB", 1.0);
    heatsink.labels.insert(LabelKey::Cooling, "heatsink".to_owned());
    let mut bare = fixtures::document("Samsung SSD 990 PRO 2TB", 0.93);
    bare.labels.insert(LabelKey::Cooling, "none".to_owned());
    let bare = fixtures::with_loops(bare, 0, &[10_100, 9_900, 8_700, 7_200, 6_050, 6_010], 1.0);
    vec![
        heatsink,
        bare,
        fixtures::document(
            "WD_BLACK SN850X 2000GB with a very long name that its maker was proud of, heatsink edition",
            0.98,
        ),
        fixtures::document("キオクシア EXCERIA PRO 2TB", 0.9),
        fixtures::with_failed(fixtures::document("Crucial T500 CT2000T500SSD8", 0.88), 1),
        fixtures::with_void(fixtures::document("{b} <b>$&</b> __proto__", 0.5), 4),
        fixtures::simulated(fixtures::document("sim:qlc", 0.3)),
        fixtures::document("Samsung SSD 860 QVO 4TB", 0.08),
    ]
}
