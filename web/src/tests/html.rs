//! Just enough reading of HTML to ask a page about its elements: tags, attributes, text. It reads the
//! well-formed output of the pages, not HTML from elsewhere.

/// An opening tag.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A page cut into its opening tags and its text.
pub(crate) struct Html {
    elements: Vec<Element>,
    text: String,
}

impl Html {
    pub(crate) fn parse(mut rest: &str) -> Self {
        let mut elements = Vec::new();
        let mut text = String::new();
        while let Some(start) = rest.find('<') {
            text.push_str(&unescape(&rest[..start]));
            rest = &rest[start + 1..];
            if let Some(comment) = rest.strip_prefix("!--") {
                rest = comment.split_once("-->").expect("comments end").1;
                continue;
            }
            let end = tag_end(rest);
            let tag = &rest[..end];
            rest = &rest[end + 1..];
            if !tag.starts_with(['/', '!']) {
                elements.push(element(tag.trim_end_matches('/')));
            }
        }
        text.push_str(&unescape(rest));
        Self { elements, text }
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.elements.iter()
    }

    pub(crate) fn text(&self) -> String {
        self.text.clone()
    }
}

/// Index of the `>` that ends a tag: the first one outside quotes.
fn tag_end(tag: &str) -> usize {
    let mut quoted = false;
    tag.find(|c| {
        quoted ^= c == '"';
        c == '>' && !quoted
    })
    .expect("tags end")
}

fn element(tag: &str) -> Element {
    let (name, mut rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let mut attributes = Vec::new();
    while !rest.trim_start().is_empty() {
        rest = rest.trim_start();
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let key = &rest[..end];
        rest = &rest[end..];
        let mut value = "";
        if let Some(quoted) = rest.strip_prefix("=\"") {
            (value, rest) = quoted.split_once('"').expect("values end");
        }
        attributes.push((key.to_owned(), unescape(value)));
    }
    Element { name: name.to_owned(), attributes }
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#x27;", "'")
        .replace("&amp;", "&")
}
