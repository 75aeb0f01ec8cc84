//! `bardo golem heirloom DEAD --out FILE` writes what a dead golem leaves as one signed file, and `golem create --heirloom FILE` makes
//! an heir of whoever signed one.

use crate::bundle;
use crate::cli::{Create, HeirloomOut};
use crate::departed::Departed;
use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use crate::succession::HeirPlan;
use golem_clade::heirloom::InheritancePreview;
use golem_clade::inheritance::InheritanceChoice;
use golem_core::Hash;
use golem_view::story::in_words;
use golem_view::wrap::counted;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

/// Write it.
pub fn run(args: &HeirloomOut, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    let dead = Departed::read(&home.golem(&args.id)?)?;
    let bytes = dead.bundle(true);
    let preview = InheritancePreview::of(&bundle::read(&bytes)?);
    let fail = |e: std::io::Error| Fail::world(format!("cannot write {}: {e}", args.out.display()));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&args.out);
    let mut file = match file {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(Fail::hint(
                format!("{} exists already", args.out.display()),
                "say another --out, or move it away",
            ));
        }
        made => made.map_err(fail)?,
    };
    file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(fail)?;
    let told = json!({ "id": dead.place.id, "path": args.out, "bytes": bytes.len(), "hash": Hash::of(&bytes),
        "preview": preview });
    out.result(&told, || {
        folded(&format!(
            "{} leaves {} entries and {} questions, signed: {}\n  an heir of it, in any home: bardo{home_flag} golem create NAME \
             --heirloom {}",
            dead.place.name,
            preview.entries,
            preview.questions,
            args.out.display(),
            args.out.display()
        ))
    })
}

/// An heir by a file, with settings of its own.
pub fn adopt(args: Create, mut file: GolemFile, bundle: &[u8], home: &Home, out: &Out) -> Result<(), Fail> {
    if file.world.seed == 0 {
        file.world.seed = args.seed.map_or_else(super::create::random_seed, Ok)?;
    }
    let choice = InheritanceChoice { without: args.without, ..InheritanceChoice::default() };
    let (inheritance, given) = HeirPlan::inherits(bundle, choice)?;
    let mut plan = HeirPlan { name: args.name, budget: args.budget, seed: args.seed, file, inheritance, given };
    plan.place(home, out)?;
    // A line signs for itself how often it has proven something. Whoever lies in this home is no stranger: its signature is its
    // own, and so is the life that it speaks of.
    let is_known = home.golem_dir(plan.inheritance.heirloom.lineage.golem).join("golem.db").exists();
    let untrusted = match is_known || args.trust_defaults {
        true => {
            plan.born_with()?;
            Vec::new()
        }
        false => plan.proven()?,
    };
    let defaults = defaults_lines(&plan.file.defaults.rules, &untrusted);
    let preview = plan.inheritance.preview();
    let parent = plan.inheritance.heirloom.lineage.golem;
    let birth = plan.birth()?;
    let mut told = json!({ "id": birth.id, "name": birth.name, "commitment": birth.commitment, "dry_run": args.dry_run,
        "generation": birth.generation, "lineage": birth.lineage, "parent": parent, "born_at": birth.born_at,
        "inherited": preview.entries + preview.questions, "preview": preview, "defaults": plan.file.defaults.rules,
        "untrusted_defaults": untrusted });
    if args.dry_run {
        let what = format!("would create {}, generation {} after {parent}", birth.name, birth.generation);
        return out.result(&told, || folded(&format!("{what}, with {}{defaults}", counted(preview.entries, "entry"))));
    }
    // Whoever hands over a file says that it is meant.
    let (place, origin) = plan.settle(home, true, out)?;
    (told["id"], told["commitment"]) = (json!(origin.birth.id), json!(origin.birth.commitment));
    told["dir"] = json!(place.dir.display().to_string());
    out.result(&told, || {
        folded(&format!(
            "{} is born: {}\n  succeeds    {parent}, as generation {}\n  inherits    {} and {}{defaults}\n  let it live: \
             bardo golem run {}",
            place.name,
            place.id,
            origin.birth.generation,
            counted(preview.entries, "entry"),
            counted(preview.questions, "question"),
            place.name
        ))
    })
}

/// The rules that it is born with, and those that a stranger's line claims to have proven and that are left out.
fn defaults_lines(rules: &[String], untrusted: &[String]) -> String {
    let titled = |title: &'static str| {
        move |(n, rule): (usize, &String)| format!("\n  {:<10}  {}", if n == 0 { title } else { "" }, in_words(rule))
    };
    let born_with = rules.iter().enumerate().map(titled("born with"));
    let left_out = untrusted.iter().enumerate().map(titled("left out"));
    let hint = "\n  these are a stranger's word alone; to be born with them: --trust-defaults".to_owned();
    born_with.chain(left_out).chain((!untrusted.is_empty()).then_some(hint)).collect()
}
