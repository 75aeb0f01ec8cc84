//! The page of `bardo lab matters`: what was lived, in short, and a table for every outcome, once for golems that decide by
//! rules and once for those that have a model to ask.

use super::judged;
use super::matters::{MattersHalf, OrganEffect, listed};
use super::organs::NOT_MEASURED;
use crate::fail::Fail;
use golem_lab::stats::ComparisonLine;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

/// From here on the page is written by people: what other commands measured.
const KEPT: &str = "\n## Measured by themselves\n";

/// What people wrote on the page that is written anew.
pub fn kept(page: &Path) -> Result<String, Fail> {
    match std::fs::read_to_string(page) {
        Ok(text) => Ok(text.find(KEPT).map_or_else(String::new, |at| text[at..].to_owned())),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(e) => Err(Fail::world(format!("{}: {e}", page.display()))),
    }
}

/// The page.
pub struct MattersPage<'a> {
    pub by_rules: &'a MattersHalf,
    pub thinking: &'a MattersHalf,
}

impl MattersPage<'_> {
    pub fn text(&self) -> String {
        let mut page = "# What matters\n\nEvery organ is taken out, one at a time; the same paths are lived with the same \
                        dice. A figure is what the organ adds: with it less without it. Intervals hold together, at 95 %. Deaths are \
                        recorded and not enforced, phases act.\n\n"
            .to_owned();
        lived(self.by_rules, &mut page);
        in_short(self.by_rules, &mut page);
        for (name, why) in NOT_MEASURED {
            let _ok = writeln!(page, "- Not measured: {name} ({why}).");
        }
        tables(self.by_rules, "##", &mut page);
        page += "\n## With a model to ask\n\nThe golems below can ask a stand-in: its answer is a function of the question \
                 alone, it goes by how times like this one went, what is remembered, the market and the golem's condition, and it \
                 costs what models of two sizes would. It shows what an organ changes where a golem thinks, not how well a real \
                 model does. The tier gate is taken out in two ways: without it a golem thinks whenever it may, or never.\n\n";
        lived(self.thinking, &mut page);
        in_short(self.thinking, &mut page);
        tables(self.thinking, "###", &mut page);
        page
    }
}

/// What was lived, so that it can be lived again.
fn lived(half: &MattersHalf, page: &mut String) {
    let plan = &half.plan;
    let _ok = write!(
        page,
        "Written by `{}`: {} paths of {} days in each world, {} USDC each, templates {}. Plan `{}`, settings `{}`, program `{}`.",
        crate::page_file::as_typed(),
        plan.paths(),
        plan.days,
        plan.budget,
        plan.templates.join(", "),
        plan.hash(),
        plan.settings,
        plan.binary,
    );
    for (world, data) in &plan.data {
        let _ok = write!(page, " Data of {world}: `{data}`.");
    }
    page.push_str("\n\n");
}

fn in_short(half: &MattersHalf, page: &mut String) {
    let heading = if half.plan.model { "### In short, with a model" } else { "## In short" };
    let _ok = writeln!(page, "{heading}\n");
    for (what, effect) in [
        ("Effect seen", OrganEffect::Seen),
        ("Lives differ, and every interval lies within its margin", OrganEffect::WithinMargins),
        ("Cannot tell at this number of paths", OrganEffect::CannotTell),
        ("**Without effect anywhere** (every life is the same without it)", OrganEffect::None),
    ] {
        let _ok = writeln!(page, "- {what}: {}.", listed(&half.told, effect));
    }
}

fn tables(half: &MattersHalf, level: &str, page: &mut String) {
    for template in &half.plan.templates {
        for outcome in half.asked.outcomes {
            table(half, template, outcome, level, page);
        }
    }
}

/// One outcome: organs by worlds.
fn table(half: &MattersHalf, template: &str, outcome: &str, level: &str, page: &mut String) {
    let plan = &half.plan;
    let kind = plan.outcomes().into_iter().find(|kind| kind.name.as_str() == outcome);
    let (share, about) = kind.map_or((false, String::new()), |kind| (kind.share, kind.about));
    let many = if plan.templates.len() > 1 { format!(" ({template})") } else { String::new() };
    let _ok = write!(page, "\n{level} {outcome}{many}\n\n{about}\n\n| organ |");
    for world in &plan.worlds {
        let _ok = write!(page, " {world} |");
    }
    *page += &format!("\n|---|{}\n", "---|".repeat(plan.worlds.len()));
    for organ in half.asked.organs {
        let _ok = write!(page, "| {} |", organ.name);
        for world in &plan.worlds {
            let is = |line: &&ComparisonLine| {
                (line.world.as_str(), line.template.as_str(), line.arm.as_str(), line.outcome.as_str())
                    == (world.as_str(), template, organ.name, outcome)
            };
            let found = half.lines.iter().find(is);
            let _ok =
                write!(page, " {} |", found.map_or_else(|| "nothing to measure".into(), |line| cell(line, share)));
        }
        page.push('\n');
    }
}

fn cell(line: &ComparisonLine, share: bool) -> String {
    if line.is_identical {
        return "the same".to_owned();
    }
    let figure = |x| judged::figure(x, share);
    format!("{} [{}, {}] {}", figure(line.mean), figure(line.low), figure(line.high), line.verdict)
}
