//! `bardo lineage run`: generations one after the other in one world, in memory, each dying by its clocks and each heir inheriting; and
//! what came of it, whatever the numbers say.

use crate::cli::LineageRun;
use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::out::Out;
use golem_clade::divergence::{knowledge_drift, ratchet_grade};
use golem_core::plain::word;
use golem_lab::lineage::{GenerationRow, LineageError, LineagePlan, LineageReport, live_lineage};
use golem_lab::reach::SkillTime;
use golem_view::money;

/// Live it and tell.
pub fn run(args: &LineageRun, out: &Out) -> Result<(), Fail> {
    crate::birth::check_budget(args.budget)?;
    let mut file = GolemFile::read("", &args.set)?;
    if let Some(template) = args.template {
        file.policy.template = template;
    }
    file.check()?;
    let plan = LineagePlan {
        world: args.world.clone(),
        seed: args.seed,
        budget: args.budget,
        generations: args.generations,
        settings: file.life(),
        most_days: args.most_days,
    };
    let report = live_lineage(&plan, &|row: &GenerationRow| out.say(&line(row))).map_err(|e| match e {
        LineageError::Place(place) => Fail::owner(place.to_string()),
        LineageError::Venue(venue) => crate::chain::trouble(&venue),
    })?;
    out.result(&report, || table(&report))
}

const HEAD: &str = "gen  days  of            worth  fit    novel  inh  val  con  ratchet  bits/e  verdict        loss heir/newborn  days to parent's skill";

fn table(report: &LineageReport) -> String {
    let mut lines = vec![HEAD.to_owned()];
    lines.extend(report.generations.iter().map(line));
    let score =
        report.lineage_score.map_or_else(|| "none".to_owned(), |s| format!("{s:.2} ({})", word(&ratchet_grade(s))));
    let slope = |s| format!("{s:+.4} bits an entry ({})", word(&knowledge_drift(s)));
    let slope = report.negentropy_slope.map_or_else(|| "none".to_owned(), slope);
    lines.push(format!("ratchet of the line: {score}; negentropy from generation to generation: {slope}"));
    if let Some(faster) = report.heirs_with_less_loss {
        let (n, of) = faster;
        lines
            .push(format!("heirs with less loss in their first ten days than a newborn on the same path: {n} of {of}"));
    }
    let [heirs, newborns] = report
        .median_days_to_parent_skill
        .map(|m| m.map_or_else(|| "not half of them".to_owned(), |d| format!("{d:.1}")));
    lines.push(format!("days until half were as skilled as the parent: heirs {heirs}, newborns {newborns}"));
    lines.join("\n")
}

/// A time, with a + where it was longer than that.
fn skill_time(time: Option<SkillTime>) -> String {
    time.map_or_else(|| "-".to_owned(), |t| format!("{:.1}{}", t.days, if t.reached { "" } else { "+" }))
}

fn line(row: &GenerationRow) -> String {
    let ratchet = row.ratchet.map_or_else(|| "-".to_owned(), |r| format!("{r:.2}"));
    let verdict = row.verdict.map_or_else(|| "-".to_owned(), |v| format!("{v:?}"));
    let loss = match (row.first_days_loss, row.newborn_loss) {
        (Some(heir), Some(newborn)) => format!("{heir:.3} / {newborn:.3}"),
        _ => "-".to_owned(),
    };
    let days = match row.to_parent_skill {
        Some(_) => format!("{} / {}", skill_time(row.to_parent_skill), skill_time(row.newborn_to_parent_skill)),
        None => "-".to_owned(),
    };
    format!(
        "{:>3} {:>5.1}  {:<12} {:>6}  {:.3}  {:>5} {:>4} {:>4} {:>4}  {ratchet:>7}  {:.4}  {verdict:<13}  {loss:<17}  {days}",
        row.generation,
        row.days,
        row.cause.as_deref().unwrap_or("alive"),
        money::usdc(row.worth_micro_usdc),
        row.fitness,
        row.novel,
        row.inherited,
        row.validated,
        row.contradicted,
        row.negentropy_per_entry,
    )
}
