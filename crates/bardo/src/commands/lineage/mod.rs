//! `bardo lineage ID`: the line that a golem stands in, as a tree or for other programs to draw; `bardo lineage run`: many generations in
//! one command.

mod run;

use crate::cli::{LineageArgs, LineageFormat, LineageWord};
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use golem_clade::divergence::DivergenceVerdict;
use golem_core::GolemId;
use golem_home::line::{BroughtProfit, LineMember, members};
use golem_life::LifeStanding;
use golem_runtime::Reader;
use golem_tui::LineNode;
use golem_view::wrap::counted;
use golem_view::{money, time};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Show a line, or live one.
pub fn run(args: &LineageArgs, home: &Home, out: &Out) -> Result<(), Fail> {
    match (&args.word, &args.id) {
        (Some(LineageWord::Run(plan)), _) => run::run(plan, out),
        (None, Some(id)) => show(id, args.format, home, out),
        (None, None) => Err(Fail::hint("whose line is not said", "say it: bardo lineage ID; or bardo lineage run")),
    }
}

fn show(id: &str, format: LineageFormat, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(id)?;
    let line = Reader::open(&place.dir)?.origin()?.birth.lineage;
    let (members, unreadable) = members(line, home)?;
    unreadable.iter().for_each(|why| out.alert(why));
    out.result(&members, || match format {
        LineageFormat::Text => tree(&members, place.id),
        LineageFormat::Dot => dot(&members),
        LineageFormat::Mermaid => mermaid(&members),
    })
}

/// The line of a golem in the order of its tree.
pub(super) fn nodes(golem: GolemId, home: &Home) -> Result<Vec<LineNode>, Fail> {
    let line = Reader::open(&home.golem_dir(golem))?.origin()?.birth.lineage;
    Ok(in_order(&members(line, home)?.0))
}

/// Those whose parent is not in this home stand at the left, with what is missing said.
fn in_order(all: &[LineMember]) -> Vec<LineNode> {
    let known: BTreeSet<GolemId> = all.iter().map(|m| m.id).collect();
    let mut nodes = Vec::new();
    for root in all.iter().filter(|m| m.parent.is_none_or(|p| !known.contains(&p))) {
        if let Some(parent) = root.parent {
            nodes.push(LineNode { id: None, depth: 0, words: format!("{parent} (not in this home)"), dead: true });
        }
        let mut next = vec![(root, usize::from(root.parent.is_some()))];
        while let Some((of, depth)) = next.pop() {
            nodes.push(LineNode { id: Some(of.id), depth, words: said(of, all), dead: of.cause.is_some() });
            next.extend(all.iter().rev().filter(|m| m.parent == Some(of.id)).map(|child| (child, depth + 1)));
        }
    }
    nodes
}

fn tree(all: &[LineMember], asked: GolemId) -> String {
    let mut text = String::new();
    for LineNode { id, depth, words, .. } in in_order(all) {
        let mark = if id == Some(asked) { "  <" } else { "" };
        let lead = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
        let _written = writeln!(text, "{lead}{words}{mark}");
    }
    text
}

/// What it earned or lost by what others had learnt, of whoever they are.
fn owes(m: &LineMember, of: &[LineMember]) -> String {
    let name = |id: GolemId| of.iter().find(|m| m.id == id).map_or_else(|| id.to_string(), |m| m.name.to_string());
    let each = m.attributed.iter().map(|a| format!("{:+.1} bp by what {} learnt", a.bps, name(a.learnt_by)));
    each.map(|words| format!(" · {words}")).collect()
}

/// What others earned or lost by what it had learnt, all of them together.
fn brought(m: &LineMember) -> String {
    let words = |b: &BroughtProfit| {
        format!(" · what it learnt was worth {:+.1} bp to {}", b.bps, counted(b.golems as usize, "other"))
    };
    m.brought.as_ref().map(words).unwrap_or_default()
}

fn said(m: &LineMember, of: &[LineMember]) -> String {
    let refuted = match m.refuted.len() {
        0 => String::new(),
        n => format!(" · refuted {n} of what it inherited"),
    };
    lived(m) + &refuted + &owes(m, of) + &brought(m)
}

fn lived(m: &LineMember) -> String {
    let how = match m.verdict {
        _ if m.parent.is_some() && !m.inherits => ", began with nothing",
        Some(DivergenceVerdict::Individuated) => ", became one of its own",
        Some(DivergenceVerdict::LowDivergence) => ", differed little",
        Some(DivergenceVerdict::CargoCult) => ", repeated what it was left",
        None => "",
    };
    match (m.died_of, m.age_days, m.worth_micro_usdc) {
        (Some(cause), Some(days), Some(worth)) => format!(
            "† {} · generation {}{how} · {} · died of {cause} · {} USDC",
            m.name,
            m.generation,
            time::age(days),
            money::usdc(worth)
        ),
        _ => {
            let standing = m.standing.map_or("alive", LifeStanding::name);
            format!("{} · generation {}{how} · {standing}", m.name, m.generation)
        }
    }
}

fn dot(all: &[LineMember]) -> String {
    let mut text = String::from("digraph lineage {\n  rankdir=TB;\n");
    for m in all {
        let style = if m.cause.is_some() { "dashed" } else { "solid" };
        let _written = writeln!(text, "  \"{}\" [label=\"{}\", style={style}];", m.id, said(m, all));
    }
    for m in all {
        let Some(parent) = m.parent else { continue };
        let _written = writeln!(text, "  \"{parent}\" -> \"{}\";", m.id);
    }
    text.push('}');
    text
}

fn mermaid(all: &[LineMember]) -> String {
    let mut text = String::from("graph TD\n");
    for m in all {
        let _written = writeln!(text, "  g{}[\"{}\"]", m.id, said(m, all));
    }
    for m in all {
        let Some(parent) = m.parent else { continue };
        let _written = writeln!(text, "  g{parent} --> g{}", m.id);
    }
    text
}
