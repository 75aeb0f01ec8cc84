//! `bardo golem status ID [--watch]`, `bardo golem story ID`.

use crate::chart::bar;
use crate::cli::StatusArgs;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::obituary;
use crate::out::Out;
use crate::show;
use golem_cage::BreakerLevel;
use golem_core::intent::Asset;
use golem_core::{ReferenceKind, Usdc};
pub use golem_home::cards::status as read;
use golem_home::cards::{StatusReport, report};
use golem_life::{LifeStanding, Status};
use golem_mortality::Death;
use golem_mortality::epistemic::NAIVE_FITNESS;
use golem_view::cause::cause;
use golem_view::{money, position, time};
use std::time::Duration;

/// How it is, once or again and again.
pub fn run(args: &StatusArgs, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    let mut told = None;
    loop {
        let status = read(&place)?;
        let standing = status.standing;
        if told != Some(status.tick) {
            told = Some(status.tick);
            let told = report(&place, status)?;
            out.result(&told, || match &told.status.death {
                Some(death) if standing == LifeStanding::Dead => text_of_the_dead(&told, death, home_flag, out),
                _ => text(&told, out),
            })?;
        }
        if !args.watch || standing == LifeStanding::Dead {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// Its life as a story, dead or alive.
pub fn story(id: &str, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    let place = home.golem(id)?;
    read(&place)?;
    let told = obituary::read(&place.dir)?;
    out.result(&told, || obituary::text(&told, out, home_flag))
}

/// Of the dead: when, of what, and what is left. There is no next turn, nothing to run out of and nothing to unlock.
fn text_of_the_dead(of: &StatusReport, death: &Death, home_flag: &str, out: &Out) -> String {
    let s = &of.status;
    let age = death.age.age();
    let (v, name) = (&death.final_vitality, &s.name);
    let mut lines = vec![format!(
        "  died       {}, {} old, in turn {}",
        time::moment(of.born_at.after(age)),
        time::age(age.as_days()),
        money::grouped(u128::from(death.tick.0))
    )];
    lines.push(format!("  of         {}", cause(&death.cause)));
    lines.push(format!(
        "  as         {} (vitality {:.2}: money {:.2}, knowledge {:.2}, age {:.2})",
        v.phase, v.composite, v.economic, v.epistemic, v.age_factor
    ));
    let held = match s.positions {
        Usdc::ZERO => String::new(),
        positions => format!(", of which {} in positions that stay as they are", money::usdc(positions)),
    };
    lines.push(format!("  left       {} USDC{held}", money::usdc(s.worth())));
    lines.extend(home_line(s));
    lines.push(money_line(s));
    lines.extend(model_lines(of));
    lines.push(format!(
        "  skill      {:.3} in the end, where {NAIVE_FITNESS} is as good as a naive guess",
        s.vitality.epistemic
    ));
    let lines = lines.iter().map(|line| folded(line)).collect::<Vec<_>>().join("\n");
    let deeper = [
        ("its life", "golem story"),
        ("its trades", "golem trades"),
        ("for a successor", "golem successor --inherit-grimoire"),
    ];
    let deeper: Vec<String> =
        deeper.iter().map(|(what, command)| format!("  {what:<16} bardo{home_flag} {command} {name}")).collect();
    format!("{}\n{lines}\n{}", out.paint("1", &format!("† {name} ({})", s.id)), deeper.join("\n"))
}

/// What went home to its owner, and what is on its way.
fn home_line(s: &Status) -> Option<String> {
    let home = s.home?;
    let asset = match home.asset {
        Asset::ZERO => String::new(),
        asset => format!(" and {} ETH", money::eth(asset)),
    };
    let spent = match home.spent_before {
        Usdc::ZERO => String::new(),
        spent => format!(", of which {} had been spent and settled off the chain", money::usdc(spent)),
    };
    let open = home.withdrawing.map_or(String::new(), |order| format!("; order {order} is on its way"));
    Some(format!("  home       {} USDC{asset} went to its owner{spent}{open}", money::usdc(home.usdc)))
}

fn model_lines(of: &StatusReport) -> Vec<String> {
    let Some(models) = &of.models else { return Vec::new() };
    let words = models.ever.words((models.asked_today, models.spent_today));
    words.iter().enumerate().map(|(n, line)| format!("  {:<10} {line}", if n == 0 { "models" } else { "" })).collect()
}

fn text(of: &StatusReport, out: &Out) -> String {
    let s = &of.status;
    let standing = s.standing.name();
    let mut lines = vec![
        format!(
            "  {standing}, {}, {} at turn {}, {} old ({})",
            s.phase,
            s.mode,
            s.tick,
            time::age(s.age_days),
            time::moment(s.at)
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
        format!("  chance     {:.3} % that the dice let it live another day", s.survival_24h * 100.0),
    ];
    let runway = s
        .projected_life_h
        .map_or_else(|| "nothing burns".to_owned(), |h| format!("{} at this burn", time::age(h / 24.0)));
    lines.push(format!("  runway     {runway}"));
    lines.push(format!(
        "  holds      {} to live on, {} to put to work, {} in positions ({:.0} % exposed)",
        money::usdc(s.operating),
        money::usdc(s.capital),
        money::usdc(s.positions),
        s.exposure * 100.0
    ));
    lines.extend(s.open.iter().map(|open| format!("             {}", position::words(open))));
    lines.push(money_line(s));
    if let Some(coin) = s.coin {
        lines.push(format!("  gas        {} ETH of coin to pay for it", money::eth(coin)));
    }
    lines.extend(home_line(s));
    // The same figures as `predictions` shows: shares of loss that are saved, over five days.
    let shown = s.forecasts.iter().filter(|f| s.domains.contains_key(f.domain.name()));
    for (n, f) in shown.enumerate() {
        let (title, domain) = (if n == 0 { "skill" } else { "" }, f.domain.name());
        let hits = s.hit_rates.get(domain).map_or(String::new(), |r| format!(", {:.0} % of classes right", r * 100.0));
        let newborn = f.newborn.map_or(String::new(), |x| format!(", {x:+.3} against a newborn"));
        lines.push(format!("  {title:<10} {domain:<18} {:+.3}{newborn}{hits}", f.skill.unwrap_or(0.0)));
    }
    let price = s.price.map_or(String::new(), |p| format!(", ETH at {}", money::price(p)));
    lines.push(format!("  market     {}{price}", s.regime));
    lines.extend(model_lines(of));
    if of.safe_mode {
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
        lines.push(format!("             would have died at turn {}: {}", death.tick, cause(&death.cause)));
    }
    if let Some(death) = &s.death {
        lines.push(format!("  dying of   {}", cause(&death.cause)));
    }
    let lines: Vec<String> = lines.iter().map(|line| folded(line)).collect();
    format!("{}\n{}", out.paint("1", &format!("{} ({})", s.name, s.id)), lines.join("\n"))
}

/// What it was given, and where that went.
fn money_line(s: &Status) -> String {
    format!(
        "  money      {} given, {} earned in {} trades, {} spent on living and gas",
        money::usdc(s.funded),
        money::signed(s.earned),
        s.trades,
        money::usdc(s.spent)
    )
}
