//! `bardo golem successor DEAD`: the owner's choice of an heir, with everything on the table before it is made.

use super::orders::confirm;
use crate::cli::Successor;
use crate::departed::Departed;
use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::home::{Home, Place};
use crate::lines::folded;
use crate::out::Out;
use crate::succession::{self, HeirPlan, Similarity, heir_name, heirs_of, similarity};
use golem_clade::divergence::StrategyChange;
use golem_clade::heirloom::{CONFIDENCE_BANDS, InheritancePreview};
use golem_clade::inheritance::InheritanceChoice;
use golem_grimoire::testament::SuccessorRecommendations;
use golem_runtime::Origin;
use golem_view::story::in_words;
use golem_view::wrap::counted;
use serde_json::{Value, json};

/// Fields of knowledge that are shown one by one; JSON has them all.
const SHOWN: usize = 12;

/// Make one, or show what would be made.
pub fn run(args: &Successor, yes: bool, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    if args.auto {
        return super::auto::run(&args.id, home, home_flag, out);
    }
    bear(args, None, yes, home, home_flag, out)
}

/// The same with settings in place of the dead one's.
pub(super) fn bear(
    args: &Successor,
    base: Option<&str>,
    yes: bool,
    home: &Home,
    home_flag: &str,
    out: &Out,
) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    home.is_at_home(&place)?;
    let dead = Departed::read(&place)?;
    let _held = succession::hold(&place)?;
    let before = heirs_of(place.id, home)?;
    if let Some((heir, origin)) = before.first().filter(|_| !args.another && !args.dry_run) {
        return already(&dead, heir, origin, out);
    }
    if !args.another && !args.dry_run {
        crate::auto::is_not_elsewhere(&place, home)?;
        succession::has_none_elsewhere(&place, home)?;
    }
    let plan = ready(args, base, &dead, home, out)?;
    let near = similarity(&dead, &plan.file, &plan.inheritance.choice);
    let preview = plan.inheritance.preview();
    let said = told(&dead, &plan, &near, &preview)?;
    if args.dry_run {
        return out.result(&said, || words(&dead, &plan, &near, &preview));
    }
    if args.inherit_grimoire && !args.force_similarity {
        is_more_than_a_copy(&dead, &near)?;
    }
    if !yes {
        out.alert(&words(&dead, &plan, &near, &preview));
        confirm(&place, &format!("{} will be born with {} USDC.", plan.name, plan.budget), "nobody is born", out)?;
    }
    let (heir, origin) = plan.settle(home, args.another, out)?;
    let birth = &origin.birth;
    let mut said = said;
    said["id"] = json!(birth.id);
    said["dir"] = json!(heir.dir.display().to_string());
    said["dry_run"] = json!(false);
    out.result(&said, || {
        folded(&format!(
            "{} is born: {}\n  succeeds    {} ({}), as generation {}\n  inherits    {} and {}\n  \
             let it live: bardo{home_flag} golem run {}",
            birth.name,
            birth.id,
            dead.place.name,
            dead.place.id,
            birth.generation,
            counted(preview.entries, "entry"),
            counted(preview.questions, "question"),
            birth.name
        ))
    })
}

/// The same in silence, for whoever was shown everything and has said yes.
pub(super) fn summon(args: &Successor, home: &Home, out: &Out) -> Result<(Place, Origin), Fail> {
    let place = home.golem(&args.id)?;
    home.is_at_home(&place)?;
    let dead = Departed::read(&place)?;
    let _held = succession::hold(&place)?;
    if let Some((heir, _)) = heirs_of(place.id, home)?.first() {
        return Err(Fail::refused(format!("{} has a successor: {}", place.name, heir.name)));
    }
    crate::auto::is_not_elsewhere(&place, home)?;
    succession::has_none_elsewhere(&place, home)?;
    let plan = ready(args, None, &dead, home, out)?;
    if args.inherit_grimoire && !args.force_similarity {
        is_more_than_a_copy(&dead, &similarity(&dead, &plan.file, &plan.inheritance.choice))?;
    }
    plan.settle(home, false, out)
}

/// What is asked for, with its place in the world and what its line had proven by then.
fn ready(args: &Successor, base: Option<&str>, dead: &Departed, home: &Home, out: &Out) -> Result<HeirPlan, Fail> {
    let mut plan = planned(args, base, dead, home)?;
    plan.place(home, out)?;
    plan.born_with()?;
    Ok(plan)
}

/// What is asked for, as a plan.
pub(super) fn planned(args: &Successor, base: Option<&str>, dead: &Departed, home: &Home) -> Result<HeirPlan, Fail> {
    let advice = if args.take_advice { advised(dead) } else { Vec::new() };
    let sets: Vec<String> = advice.into_iter().chain(args.set.clone()).collect();
    let mut file = GolemFile::read(base.unwrap_or(&dead.origin.settings_given), &sets)?;
    file.check()?;
    if let Some(seed) = args.seed.filter(|_| file.world.seed == 0) {
        file.world.seed = seed;
    }
    // Whoever takes the advice is not handed what it advises against.
    let without = if args.take_advice && args.inherit_grimoire { dead.advised_against() } else { Vec::new() };
    let choice = InheritanceChoice { domains: args.domains.clone(), exclude: args.exclude.clone(), without };
    let (inheritance, given) = HeirPlan::inherits(&dead.bundle(args.inherit_grimoire), choice)?;
    let name = match &args.name {
        Some(name) => name.clone(),
        None => heir_name(dead, home)?,
    };
    let budget = args.budget.unwrap_or(dead.origin.birth.funding);
    Ok(HeirPlan { name, budget, seed: args.seed, file, inheritance, given })
}

pub(super) use golem_home::likeness::advised;

/// One death, one successor: whoever asks again is shown it.
fn already(dead: &Departed, heir: &Place, origin: &Origin, out: &Out) -> Result<(), Fail> {
    let birth = &origin.birth;
    let inherited = crate::birth::genesis(origin)?.inheritance.map_or(0, |i| i.given().count());
    let said = json!({ "id": birth.id, "name": birth.name, "generation": birth.generation, "inherited": inherited,
        "parent": dead.place.id, "already": true });
    out.result(&said, || {
        folded(&format!(
            "{} has a successor: {} ({}), generation {}\n  another one of the same death: --another",
            dead.place.name, heir.name, heir.id, birth.generation
        ))
    })
}

/// A successor that is the one that died again is refused, with what the two have in common.
fn is_more_than_a_copy(dead: &Departed, near: &Similarity) -> Result<(), Fail> {
    let Some(why) = &near.shortfall else { return Ok(()) };
    let mut lines = vec![format!("a successor like this would be {} again: {why}", dead.place.name)];
    lines.extend(diff(near));
    let advice = advised(dead);
    let set = advice.first().map_or("policy.KEY=VALUE", String::as_str);
    let hint = format!(
        "{}: change the strategy (--set {set}), take the testament's advice (--take-advice), hand on nothing \
         (--no-inherit), or insist (--force-similarity)",
        why.lifted_by()
    );
    Err(Fail::refused_hint(lines.join("\n"), hint))
}

pub(super) fn diff(near: &Similarity) -> Vec<String> {
    let mut lines: Vec<String> = near
        .changes
        .iter()
        .map(|change| match change {
            StrategyChange::Dropped { rule } => format!("  - {}", in_words(rule)),
            StrategyChange::Added { rule } => format!("  + {}", in_words(rule)),
            StrategyChange::Set { key, was, to } => format!("  ~ {key}: {was} -> {to}"),
        })
        .collect();
    lines.push(format!(
        "  = {} the same in both",
        if near.shared == 1 { "1 line is".to_owned() } else { format!("{} lines are", near.shared) }
    ));
    lines
}

fn told(dead: &Departed, plan: &HeirPlan, near: &Similarity, preview: &InheritancePreview) -> Result<Value, Fail> {
    let birth = plan.birth()?;
    let advice = dead.testament.as_ref().map(|t| &t.successor_recommendations);
    Ok(json!({
        "id": birth.id, "name": birth.name, "generation": birth.generation, "lineage": birth.lineage,
        "parent": dead.place.id, "born_at": birth.born_at, "budget_micro_usdc": birth.funding,
        "inherited": preview.entries + preview.questions, "preview": preview, "already": false, "dry_run": true,
        "similarity": { "distance": near.distance, "changes": near.changes, "shared": near.shared,
            "too_near": near.shortfall.is_some() },
        "defaults": plan.file.defaults.rules, "advice": advice, "low_divergence": plan.inheritance.heirloom.low_divergence,
    }))
}

fn words(dead: &Departed, plan: &HeirPlan, near: &Similarity, preview: &InheritancePreview) -> String {
    let mut lines = vec![format!(
        "{} would succeed {}: generation {}, {} USDC, {}",
        plan.name,
        dead.place.name,
        dead.origin.birth.generation + 1,
        plan.budget,
        plan.file.policy.template
    )];
    if let Some(testament) = &dead.testament {
        lines.extend(advice_lines(&testament.successor_recommendations));
    }
    lines.extend(preview_lines(preview));
    for (n, line) in plan.file.defaults.rules.iter().enumerate() {
        lines.push(format!("  {:<10}  {}", if n == 0 { "born with" } else { "" }, in_words(line)));
    }
    if plan.inheritance.heirloom.low_divergence {
        lines.push("  note        this life added little to what it had inherited itself".to_owned());
    }
    lines.push(format!(
        "  distance    {:.2} by lines, {:.2} by words; what differs:",
        near.distance.rules, near.distance.cosine
    ));
    lines.extend(diff(near));
    if let Some(why) = &near.shortfall {
        lines.push(format!("  too near    {why}: with what it knew it would be refused, unless it is forced"));
    }
    folded(&lines.join("\n"))
}

fn advice_lines(advice: &SuccessorRecommendations) -> Vec<String> {
    let config =
        advice.config.iter().map(|a| format!("{}: {} -> {}. {}", a.key, a.was, a.to, in_words(a.because.text())));
    let first = advice.priorities.iter().map(|p| format!("{}: {}", p.weight.name(), in_words(p.what.text())));
    let titled = |(n, line)| format!("  {:<10}  {line}", if n == 0 { "advice" } else { "" });
    config.chain(first).enumerate().map(titled).collect()
}

/// A field of knowledge in words: what is forecast, and what is observed for it.
fn field_words(field: &str) -> String {
    let (domain, subject) = field.split_once('/').unwrap_or((field, ""));
    let words = |part: &str| part.trim_start_matches("market.").trim_start_matches("golem.").replace('_', " ");
    format!("{}: {}", words(domain), words(subject))
}

fn preview_lines(p: &InheritancePreview) -> Vec<String> {
    let mut lines = vec![
        format!(
            "  inherits    {} and {}; {} from the dead, {} marked by a death, {} thrice survived",
            counted(p.entries, "entry"),
            counted(p.questions, "question"),
            p.from_the_dead,
            p.bloodstains,
            p.thrice_survived
        ),
        "  confidence  before  after  trusted".to_owned(),
    ];
    for band in (0..CONFIDENCE_BANDS).rev().filter(|b| p.before[*b] + p.after[*b] + p.trusted[*b] > 0) {
        let (from, to) = (band as f64 / 10.0, (band + 1) as f64 / 10.0);
        lines
            .push(format!("    {from:.1}-{to:.1}   {:>6} {:>6} {:>8}", p.before[band], p.after[band], p.trusted[band]));
    }
    lines.extend(p.domains.iter().take(SHOWN).map(|(field, n)| format!("    {n:>5}  {}", field_words(field.as_str()))));
    if p.domains.len() > SHOWN {
        lines.push(format!("    and {}; see --json", counted(p.domains.len() - SHOWN, "more field")));
    }
    lines
}
