//! `bardo doctor`: this machine, this home, every golem's file and the chain under it.

use crate::birth;
use crate::chain;
use crate::fail::Fail;
use crate::golem_file::ChainWord;
use crate::home::{Home, Place};
use crate::out::Out;
use crate::show;
use golem_chain::embedded::EmbeddedChain;
use golem_runtime::{Reader, health, list_snapshots};
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;

#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    home: String,
    open_files: Option<u64>,
    cores: usize,
    golems: Vec<Golem>,
    ok: bool,
}

#[derive(Debug, Serialize)]
struct Golem {
    id: String,
    name: String,
    ok: bool,
    running: bool,
    ticks: u64,
    bytes: u64,
    snapshots: usize,
    problems: Vec<String>,
    notes: Vec<String>,
}

/// Look at everything, change nothing.
pub fn run(home: &Home, out: &Out) -> Result<ExitCode, Fail> {
    let (mut golems, mut chains) = (Vec::new(), Chains::default());
    for place in home.golems()? {
        let mut golem = Golem {
            id: place.id.to_string(),
            name: place.name.to_string(),
            ok: false,
            running: false,
            ticks: 0,
            bytes: 0,
            snapshots: 0,
            problems: Vec::new(),
            notes: Vec::new(),
        };
        match health(&place.dir) {
            Ok(h) => {
                (golem.ok, golem.running, golem.ticks) = (h.ok, h.running, h.chain.ticks);
                (golem.bytes, golem.snapshots, golem.problems) = (h.bytes, h.snapshots, h.problems);
            }
            Err(e) => {
                golem.problems.push(e.to_string());
                golem.snapshots = list_snapshots(&place.dir).map_or(0, |all| all.len());
            }
        }
        if let Ok(notes) = Reader::open(&place.dir).and_then(|r| r.notes()) {
            golem.notes = notes.iter().map(|n| format!("{} turn {}: {}", show::time(n.at), n.tick, n.what)).collect();
        }
        // The readable settings say who it is to people; the birth record is the truth.
        match Reader::open(&place.dir).and_then(|r| r.origin()) {
            Ok(origin) if origin.birth.name != place.name => {
                golem.problems.push(format!("golem.toml calls it {}, it was born {}", place.name, origin.birth.name));
            }
            _ => {}
        }
        golem.problems.extend(chains.problems(&place, home));
        golem.problems.extend(home.is_at_home(&place).err().map(|e| e.to_string()));
        golem.ok = golem.problems.is_empty();
        golems.push(golem);
    }
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        home: home.path().display().to_string(),
        open_files: golem_runtime::raise_open_files(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        ok: golems.iter().all(|g| g.ok),
        golems,
    };
    out.result(&report, || text(&report))?;
    Ok(ExitCode::from(u8::from(!report.ok)))
}

/// What was found wrong with the chains of this home, each looked at once however many golems live on it.
#[derive(Default)]
struct Chains(BTreeMap<String, Vec<String>>);

impl Chains {
    /// What is wrong with the chain under a golem, and between the two.
    fn problems(&mut self, place: &Place, home: &Home) -> Vec<String> {
        let Ok(reader) = Reader::open(&place.dir) else { return Vec::new() };
        let Some(file) = reader.origin().ok().and_then(|origin| birth::settings_of(&origin).ok()) else {
            return Vec::new();
        };
        if file.chain.kind != ChainWord::Embedded {
            return Vec::new();
        }
        let found = match reader.anchor() {
            Ok(anchor) => anchor,
            Err(e) => return vec![e.to_string()],
        };
        if found.lived.0 == 0 && found.mark.is_none() {
            return Vec::new();
        }
        let path = chain::kept_at(home, &file.chain.name);
        let look = || EmbeddedChain::check(&path).unwrap_or_else(|e| vec![e.to_string()]);
        let mut wrong = self.0.entry(file.chain.name.clone()).or_insert_with(look).clone();
        // With one look: that a missing file fits nobody needs no second word.
        if wrong.is_empty() {
            wrong.extend(chain::fits(&file, home, place.name.as_str(), &found).err().map(|e| e.to_string()));
        }
        wrong
    }
}

fn text(r: &Report) -> String {
    let files = r.open_files.map_or("unbounded".to_owned(), |n| format!("{n} (a golem needs about five)"));
    let mut lines = vec![
        format!("bardo {} on {} cores", r.version, r.cores),
        format!("home        {}", r.home),
        format!("open files  {files}"),
    ];
    for g in &r.golems {
        let state = if g.ok { "whole" } else { "DAMAGED" };
        let running = if g.running { ", running" } else { "" };
        lines.push(format!(
            "{:<20} {} {state}{running}: {} turns, {:.1} MB, {} snapshots",
            g.name,
            &g.id[..8],
            g.ticks,
            g.bytes as f64 / 1e6,
            g.snapshots
        ));
        lines.extend(g.problems.iter().map(|p| format!("    {p}")));
        lines.extend(g.notes.iter().map(|n| format!("    noted: {n}")));
        if !g.ok && g.snapshots > 0 {
            lines.push(format!("    hint: bardo golem restore {} brings back the newest snapshot", g.name));
        }
    }
    lines.push(if r.ok { "all is well".to_owned() } else { "not all is well".to_owned() });
    lines.join("\n")
}
