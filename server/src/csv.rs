//! Tables as comma-separated values, safe to open in a spreadsheet. Source: RFC 4180.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};

/// A table being written.
#[derive(Debug)]
pub struct Csv(String);

impl Csv {
    /// A table with these headings.
    #[must_use]
    pub fn new<'a>(columns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut csv = Self(String::new());
        csv.row(columns);
        csv
    }

    /// Adds a row.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        for (index, cell) in cells.into_iter().enumerate() {
            if index > 0 {
                self.0.push(',');
            }
            self.0.push_str(&quoted(cell));
        }
        self.0.push_str("\r\n");
    }

    /// The text so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl IntoResponse for Csv {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], self.0).into_response()
    }
}

/// A cell as it stands in the file. A text that a spreadsheet would run as a formula gets an apostrophe
/// before it; a number keeps its sign.
fn quoted(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    let cell = if formula { format!("'{cell}") } else { cell.to_owned() };
    if formula || cell.contains(['"', ',', '\n', '\r', ';']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_text() {
        let mut csv = Csv::new(["a", "b"]);
        csv.row(["=HYPERLINK(\"x\")", "-1.5"]);
        csv.row(["+cmd|' /C calc'!A0", "x,\"y\"\n"]);
        csv.row(["@SUM(1)", "-rm"]);
        assert_eq!(
            csv.text(),
            "a,b\r\n\"'=HYPERLINK(\"\"x\"\")\",-1.5\r\n\"'+cmd|' /C calc'!A0\",\"x,\"\"y\"\"\n\"\r\n\"'@SUM(1)\",\"'-rm\"\r\n"
        );
    }
}
