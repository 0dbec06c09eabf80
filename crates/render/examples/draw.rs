//! Draws an ECharts option from standard input into a file, SVG or PNG by the file's ending:
//! `cargo run -p cliffmark-render --example draw -- chart.png 800 450 < option.json`.

use cliffmark_render::{Renderer, SvgRequest, png};
use std::{env, error::Error, fs, io, num::NonZeroUsize};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [file, width, height] = &arguments[..] else {
        return Err("usage: draw FILE.svg|FILE.png WIDTH HEIGHT < option.json".into());
    };
    let request = SvgRequest {
        option_json: io::read_to_string(io::stdin())?,
        width: width.parse()?,
        height: height.parse()?,
        title: "A chart".to_owned(),
        description: String::new(),
        background: Some("#ffffff".to_owned()),
    };
    let svg = Renderer::start(NonZeroUsize::MIN)?.svg(request)?;
    if file.ends_with(".png") {
        fs::write(file, png(&svg, 2)?)?
    } else {
        fs::write(file, svg)?
    }
    Ok(())
}
