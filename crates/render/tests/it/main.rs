//! Pictures as a caller gets them: what they show, what they never hold, and what is refused.

use cliffmark_render::{
    ECHARTS_JS, ECHARTS_VERSION, FONT_FAMILY, MAX_SIDE, RenderError, Renderer, SvgRequest, png,
};
use resvg::{tiny_skia::Pixmap, usvg::roxmltree::Document};
use serde_json::{Value, json};
use std::{num::NonZeroUsize, sync::LazyLock};

static RENDERER: LazyLock<Renderer> = LazyLock::new(|| Renderer::start(NonZeroUsize::MIN).unwrap());

/// Texts that mean something to a language on the way from an option to a picture.
const HOSTILE: [&str; 12] = [
    "</script><script>alert(1)</script>",
    "#*#*#*#alert(1)#*#*#*#",
    "\"'`${alert(1)}\\",
    "line\u{2028}separator\u{2029}s",
    "]]><!-- --><![CDATA[ &amp; &#x0;",
    "\u{202E}right to left\u{200F}",
    "nul\u{0}bell\u{7}escape\u{1B}nonchar\u{FFFE}",
    "{a} {b|c} {c}",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "toString",
];

fn request(option: &Value) -> SvgRequest {
    SvgRequest {
        option_json: option.to_string(),
        width: 600,
        height: 300,
        title: "Sequential read".to_owned(),
        description: "Drive A reads at 3,512 MB/s.".to_owned(),
        background: Some("#ffffff".to_owned()),
    }
}

fn draw(option: &Value) -> Result<String, RenderError> {
    RENDERER.svg(request(option))
}

fn bars(title: &str, names: &[&str]) -> Value {
    json!({
        "title": { "text": title },
        "legend": { "top": 30 },
        "xAxis": { "type": "category", "data": names },
        "yAxis": { "type": "value", "name": "MB/s" },
        "series": [{ "type": "bar", "name": "read", "data": vec![3512; names.len()], "label": { "show": true } }],
    })
}

/// All drawn texts.
fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let drawn = document.descendants().filter(|node| node.tag_name().name() == "text");
    drawn.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

fn pixels(svg: &str) -> Pixmap {
    Pixmap::decode_png(&png(svg, 1).unwrap()).unwrap()
}

#[test]
fn a_bar_chart_says_what_it_was_given() {
    let svg = draw(&bars("Throughput", &["SEQ1M Q8T1", "SEQ1M Q1T1"])).unwrap();
    let texts = texts(&svg);
    for wanted in ["Throughput", "SEQ1M Q8T1", "SEQ1M Q1T1", "MB/s", "read", "3512", "4,000"] {
        assert!(texts.iter().any(|text| text == wanted), "{wanted} is missing in {texts:?}");
    }
    assert!(svg.contains(&format!("font-family=\"{FONT_FAMILY}, sans-serif\"")));
    assert!(svg.contains("<desc id=") && svg.contains("Drive A reads at 3,512 MB/s."));
}

#[test]
fn equal_requests_give_equal_bytes_and_different_ones_share_no_id() {
    let option = json!({
        "xAxis": {}, "yAxis": {}, "aria": { "enabled": true, "decal": { "show": true } },
        "series": [{ "type": "bar", "data": [[1, 2], [2, 3]] }],
    });
    let other = Renderer::start(NonZeroUsize::new(2).unwrap()).unwrap();
    let first = draw(&option).unwrap();
    assert_eq!(first, draw(&option).unwrap());
    assert_eq!(first, other.svg(request(&option)).unwrap());
    assert_eq!(png(&first, 2).unwrap(), png(&first, 2).unwrap());

    let ids = |svg: &str| -> Vec<String> {
        let document = Document::parse(svg).unwrap();
        document.descendants().filter_map(|node| node.attribute("id").map(str::to_owned)).collect()
    };
    let second = RENDERER.svg(SvgRequest { width: 601, ..request(&option) }).unwrap();
    assert!(ids(&first).len() == 3, "{:?}", ids(&first));
    assert!(ids(&first).iter().all(|id| !ids(&second).contains(id)));
}

#[test]
fn hostile_names_stay_text() {
    for hostile in HOSTILE {
        let mut option = bars(hostile, &[hostile]);
        option["series"][0]["name"] = hostile.into();
        let svg = RENDERER
            .svg(SvgRequest {
                title: hostile.to_owned(),
                description: hostile.to_owned(),
                ..request(&option)
            })
            .unwrap();

        let legal: String =
            hostile.chars().filter(|char| !matches!(char, '\0' | '\u{7}' | '\u{1B}' | '\u{FFFE}')).collect();
        let drawn = texts(&svg);
        assert!(drawn.iter().filter(|text| **text == legal).count() >= 3, "{legal:?} is not in {drawn:?}");
        let document = Document::parse(&svg).unwrap();
        for name in ["title", "desc"] {
            let node = document.descendants().find(|node| node.tag_name().name() == name).unwrap();
            assert_eq!(node.text(), Some(legal.as_str()));
        }
        assert!(!svg.contains("<script") && !svg.contains("<![CDATA"), "{svg}");
        png(&svg, 1).unwrap();
    }
}

#[test]
fn a_lone_surrogate_is_replaced() {
    let option_json = r#"{"title":{"text":"a\ud800b"}}"#.to_owned();
    let svg = RENDERER.svg(SvgRequest { option_json, ..request(&json!({})) }).unwrap();
    assert_eq!(texts(&svg), ["a\u{FFFD}b"]);
}

#[test]
fn nonsense_is_an_error_and_the_next_picture_is_well() {
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for nonsense in ["", "{", "null", "[]", "7", "alert(1)", "{}; while (true) {}", &nested] {
        let drawn = RENDERER.svg(SvgRequest { option_json: nonsense.to_owned(), ..request(&json!({})) });
        assert!(
            matches!(drawn, Err(RenderError::Option { .. })),
            "{}: {drawn:?}",
            &nonsense[..nonsense.len().min(30)]
        );
    }
    for nonsense in [
        json!({ "series": [{ "type": "nothing of ECharts", "data": [1] }] }),
        json!({ "series": [{ "type": "bar", "data": [1] }] }),
        json!({ "xAxis": {}, "yAxis": {}, "series": [{ "type": "custom", "renderItem": "alert(1)", "data": [1] }] }),
    ] {
        let drawn = draw(&nonsense);
        assert!(matches!(drawn, Err(RenderError::Option { .. })), "{nonsense}: {drawn:?}");
    }
    draw(&bars("fine", &["a"])).unwrap();
}

#[test]
fn a_picture_that_would_load_another_file_is_refused() {
    for symbol in ["image://https://a.example/x.png", "image://data:image/png;base64,AAAA"] {
        let mut option = bars("t", &["a"]);
        option["series"][0] = json!({ "type": "scatter", "symbol": symbol, "data": [1] });
        let drawn = draw(&option);
        assert!(matches!(drawn, Err(RenderError::Foreign { .. })), "{drawn:?}");
    }
}

#[test]
fn sizes_out_of_range_are_refused() {
    for (width, height) in [(0, 100), (100, 0), (MAX_SIDE + 1, 100)] {
        let drawn = RENDERER.svg(SvgRequest { width, height, ..request(&json!({})) });
        assert!(matches!(drawn, Err(RenderError::Size { .. })), "{width} x {height}: {drawn:?}");
    }
    let svg = RENDERER.svg(SvgRequest { width: MAX_SIDE, height: MAX_SIDE, ..request(&json!({})) }).unwrap();
    assert!(matches!(png(&svg, 2), Err(RenderError::Pixels { .. })));
    assert!(matches!(png(&svg, 0), Err(RenderError::Scale(0))));
    assert!(matches!(png(&svg, 4), Err(RenderError::Scale(4))));
    assert!(matches!(png("<html/>", 1), Err(RenderError::Malformed { .. })));
}

#[test]
fn a_png_is_as_large_as_its_scale_says() {
    let svg = draw(&bars("t", &["a"])).unwrap();
    let picture = Pixmap::decode_png(&png(&svg, 3).unwrap()).unwrap();
    assert_eq!((picture.width(), picture.height()), (1800, 900));
}

#[test]
fn text_is_drawn_in_a_png_with_the_fonts_of_this_crate() {
    let with = pixels(&draw(&bars("Throughput", &["a"])).unwrap());
    let without = pixels(&draw(&bars("", &["a"])).unwrap());
    assert_ne!(with, without);

    // A family that nobody has falls back to ours and does not vanish.
    let title = |text: &str, family: &str| {
        let option = json!({ "title": { "text": text, "textStyle": { "fontFamily": family } } });
        pixels(&draw(&option).unwrap())
    };
    let blank = title("", FONT_FAMILY);
    assert_ne!(title("A", "A font of nobody"), blank);

    // A kanji outside the subset is an empty box. Kana are not, and differ from each other.
    let drawn = ["\u{9F8D}", "か", "カ", "ナ", "µ"].map(|text| title(text, FONT_FAMILY));
    for (index, one) in drawn.iter().enumerate() {
        assert_ne!(*one, blank);
        assert!(drawn[index + 1..].iter().all(|other| one != other), "picture {index} is there twice");
    }
}

#[test]
fn the_script_for_browsers_is_the_one_drawn_with() {
    assert!(ECHARTS_JS.contains(&format!("version=\"{ECHARTS_VERSION}\"")));
    assert!(!ECHARTS_JS.contains("export function draw"));
}
