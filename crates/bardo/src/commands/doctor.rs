//! `bardo doctor`: this machine, this home, every golem's file and the chain under it.

use crate::birth;
use crate::chain;
use crate::fail::Fail;
use crate::golem_file::ChainWord;
use crate::home::{Home, Place};
use crate::lines::folded;
use crate::out::Out;
use crate::show;
use golem_chain::embedded::EmbeddedChain;
use golem_runtime::{GolemDir, Reader, health, list_snapshots};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    home: String,
    open_files: Option<u64>,
    cores: usize,
    free_bytes: Option<u64>,
    writable: bool,
    problems: Vec<String>,
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

/// Room below which a golem may run into the end of its disk within a day or two.
const LEAST_FREE: u64 = 64 << 20;

/// Look at everything, leave nothing changed.
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
        golem.problems.extend(unreadable_page(&place));
        golem.problems.extend(chains.problems(&place, home));
        golem.problems.extend(home.is_at_home(&place).err().map(|e| e.to_string()));
        golem.ok = golem.problems.is_empty();
        golems.push(golem);
    }
    let disk = nearest_there(home.path());
    let (free_bytes, written) = (free(&disk), try_writing(&disk));
    let mut problems: Vec<String> = written.as_ref().err().cloned().into_iter().collect();
    problems.extend(crate::library::problem(home));
    problems.extend(crate::auto::problem(home));
    problems.extend(crate::herald::problems(home));
    if let Some(free) = free_bytes.filter(|free| *free < LEAST_FREE) {
        problems.push(format!("only {} are free on the disk of {}: make room there", megabytes(free), disk.display()));
    }
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        home: home.path().display().to_string(),
        open_files: golem_runtime::raise_open_files(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        free_bytes,
        writable: written.is_ok(),
        ok: golems.iter().all(|g| g.ok) && problems.is_empty(),
        problems,
        golems,
    };
    out.result(&report, || text(&report))?;
    Ok(ExitCode::from(u8::from(!report.ok)))
}

/// The nearest directory that is there: a home is made when it is first needed.
fn nearest_there(home: &Path) -> PathBuf {
    let home = std::path::absolute(home).unwrap_or_else(|_| home.to_owned());
    home.ancestors().find(|dir| dir.is_dir()).unwrap_or_else(|| Path::new("/")).to_owned()
}

fn free(dir: &Path) -> Option<u64> {
    rustix::fs::statvfs(dir).ok().map(|v| v.f_bavail.saturating_mul(v.f_frsize))
}

fn megabytes(bytes: u64) -> String {
    if bytes >= 10 << 30 { format!("{} GB", bytes >> 30) } else { format!("{:.1} MB", bytes as f64 / 1e6) }
}

/// Write a little, down to the disk, and take it away again: that is the only way to know.
fn try_writing(dir: &Path) -> Result<(), String> {
    let path = dir.join(format!(".bardo-doctor-{}", std::process::id()));
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    let done = file.and_then(|mut file| file.write_all(&[0; 4_096]).and_then(|()| file.sync_all()));
    let _gone = std::fs::remove_file(&path);
    done.map_err(|e| {
        let fail = Fail::world(format!("cannot write to {}: {e}", dir.display()));
        format!("{fail}; {}", fail.hint_text().unwrap_or_default())
    })
}

/// A page that nobody can read is left alone by the golem, and somebody should know.
fn unreadable_page(place: &Place) -> Option<String> {
    let path = GolemDir::of_golem(&place.dir).ok()?.playbook();
    let found = std::fs::symlink_metadata(&path).ok()?;
    let text = found.is_file().then(|| std::fs::read(&path).ok()).flatten().map(String::from_utf8);
    (!matches!(text, Some(Ok(_))))
        .then(|| format!("{} is no text that can be read: it is left as it is", path.display()))
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
        match file.chain.kind {
            ChainWord::Embedded => {}
            ChainWord::Rpc => return chain::record_problem(&place.dir, &reader).into_iter().collect(),
            ChainWord::Paper => return Vec::new(),
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
        format!("room        {}", room(r)),
    ];
    lines.extend(r.problems.iter().map(|p| format!("    {p}")));
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
    folded(&lines.join("\n"))
}

fn room(r: &Report) -> String {
    let free = r.free_bytes.map_or_else(|| "unknown".to_owned(), |free| format!("{} free", megabytes(free)));
    format!("{free}, {}", if r.writable { "writing works" } else { "writing does NOT work" })
}
