//! Writes ECharts's SVG anew as one that may be published: named, self-contained and free of style sheets.
//!
//! Nothing is copied that is not on the lists below, so there is no script, no event handler, no reference
//! to another file, and nothing that a strict content security policy would refuse, even inside a page.
//! What is on no list is an error rather than left out: the picture would be another than the one drawn.

use crate::{RenderError, SvgRequest};
use resvg::usvg::roxmltree::{Document, Node, NodeType};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Elements that ECharts draws with.
#[rustfmt::skip]
const ELEMENTS: [&str; 18] = [
    "circle", "clipPath", "defs", "ellipse", "feDropShadow", "filter", "g", "line", "linearGradient", "path",
    "pattern", "polygon", "polyline", "radialGradient", "rect", "stop", "text", "tspan",
];

/// Attributes that ECharts draws with.
#[rustfmt::skip]
const ATTRIBUTES: [&str; 58] = [
    "clip-path", "clipPathUnits", "cx", "cy", "d", "dominant-baseline", "dx", "dy", "fill", "fill-opacity",
    "fill-rule", "filter", "flood-color", "flood-opacity", "font-family", "font-size", "font-style",
    "font-weight", "fx", "fy", "gradientTransform", "gradientUnits", "height", "id", "offset", "opacity",
    "paint-order", "patternContentUnits", "patternTransform", "patternUnits", "points", "r", "rx", "ry",
    "space", "spreadMethod", "stdDeviation", "stop-color", "stop-opacity", "stroke", "stroke-dasharray",
    "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "stroke-opacity",
    "stroke-width", "text-anchor", "transform", "vector-effect", "visibility", "width", "x", "x1", "x2", "y",
    "y1", "y2",
];

/// A picture's elements nest a handful deep; more is an attack on whoever reads it.
const MAX_DEPTH: usize = 32;

/// The SVG to publish, from what ECharts drew for this request.
pub(crate) fn publish(raw: &str, request: &SvgRequest) -> Result<String, RenderError> {
    // ECharts escapes markup and lets through control characters, which XML cannot hold in any form.
    let raw: String = raw.chars().filter(|&char| is_xml(char)).collect();
    let document =
        Document::parse(&raw).map_err(|error| RenderError::Malformed { reason: error.to_string() })?;

    let mut writer = Writer { out: String::with_capacity(raw.len()), prefix: id_prefix(request) };
    writer.open(request)?;
    for child in document.root_element().children() {
        writer.node(child, 0)?;
    }
    writer.out.push_str("</svg>\n");
    Ok(writer.out)
}

struct Writer {
    out: String,
    prefix: String,
}

impl Writer {
    fn open(&mut self, request: &SvgRequest) -> Result<(), RenderError> {
        let SvgRequest { width, height, title, description, background, .. } = request;
        let prefix = self.prefix.clone();
        let described = if description.is_empty() { String::new() } else { format!(" {prefix}desc") };
        self.push(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{prefix}title{described}\">"
        ));
        self.push(format_args!("<title id=\"{prefix}title\">{}</title>", escape(title)));
        if !description.is_empty() {
            self.push(format_args!("<desc id=\"{prefix}desc\">{}</desc>", escape(description)));
        }
        if let Some(colour) = background {
            self.out.push_str("<rect width=\"100%\" height=\"100%\"");
            self.attribute("fill", colour)?;
            self.out.push_str("/>");
        }
        Ok(())
    }

    fn node(&mut self, node: Node<'_, '_>, depth: usize) -> Result<(), RenderError> {
        match node.node_type() {
            NodeType::Element => self.element(node, depth),
            NodeType::Text => {
                // ECharts breaks the line between elements; only a text's own characters are seen.
                if node.parent().is_some_and(|parent| matches!(parent.tag_name().name(), "text" | "tspan")) {
                    self.out.push_str(&escape(node.text().unwrap_or_default()));
                }
                Ok(())
            }
            NodeType::Root | NodeType::Comment | NodeType::PI => Ok(()),
        }
    }

    fn element(&mut self, node: Node<'_, '_>, depth: usize) -> Result<(), RenderError> {
        let name = node.tag_name().name();
        // ECharts's style sheets only colour what a mouse is over.
        if name == "style" {
            return Ok(());
        }
        if !ELEMENTS.contains(&name) {
            return Err(foreign("the element", name));
        }
        if depth == MAX_DEPTH {
            return Err(foreign("elements nested too deep below", name));
        }
        self.push(format_args!("<{name}"));
        for attribute in node.attributes() {
            match attribute.name() {
                // Classes belong to the style sheets; the others tell ECharts in a browser what is what.
                "class" => {}
                name if name.starts_with("ecmeta_") => {}
                "style" => self.style(attribute.value())?,
                name => self.attribute(name, attribute.value())?,
            }
        }
        if !node.has_children() {
            self.out.push_str("/>");
            return Ok(());
        }
        self.out.push('>');
        for child in node.children() {
            self.node(child, depth + 1)?;
        }
        self.push(format_args!("</{name}>"));
        Ok(())
    }

    /// Writes the fonts of an inline style as attributes.
    fn style(&mut self, style: &str) -> Result<(), RenderError> {
        for (name, value) in style.split(';').filter_map(|part| part.split_once(':')) {
            match (name.trim(), value.trim()) {
                ("font", value) => self.font(value)?,
                (name @ ("font-size" | "font-family" | "font-style" | "font-weight"), value) => {
                    self.attribute(name, value)?;
                }
                ("cursor", _) => {}
                (name, _) => return Err(foreign("the style", name)),
            }
        }
        Ok(())
    }

    /// Writes a CSS font, `normal bold 18px Noto Sans JP, sans-serif`, as attributes.
    fn font(&mut self, font: &str) -> Result<(), RenderError> {
        let mut rest = font;
        while let Some((word, after)) = rest.split_once(' ') {
            rest = after;
            match word {
                "normal" => {}
                "italic" | "oblique" => self.attribute("font-style", word)?,
                size if size.ends_with("px") => {
                    self.attribute("font-size", size)?;
                    break;
                }
                weight => self.attribute("font-weight", weight)?,
            }
        }
        self.attribute("font-family", rest)
    }

    fn attribute(&mut self, name: &str, value: &str) -> Result<(), RenderError> {
        if !ATTRIBUTES.contains(&name) {
            return Err(foreign("the attribute", name));
        }
        // These values are read as CSS, where `url` may also be written with a backslash.
        let folded = value.to_ascii_lowercase();
        if value.contains('\\') || folded.matches("url(").count() != folded.matches("url(#").count() {
            return Err(foreign("a reference", value));
        }
        // The only attribute of a namespace keeps the blanks of a label.
        let name = if name == "space" { "xml:space" } else { name };
        // A second one is no XML. Quotes and brackets are escaped, so this finds names only.
        let tag = self.out.rfind('<').map_or("", |start| &self.out[start..]);
        if tag.contains(&format!(" {name}=\"")) {
            return Err(foreign("a second attribute", name));
        }
        let value = match name {
            "id" => value.replacen("zr0-", &self.prefix, 1),
            _ => value.replace("url(#zr0-", &format!("url(#{}", self.prefix)),
        };
        self.push(format_args!(" {name}=\"{}\"", escape(&value)));
        Ok(())
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.write_fmt(text).expect("writing to a string cannot fail");
    }
}

/// What ids of this picture begin with, so that two pictures in one page do not share a gradient.
fn id_prefix(request: &SvgRequest) -> String {
    let SvgRequest { option_json, width, height, title, description, background } = request;
    let mut hash = Sha256::new();
    for part in [option_json, title, description, background.as_deref().unwrap_or_default()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.update(width.to_le_bytes());
    hash.update(height.to_le_bytes());
    hash.finalize()[..6].iter().fold("c".to_owned(), |prefix, byte| format!("{prefix}{byte:02x}")) + "-"
}

fn foreign(what: &str, name: &str) -> RenderError {
    RenderError::Foreign { what: format!("{what} `{}`", name.chars().take(80).collect::<String>()) }
}

/// Text for between tags or quotes; what XML cannot hold is left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars().filter(|&char| is_xml(char)) {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            char => out.push(char),
        }
    }
    out
}

/// Whether XML allows a character in a document.
///
/// Source: Extensible Markup Language (XML) 1.0, fifth edition, production 2 `Char`.
fn is_xml(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publish_inner(inner: &str) -> Result<String, RenderError> {
        let raw = format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{inner}</svg>"#);
        let request = SvgRequest {
            option_json: inner.to_owned(),
            width: 10,
            height: 20,
            title: "<T> & \u{1}\"t\"".to_owned(),
            description: String::new(),
            background: Some("#fff".to_owned()),
        };
        publish(&raw, &request)
    }

    #[test]
    fn the_frame_is_named_and_sized() {
        let svg = publish_inner("").unwrap();
        let document = Document::parse(&svg).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("viewBox"), Some("0 0 10 20"));
        assert_eq!(root.attribute("role"), Some("img"));
        let title = root.first_element_child().unwrap();
        assert_eq!(title.text(), Some("<T> & \"t\""));
        assert_eq!(root.attribute("aria-labelledby"), title.attribute("id"));
        assert_eq!(root.last_element_child().unwrap().attribute("fill"), Some("#fff"));
    }

    #[test]
    fn what_could_act_or_load_is_refused() {
        for inner in [
            "<script>1</script>",
            "<foreignObject/>",
            "<image href=\"http://a.example/x\"/>",
            "<use href=\"#a\"/>",
            "<g onclick=\"x()\"/>",
            "<path fill=\"url(//a.example/#p)\"/>",
            "<path fill=\"URL(//a.example/#p)\"/>",
            "<path fill=\"url(#p) url(//a.example/#p)\"/>",
            "<text style=\"background:red\">x</text>",
            "<path fill=\"u\\72l(//a.example/#p)\"/>",
            "<text style=\"font-size:1px;font-size:2px\">x</text>",
            "<text style=\"font-family:url(//a.example/f)\">x</text>",
        ] {
            assert!(matches!(publish_inner(inner), Err(RenderError::Foreign { .. })), "{inner}");
        }
        assert!(matches!(publish_inner(&"<g>".repeat(9)), Err(RenderError::Malformed { .. })));
        let deep = "<g>".repeat(MAX_DEPTH + 1) + &"</g>".repeat(MAX_DEPTH + 1);
        assert!(matches!(publish_inner(&deep), Err(RenderError::Foreign { .. })));
    }

    #[test]
    fn ids_are_this_pictures_own_and_styles_become_attributes() {
        let svg = publish_inner(
            "<style>.zr0-cls-0:hover{fill:red}</style>\n<defs><linearGradient id=\"zr0-g0\"/></defs>\
             <path class=\"zr0-cls-0\" ecmeta_data_index=\"1\" fill=\"url(#zr0-g0)\"/>\
             <text xml:space=\"preserve\" style=\"font: italic bold 18px A B, c\"> zr0-x </text>\
             <text style=\"font-size:12px;font-family:A B, c;cursor:pointer\">t</text>",
        )
        .unwrap();
        assert!(
            !svg.contains("zr0-g")
                && !svg.contains(" style=")
                && !svg.contains("<style")
                && !svg.contains("ecmeta"),
            "{svg}"
        );
        let document = Document::parse(&svg).unwrap();
        let find = |name| {
            document.descendants().find(move |node| node.has_tag_name(("http://www.w3.org/2000/svg", name)))
        };
        let id = find("linearGradient").unwrap().attribute("id").unwrap();
        assert_eq!(find("path").unwrap().attribute("fill"), Some(format!("url(#{id})").as_str()));
        assert!(svg.contains(
            " xml:space=\"preserve\" font-style=\"italic\" font-weight=\"bold\" font-size=\"18px\" font-family=\"A B, c\"> zr0-x <"
        ), "{svg}");
        assert!(svg.contains("<text font-size=\"12px\" font-family=\"A B, c\">t<"), "{svg}");
    }
}
