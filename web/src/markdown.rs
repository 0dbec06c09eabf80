//! A page of ours as Markdown: what stands on it, in its order, from the very markup that readers see, so that both say the
//! same.
//!
//! Reads the well-formed HTML that `view!` writes and nothing from elsewhere. Texts stay texts: what Markdown would read as
//! markup, HTML or a link is escaped, because uploaders' words are among them.

/// Elements that are for using a page, not for reading it.
const LEFT_OUT: [&str; 6] = ["head", "nav", "form", "button", "script", "footer"];
/// Classes of the same kind.
const LEFT_OUT_CLASSES: [&str; 7] =
    ["site", "skip", "tools", "filters", "visually-hidden", "links", "kicker"];
/// Ids of the same kind.
const LEFT_OUT_IDS: [&str; 1] = ["choose"];
/// Elements that have no end.
const VOID: [&str; 6] = ["meta", "link", "img", "source", "input", "br"];

/// The Markdown of a page's or a section's HTML; `base` is the site's public address, without a slash at its end.
pub(crate) fn of_html(html: &str, base: &str) -> String {
    let mut writer = Writer { base, ..Writer::default() };
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        writer.text(&rest[..start]);
        rest = &rest[start + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        let end = tag_end(rest);
        let tag = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        match tag.strip_prefix('/') {
            Some(name) => writer.end(name.trim()),
            None if tag.starts_with('!') => {}
            None => writer.begin(&Tag::read(tag)),
        }
    }
    writer.text(rest);
    writer.block("");
    writer.out
}

/// A text that Markdown shows as it is, on one line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, sign) in text.char_indices() {
        let before = &text[..index];
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '@' | '!' => {
                out.push('\\');
                out.push(sign);
            }
            // No address of an uploader becomes a link by itself.
            ':' if text[index..].starts_with("://") => out.push_str("\\:"),
            '.' if before.len() >= 3 && before.to_ascii_lowercase().ends_with("www") => out.push_str("\\."),
            sign if sign.is_control() => out.push(' '),
            sign => out.push(sign),
        }
    }
    out
}

/// A line that begins like a list, a heading or a rule, made to begin like a text.
fn as_text(line: &str) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0 && line[digits..].starts_with(['.', ')']);
    match line.chars().next() {
        Some('-' | '+' | '=') => format!("\\{line}"),
        _ if numbered => format!("{}\\{}", &line[..digits], &line[digits..]),
        _ => line.to_owned(),
    }
}

fn tag_end(tag: &str) -> usize {
    let mut quoted = false;
    let end = tag.find(|c| {
        quoted ^= c == '"';
        c == '>' && !quoted
    });
    end.unwrap_or(tag.len())
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#x27;", "'")
        .replace("&amp;", "&")
}

/// An opening tag.
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    fn read(tag: &str) -> Self {
        let tag = tag.trim_end_matches('/');
        let (name, mut rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while !rest.trim_start().is_empty() {
            rest = rest.trim_start();
            let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
            let key = &rest[..end];
            rest = &rest[end..];
            let mut value = "";
            if let Some(quoted) = rest.strip_prefix("=\"") {
                (value, rest) = quoted.split_once('"').unwrap_or((quoted, ""));
            }
            attributes.push((key.to_owned(), unescaped(value)));
        }
        Self { name: name.to_owned(), attributes }
    }

    fn attribute(&self, name: &str) -> &str {
        self.attributes.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// Whether it and all in it is left out.
    fn is_left_out(&self) -> bool {
        let classes = || self.attribute("class").split_whitespace();
        LEFT_OUT.contains(&self.name.as_str())
            || LEFT_OUT_IDS.contains(&self.attribute("id"))
            || classes().any(|class| LEFT_OUT_CLASSES.contains(&class))
            || self.attributes.iter().any(|(name, _)| name == "hidden")
    }
}

/// What has been read so far.
#[derive(Default)]
struct Writer<'a> {
    base: &'a str,
    out: String,
    /// The line that is being written, escaped.
    line: String,
    /// How many elements are open inside of one that is left out, itself counted.
    skipping: usize,
    /// Marks of the open lists: a dash or a number.
    lists: Vec<Option<usize>>,
    /// What stands before the next line of an item.
    mark: Option<String>,
    /// The addresses of open links; empty for one without.
    links: Vec<String>,
    /// The rows of an open table and, while a cell is open, its column span.
    table: Option<Vec<Vec<String>>>,
    span: usize,
    /// The last heading, which names a picture.
    heading: String,
}

impl Writer<'_> {
    fn text(&mut self, text: &str) {
        if self.skipping > 0 {
            return;
        }
        let text = unescaped(text);
        let gap = text.starts_with(char::is_whitespace);
        if gap {
            self.gap();
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        self.line.push_str(&escaped(&words.join(" ")));
        if !words.is_empty() && text.ends_with(char::is_whitespace) {
            self.gap();
        }
    }

    fn gap(&mut self) {
        if !self.line.is_empty() && !self.line.ends_with(' ') {
            self.line.push(' ');
        }
    }

    /// Ends the line and, outside of a list, the paragraph.
    fn block(&mut self, before: &str) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim();
        if line.is_empty() || self.table.is_some() {
            // In a table a line of its own is a part of the cell.
            let part = line.trim_end_matches(';');
            if !part.is_empty() {
                self.line = format!("{part}; ");
            }
            return;
        }
        let line = if before.is_empty() { as_text(line) } else { format!("{before}{line}") };
        let indent = "  ".repeat(self.lists.len().saturating_sub(1));
        let (first, loose) = match (self.mark.take(), self.lists.is_empty()) {
            (Some(mark), _) => (format!("{indent}{mark} "), false),
            (None, false) => (format!("{indent}  "), false),
            (None, true) => (String::new(), true),
        };
        if loose && !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self.out.push_str(&first);
        self.out.push_str(&line);
        self.out.push('\n');
        if loose {
            self.out.push('\n');
        }
    }

    fn begin(&mut self, tag: &Tag) {
        let name = tag.name.as_str();
        let void = VOID.contains(&name);
        if self.skipping > 0 || tag.is_left_out() {
            self.skipping += usize::from(!void);
            return;
        }
        match name {
            "strong" | "b" => self.line.push_str("**"),
            "a" => {
                let href = tag.attribute("href");
                let inside = href.is_empty() || href.starts_with('#') || self.table.is_some();
                self.links.push(if inside { String::new() } else { self.absolute(href) });
                if !inside {
                    self.line.push('[');
                }
            }
            "img" => self.picture(tag),
            "ul" => {
                self.block("");
                self.lists.push(None);
            }
            "ol" => {
                self.block("");
                self.lists.push(Some(0));
            }
            "dl" => {
                self.block("");
                self.lists.push(None);
            }
            "li" => self.item(),
            "div" if self.lists.last().is_some() && self.mark.is_none() && self.line.is_empty() => {
                self.item()
            }
            "table" => {
                self.block("");
                self.table = Some(Vec::new());
            }
            "tr" => {
                if let Some(rows) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            "td" | "th" => {
                self.line.clear();
                self.span = tag.attribute("colspan").parse().unwrap_or(1);
            }
            "small" | "dd" if self.table.is_some() => self.block(""),
            "br" | "small" => self.gap(),
            "p" | "h1" | "h2" | "h3" | "h4" | "section" | "figure" | "details" | "summary" | "header" => {
                self.block("");
            }
            _ => {}
        }
    }

    fn item(&mut self) {
        self.block("");
        self.mark = Some(match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{number}.")
            }
            _ => "-".to_owned(),
        });
    }

    fn end(&mut self, name: &str) {
        if self.skipping > 0 {
            self.skipping -= 1;
            return;
        }
        match name {
            "strong" | "b" => self.line.push_str("**"),
            "a" => {
                if let Some(href) = self.links.pop().filter(|href| !href.is_empty()) {
                    self.line.push_str(&format!("]({href})"));
                }
            }
            "h1" => self.heading("# "),
            "h2" => self.heading("## "),
            "h3" => self.heading("### "),
            "h4" => self.heading("#### "),
            "dt" => {
                let trimmed = self.line.trim_end().len();
                self.line.truncate(trimmed);
                self.line.push_str(": ");
            }
            "summary" => {
                let line = std::mem::take(&mut self.line);
                // Bold inside of bold would end it.
                self.line = format!("**{}**", line.replace("**", "").trim());
                self.block("");
            }
            "ul" | "ol" | "dl" => {
                self.block("");
                self.lists.pop();
                self.mark = None;
                if self.lists.is_empty() && !self.out.ends_with("\n\n") {
                    self.out.push('\n');
                }
            }
            "td" | "th" => {
                let text = std::mem::take(&mut self.line);
                let text = text.trim().trim_end_matches(';').to_owned();
                if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(text);
                    row.extend((1..self.span.clamp(1, 64)).map(|_| String::new()));
                }
            }
            "table" => self.table(),
            "small" if self.table.is_some() => self.block(""),
            "p" | "li" | "div" | "dd" | "section" | "figure" | "details" | "header" | "article" | "main" => {
                self.block("");
            }
            _ => {}
        }
    }

    fn heading(&mut self, mark: &str) {
        self.line.trim().clone_into(&mut self.heading);
        self.block(mark);
    }

    fn picture(&mut self, tag: &Tag) {
        // Letters and articles show PNG everywhere.
        let source = tag.attribute("src").replace(".svg?", ".png?scale=2&").replace("theme=light&", "");
        let address = self.absolute(&source);
        let heading = self.heading.clone();
        self.block("");
        self.line.push_str(&format!("![{heading}]({address})"));
        let line = std::mem::take(&mut self.line);
        self.out.push_str(&line);
        self.out.push_str("\n\n");
    }

    fn table(&mut self) {
        let rows = self.table.take().unwrap_or_default();
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        if !self.out.ends_with("\n\n") && !self.out.is_empty() {
            self.out.push('\n');
        }
        for (index, row) in rows.iter().enumerate() {
            let cells = (0..columns).map(|column| row.get(column).map_or("", String::as_str));
            self.out.push_str(&format!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
            if index == 0 {
                self.out.push_str(&format!("|{}\n", " --- |".repeat(columns)));
            }
        }
        self.out.push('\n');
    }

    /// An address as it stands in brackets.
    fn absolute(&self, href: &str) -> String {
        let whole = if href.starts_with('/') { format!("{}{href}", self.base) } else { href.to_owned() };
        let mut out = String::with_capacity(whole.len());
        for sign in whole.chars() {
            match sign {
                '(' => out.push_str("%28"),
                ')' => out.push_str("%29"),
                '<' => out.push_str("%3C"),
                '>' => out.push_str("%3E"),
                '"' => out.push_str("%22"),
                '|' => out.push_str("%7C"),
                '\\' => out.push_str("%5C"),
                sign if sign.is_whitespace() || sign.is_control() => out.push_str("%20"),
                sign => out.push(sign),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> String {
        of_html(html, "https://cliffmark.example")
    }

    #[test]
    fn headings_paragraphs_lists_and_links_stay_what_they_are() {
        let html = "<main><h1>A <!>title</h1><p>One<br>two <a href=\"/x?a=1&amp;b=2\">three</a>.</p>\
                    <ul><li>first</li><li>second<ul><li>inner</li></ul></li></ul><ol><li>a</li><li>b</li></ol></main>";
        assert_eq!(
            of(html),
            "# A title\n\nOne two [three](https://cliffmark.example/x?a=1&b=2).\n\n- first\n- second\n  - inner\n\n1. a\n2. b\n\n"
        );
    }

    #[test]
    fn tables_have_a_head_and_one_line_for_each_row() {
        let html = "<table><thead><tr><td></td><th>A<small>baseline</small></th></tr></thead><tbody>\
                    <tr><th>Cell</th><td class=\"number\"><strong>1 MB/s</strong><small>0.9 to 1.1</small><small></small></td></tr>\
                    <tr><th colspan=\"2\">Group</th></tr></tbody></table>";
        assert_eq!(
            of(html),
            "|  | A; baseline |\n| --- | --- |\n| Cell | **1 MB/s**; 0.9 to 1.1 |\n| Group |  |\n\n"
        );
    }

    #[test]
    fn facts_and_details_are_lists_and_bold_lines() {
        let html = "<details open><summary><strong>Loops</strong>: 5</summary><dl><div><dt>Kernel</dt><dd>Linux 6</dd></div>\
                    <div><dt>Engine</dt><dd>ring</dd></div></dl></details>";
        assert_eq!(of(html), "**Loops: 5**\n\n- Kernel: Linux 6\n- Engine: ring\n\n");
    }

    #[test]
    fn what_is_for_using_a_page_is_left_out() {
        let html = "<head><title>x</title></head><nav><a href=\"/\">home</a></nav><form><input><button>b</button></form>\
                    <p class=\"tools\"><a href=\"/y\">PNG</a></p><div id=\"choose\"><p>deep <b>er</b></p></div><p>kept</p>";
        assert_eq!(of(html), "kept\n\n");
    }

    #[test]
    fn pictures_are_named_by_their_heading_and_drawn_as_png() {
        let html = "<h2>Random</h2><picture><source srcset=\"/d\"><img src=\"/charts/random.svg?r=1&amp;theme=light&amp;w=760\" alt=\"a\"></picture>";
        assert_eq!(
            of(html),
            "## Random\n\n![Random](https://cliffmark.example/charts/random.png?scale=2&r=1&w=760)\n\n"
        );
    }

    #[test]
    fn words_of_uploaders_stay_words() {
        for (text, told) in [
            ("a|b", "a\\|b"),
            ("[x](http://evil)", "\\[x\\](http\\://evil)"),
            ("<img src=x>", "&lt;img src=x&gt;"),
            ("**bold** _it_ `code` ~~no~~", "\\*\\*bold\\*\\* \\_it\\_ \\`code\\` \\~\\~no\\~\\~"),
            ("see WWW.evil.example", "see WWW\\.evil.example"),
            ("me@evil.example", "me\\@evil.example"),
            ("&lt;", "&amp;lt;"),
            ("\\", "\\\\"),
        ] {
            assert_eq!(escaped(text), told);
        }
        let html = "<p>- a list</p><p>1. another</p><p># heading</p><p>one\n\n# two\r\n| three |</p>";
        assert_eq!(of(html), "\\- a list\n\n1\\. another\n\n\\# heading\n\none \\# two \\| three \\|\n\n");
        let link = of("<a href=\"/drives/x)(&lt;y&gt; z\">n</a>");
        assert_eq!(link, "[n](https://cliffmark.example/drives/x%29%28%3Cy%3E%20z)\n\n");
    }
}
