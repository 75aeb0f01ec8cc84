//! `bardo golem status ID [--watch]`.

use crate::chart::bar;
use crate::cli::Watch;
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::obituary::parse;
use crate::out::Out;
use crate::show;
use golem_cage::BreakerLevel;
use golem_core::ReferenceKind;
use golem_life::{Standing, Status};
use golem_runtime::Reader;
use std::time::Duration;

/// The golem's own words, and what its file adds.
#[derive(serde::Serialize)]
struct StatusReport<'a> {
    #[serde(flatten)]
    status: &'a Status,
    safe_mode: bool,
}

/// How it is, once or again and again.
pub fn run(args: &Watch, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    let mut told = None;
    loop {
        let status = read(&place)?;
        if told != Some(status.tick) {
            told = Some(status.tick);
            let safe_mode = Reader::open(&place.dir)?.is_safe_mode()?;
            out.result(&StatusReport { status: &status, safe_mode }, || text(&status, safe_mode, out))?;
        }
        if !args.watch || status.standing == Standing::Dead {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// The last committed status.
pub fn read(place: &Place) -> Result<Status, Fail> {
    let row = Reader::open(&place.dir)?.status()?;
    let row = row.ok_or_else(|| {
        Fail::hint(
            format!("{} has not taken a turn yet", place.name),
            format!("let it live: bardo golem run {}", place.name),
        )
    })?;
    parse(&row.body)
}

fn text(s: &Status, safe_mode: bool, out: &Out) -> String {
    let standing = s.standing.name();
    let mut lines = vec![
        out.paint("1", &format!("{} ({})", s.name, s.id)),
        format!(
            "  {standing}, {}, {} at turn {}, {} old ({})",
            s.phase,
            s.mode,
            s.tick,
            show::age(s.age_days),
            show::time(s.at)
        ),
        format!("  vitality   {} {:.3}", bar(s.vitality.composite), s.vitality.composite),
        format!(
            "  economic   {} {:.3}   {} USDC, reserve {}",
            bar(s.vitality.economic),
            s.vitality.economic,
            s.balance,
            s.reserve
        ),
        format!(
            "  epistemic  {} {:.3}   trend {:+.4}",
            bar(s.vitality.epistemic),
            s.vitality.epistemic,
            s.fitness_trend
        ),
        format!(
            "  chance     survives the next day with {:.3} % (hazard {:.2e})",
            s.survival_24h * 100.0,
            s.hazard_rate
        ),
    ];
    let runway = s
        .projected_life_h
        .map_or_else(|| "nothing burns".to_owned(), |h| format!("{} at this burn", show::age(h / 24.0)));
    lines.push(format!("  runway     {runway}"));
    lines.push(format!(
        "  holds      operating {}, capital {}, positions {} ({:.0} % exposed), {} trades, earned {}",
        s.operating,
        s.capital,
        s.positions,
        s.exposure * 100.0,
        s.trades,
        s.earned
    ));
    for (n, (domain, f)) in s.domains.iter().enumerate() {
        let title = if n == 0 { "skill" } else { "" };
        let hits = s.hit_rates.get(domain).map_or(String::new(), |r| format!(", {:.0} % of classes right", r * 100.0));
        lines.push(format!("  {title:<10} {domain:<18} {f:.3}{hits}"));
    }
    let price = s.price.map_or(String::new(), |p| format!(" at {p:.2}"));
    lines.push(format!("  market     {}{price}", s.regime));
    if safe_mode {
        let why = "too many crashes in a row: it only observes and reduces risk until it has lived on for a while";
        lines.push(out.paint("31", &format!("  safe mode  {why}")));
    }
    if let Some(turns) = s.vigil {
        lines.push(out.paint("31", &format!("  vigil      {turns} turns so far: feed it, or it dies")));
    }
    if s.cage.halted.is_some() || s.cage.breaker != BreakerLevel::Calm {
        let halted = s.cage.halted.as_ref().map_or(String::new(), |why| format!(", halted: {why}"));
        let drawdown = f64::from(s.cage.drawdown_bps) / 100.0;
        lines.push(format!("  cage       breaker {} at a drawdown of {drawdown:.1} %{halted}", s.cage.breaker.name()));
    }
    if s.cage.bled {
        let bled = f64::from(s.cage.bled_bps) / 100.0;
        lines.push(format!("  bled       {bled:.1} % below its high-water mark: only reducing, until golem resume"));
    }
    if s.cage.reference.is_some_and(|reference| reference.kind != ReferenceKind::PoolMean) {
        lines.push(format!("  reference  {}", show::reference(s.cage.reference)));
    }
    lines.extend(super::suffering::lines(s));
    if s.shadow_phase != s.phase {
        lines.push(format!("  immortal   would be {}", s.shadow_phase));
    }
    if let Some(death) = &s.would_have_died_at {
        lines.push(format!("             would have died at turn {}: {}", death.tick, show::cause(&death.cause)));
    }
    if let Some(death) = &s.death {
        lines.push(format!("  died of    {}", show::cause(&death.cause)));
    }
    lines.join("\n")
}
