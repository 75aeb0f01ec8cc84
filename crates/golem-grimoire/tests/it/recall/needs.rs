//! Recall of what is needed: in situations made for one entry each, is it among the first five? Asked with and without what
//! is seen, which is how memory was asked before.

use crate::kit::{active, body, claim};
use golem_core::dice::{Dice, Draws, Strand};
use golem_core::observed::{Field, Snapshot};
use golem_core::{Regime, Tick, VirtualTime};
use golem_grimoire::retrieval::Query;
use golem_grimoire::{
    Entry, EntryBody, EntryId, EntryKind, Grimoire, Remembered, Situation, Standing, WarningSeverity,
};
use std::collections::BTreeMap;

const NOW: VirtualTime = VirtualTime(20 * 86_400_000);
const WEATHERS: [Regime; 4] = [Regime::RangeBound, Regime::TrendingUp, Regime::TrendingDown, Regime::Volatile];
const RATIOS: [Field; 4] =
    [Field::MarketGasRatio, Field::MarketFeeYieldRatio, Field::MarketVolatilityRatio, Field::MarketVolumeRatio];

/// A moment in which one entry is needed.
struct Moment {
    need: EntryId,
    seen: Snapshot,
    situation: Situation,
    weather: Regime,
}

/// As a life leaves them: some are believed and fresh, most are neither.
fn standing(draws: &mut Draws) -> impl Fn(&mut Standing) + use<> {
    let (bp, quality, days) = (draws.uniform(), draws.uniform(), draws.uniform());
    move |s| {
        s.confidence_bp = 3_000 + (6_900.0 * bp) as u16;
        s.quality = 0.3 + 0.6 * quality as f32;
        s.last_validated = VirtualTime(NOW.0 - (14.0 * 86_400_000.0 * days) as u64);
    }
}

fn place(draws: &mut Draws) -> Situation {
    let mut here = Situation::default();
    for x in &mut here.0 {
        *x = if draws.uniform() < 0.4 { draws.normals().0 as f32 * 1.5 } else { 0.0 };
    }
    here
}

fn near(situation: &Situation, draws: &mut Draws) -> Situation {
    Situation(situation.0.map(|x| x + 0.4 * draws.normals().0 as f32))
}

/// What is usual, with a little noise.
fn usual(draws: &mut Draws) -> Snapshot {
    let mut seen = Snapshot::new();
    for field in RATIOS {
        seen.set_number(field, (0.15 * draws.normals().0).exp()).expect("a number");
    }
    for field in [Field::MarketReturn15, Field::MarketReturn90] {
        seen.set_number(field, 0.002 * draws.normals().0).expect("a number");
    }
    seen
}

/// A library of what lives come to know, and a moment for each entry of it that says when it holds.
fn library(seed: u64) -> (Vec<Entry>, Vec<Moment>) {
    let mut draws = Dice::open(seed, Strand::World).draws(0);
    let (mut entries, mut moments) = (Vec::new(), Vec::new());
    let mut keep = |body: EntryBody, draws: &mut Draws| {
        let mut entry = active(EntryBody { learnt_at: VirtualTime(0), ..body }, 6_000);
        standing(draws)(&mut entry.standing);
        let id = entry.id;
        entries.push(entry);
        id
    };
    for (n, cause) in RATIOS.into_iter().enumerate() {
        for (m, effect) in RATIOS.into_iter().enumerate().filter(|(m, _)| *m != n) {
            for (bound, above) in [(1.8, true), (0.5, false)] {
                let sign = if above { ">" } else { "<" };
                let (when, then) = (format!("{cause} {sign} {bound:?}"), format!("{effect} > 1.{m}"));
                let text = format!("When {when}, then {then} about 20 minutes later.");
                let need = keep(
                    EntryBody { claim: Some(claim(&when, &then, 30)), ..body(EntryKind::Insight, &text) },
                    &mut draws,
                );
                let (mut seen, weather) = (usual(&mut draws), WEATHERS[(draws.uniform() * 4.0) as usize]);
                seen.set_number(cause, if above { 2.4 } else { 0.4 }).expect("a number");
                moments.push(Moment { need, seen, situation: place(&mut draws), weather });
            }
        }
    }
    for action in ["buy", "sell", "add", "remove", "rebalance"] {
        for weather in WEATHERS {
            for warns in [false, true] {
                let (there, went) = (place(&mut draws), if draws.uniform() < 0.5 { "well" } else { "badly" });
                let tags = vec![format!("action:{action}"), format!("went:{went}")];
                let learnt =
                    EntryBody { regime: Some(weather), prototype: Some(there), ..body(EntryKind::Insight, "") };
                let learnt = if warns {
                    let text = format!("To {action} in {weather} weather can cost dearly.");
                    let severity = Some(WarningSeverity::Medium);
                    EntryBody { kind: EntryKind::Warning, severity, text, tags: vec![tags[0].clone()], ..learnt }
                } else {
                    EntryBody { text: format!("To {action} in {weather} weather tends to go {went}."), tags, ..learnt }
                };
                let need = keep(learnt, &mut draws);
                let (seen, situation) = (usual(&mut draws), near(&there, &mut draws));
                moments.push(Moment { need, seen, situation, weather });
            }
        }
    }
    for n in 0..12 {
        keep(
            body(EntryKind::Insight, &format!("Remark {n}: patience in {} weather pays.", WEATHERS[n % 4])),
            &mut draws,
        );
    }
    (entries, moments)
}

/// Found among the first five, mean reciprocal rank, and the largest share of moments that any one entry was recalled in.
#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    at_five: f64,
    reciprocal: f64,
    commonest: f64,
}

fn measured(seeds: std::ops::Range<u64>, sees: bool) -> Figures {
    let (mut figures, mut moments_seen) = (Figures::default(), 0.0);
    for seed in seeds.clone() {
        let (entries, moments) = library(seed);
        let memory = Remembered { entries: entries.into_iter().map(|e| (e, None)).collect(), ..Remembered::default() };
        let newborn = Grimoire::new("wanderer".parse().unwrap(), crate::kit::origin());
        let mut grimoire =
            Grimoire::rebuild("wanderer".parse().unwrap(), crate::kit::origin(), newborn.state(), &memory).unwrap();
        let mut counts: BTreeMap<EntryId, u32> = BTreeMap::new();
        for (n, moment) in moments.iter().enumerate() {
            // The weather settles before it is asked in.
            let day = VirtualTime(NOW.0 + n as u64 * 86_400_000);
            let later = VirtualTime(day.0 + 6 * 3_600_000);
            for (tick, at) in [(2 * n as u64, day), (2 * n as u64 + 1, later)] {
                grimoire.observe(Tick(tick), at, moment.weather, &Snapshot::new());
            }
            let words = moment.weather.name().replace('_', " ");
            let query = Query {
                situation: Some(moment.situation),
                seen: sees.then(|| moment.seen.clone()),
                text: format!("{words} weather: {}", moment.situation.describe(4)),
                ..Query::at(later)
            };
            let found = grimoire.look_up(&query);
            let rank = found.hits.iter().position(|hit| hit.id == moment.need).map(|at| at + 1);
            figures.at_five += f64::from(u8::from(rank.is_some_and(|r| r <= 5)));
            figures.reciprocal += rank.map_or(0.0, |r| 1.0 / r as f64);
            found.hits.iter().for_each(|hit| *counts.entry(hit.id).or_default() += 1);
            moments_seen += 1.0;
        }
        let most = f64::from(counts.into_values().max().unwrap_or(0)) / moments.len() as f64;
        figures.commonest += most / seeds.clone().count() as f64;
    }
    Figures { at_five: figures.at_five / moments_seen, reciprocal: figures.reciprocal / moments_seen, ..figures }
}

#[test]
fn what_is_needed_is_among_the_first_five_and_nothing_is_always_there() {
    let seeds = if std::env::var_os("BARDO_LONG").is_some() { 0..12 } else { 0..2 };
    let [before, now] = [false, true].map(|sees| measured(seeds.clone(), sees));
    println!("asked by words and situation alone: {before:?}\nasked what applies to what is seen:   {now:?}");
    assert!(now.at_five > 0.8 && now.reciprocal > 0.5, "{now:?}");
    assert!(now.at_five > before.at_five + 0.2 && now.reciprocal > before.reciprocal + 0.2, "{before:?} {now:?}");
    assert!(now.commonest < 0.6 * before.commonest, "{before:?} {now:?}");
}
