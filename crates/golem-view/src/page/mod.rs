//! A report as one page that needs nothing else: words, tables and plots in HTML with inline SVG, without a script, light or
//! dark as the reader's machine is, and readable on a telephone.
//!
//! Small values go in, one text comes out, and it is well-formed XML too. Every word is escaped, and marks that nobody sees
//! are dropped: what strangers wrote stays words. Plots hold no text of their own, so that nothing shrinks with them.

mod escape;
mod forest;
mod lines;
mod marks;
mod ribbon;
mod scale;
mod strips;
mod table;
mod thin;

pub use escape::escaped;
pub use forest::{ForestPlot, ForestRow, Tone};
pub use lines::{LinePlot, PlotLine, PlotPoint};
pub use marks::{ChartMark, MarkShape};
pub use ribbon::{RibbonPlot, RibbonSpan};
pub use scale::{PlotUnit, signed};
pub use strips::{StripPlot, StripRow};
pub use table::PageTable;
pub use thin::thinned;

use std::fmt::Write as _;

const STYLE: &str = include_str!("style.css");

/// A page: its title, a sentence on what it is, and what stands on it in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportPage {
    pub title: String,
    pub lead: String,
    pub parts: Vec<PagePart>,
}

/// Something on a page.
#[derive(Debug, Clone, PartialEq)]
pub enum PagePart {
    Heading(String),
    /// Within what stands under a heading.
    Subheading(String),
    /// A paragraph.
    Words(String),
    /// What somebody said.
    Quote(String),
    /// Sentences, one below the other.
    List(Vec<String>),
    /// The command that makes this page again.
    Command(String),
    /// What a command printed, as it stood there.
    Screen(String),
    /// Names with what they are: settings, hashes, counts.
    Facts(Vec<(String, String)>),
    Table(PageTable),
    Forest(ForestPlot),
    Lines(LinePlot),
    Strips(StripPlot),
    Ribbon(RibbonPlot),
}

impl ReportPage {
    /// A page with nothing on it yet.
    #[must_use]
    pub fn new(title: &str, lead: &str) -> Self {
        Self { title: title.to_owned(), lead: lead.to_owned(), parts: Vec::new() }
    }

    /// Put something below what is there.
    pub fn add(&mut self, part: PagePart) -> &mut Self {
        self.parts.push(part);
        self
    }

    /// The whole page.
    #[must_use]
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut out = String::new();
        // Nothing may be fetched and nothing run, whatever stands in the words.
        let _infallible = write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        if !self.lead.is_empty() {
            let _infallible = writeln!(out, "<p class=\"lead\">{}</p>", escaped(&self.lead));
        }
        for part in &self.parts {
            part.write(&mut out);
        }
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }
}

impl PagePart {
    fn write(&self, out: &mut String) {
        let _infallible = match self {
            Self::Heading(words) => writeln!(out, "<h2>{}</h2>", escaped(words)),
            Self::Subheading(words) => writeln!(out, "<h3>{}</h3>", escaped(words)),
            Self::Words(words) => writeln!(out, "<p>{}</p>", escaped(words)),
            Self::Quote(words) => writeln!(out, "<blockquote><p>{}</p></blockquote>", escaped(words)),
            Self::List(all) => {
                writeln!(
                    out,
                    "<ul>{}</ul>",
                    all.iter().map(|one| format!("<li>{}</li>", escaped(one))).collect::<String>()
                )
            }
            Self::Command(words) => writeln!(out, "<pre class=\"command\">{}</pre>", escaped(words)),
            Self::Screen(words) => writeln!(
                out,
                "<pre class=\"screen\" tabindex=\"0\">{}</pre>",
                words.lines().map(escaped).collect::<Vec<_>>().join("\n")
            ),
            Self::Facts(facts) => writeln!(out, "{}", facts_html(facts)),
            Self::Table(table) => writeln!(out, "{}", table.html()),
            Self::Forest(plot) => writeln!(out, "{}", plot.html()),
            Self::Lines(plot) => writeln!(out, "{}", plot.html()),
            Self::Strips(plot) => writeln!(out, "{}", plot.html()),
            Self::Ribbon(plot) => writeln!(out, "{}", plot.html()),
        };
    }
}

fn facts_html(facts: &[(String, String)]) -> String {
    let pair =
        |(name, what): &(String, String)| format!("<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(what));
    format!("<dl>{}</dl>", facts.iter().map(pair).collect::<String>())
}
