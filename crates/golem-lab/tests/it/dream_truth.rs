//! Whether dreams find what is true of a world: when the truth is staged, when it stands in the playbook, with and without
//! dreams.

use golem_core::Usdc;
use golem_dreams::DreamFact;
use golem_grimoire::Provenance;
use golem_lab::Subject;
use golem_lab::knowledge::agreement;
use golem_lab::world::{Agreement, Truth, place};
use golem_life::{Fact, Settings};
use golem_mind::policy::Template;

#[derive(Debug, Default, Clone)]
struct Found {
    first_dream: Option<u64>,
    staged: Option<u64>,
    staged_by_dream: Option<u64>,
    believed: Option<u64>,
    ruled: Option<u64>,
    ruled_number: u64,
    proposals: usize,
    untrue: usize,
}

fn live(world: &str, seed: u64, turns: u64, dreams: bool) -> Found {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    settings.policy.template = Template::LpManagement;
    settings.dream.enabled = dreams;
    let place = place(world, seed).unwrap();
    let truth: Truth = place.truth.clone();
    let mut golem = Subject::placed(seed, Usdc::whole(500), &settings, place).unwrap();
    let mut found = Found::default();
    for t in 0..turns {
        golem.turn();
        let is_start = |f: &&golem_core::fact::Envelope<Fact>| matches!(&f.body, Fact::Dream(d) if matches!(**d, DreamFact::Start{..}));
        if found.first_dream.is_none() && golem.facts.iter().any(|f| is_start(&f)) {
            found.first_dream = Some(t);
        }
        if t % 10 != 0 {
            continue;
        }
        let g = golem.life().grimoire().unwrap();
        let is_true = |c: &golem_grimoire::Claim| agreement(c, &truth) == Some(Agreement::True);
        if found.staged.is_none() && g.staging().proposals().any(|p| is_true(&p.claim)) {
            found.staged = Some(t);
        }
        if found.staged_by_dream.is_none()
            && g.staging().proposals().any(|p| is_true(&p.claim) && p.source == Provenance::Dream)
        {
            found.staged_by_dream = Some(t);
        }
        if found.believed.is_none()
            && g.shelf().in_use().any(|e| e.standing.own_validation && e.body.claim.as_ref().is_some_and(is_true))
        {
            found.believed = Some(t);
        }
        if found.ruled.is_none() {
            let rule = g.playbook().rules().find(|r| {
                let entry = r.id().entry().and_then(|id| g.shelf().entry(id));
                entry.is_some_and(|e| e.body.claim.as_ref().is_some_and(is_true))
            });
            if let Some(_r) = rule {
                found.ruled = Some(t);
            }
        }
        found.proposals = g.staging().proposals().count();
        found.untrue = g
            .playbook()
            .rules()
            .filter(|r| {
                let entry = r.id().entry().and_then(|id| g.shelf().entry(id));
                entry.and_then(|e| agreement(e.body.claim.as_ref()?, &truth)) == Some(Agreement::False)
            })
            .count();
    }
    found
}

#[test]
fn look() {
    let Ok(worlds) = std::env::var("DT_WORLDS") else { return };
    let seeds: u64 = std::env::var("DT_SEEDS").map_or(4, |s| s.parse().unwrap());
    let turns: u64 = std::env::var("DT_TURNS").map_or(12_000, |s| s.parse().unwrap());
    for world in worlds.split(',') {
        for seed in 0..seeds {
            for dreams in [false, true] {
                println!("{world} {seed} {dreams}: {:?}", live(world, seed, turns, dreams));
            }
        }
    }
}

#[test]
fn dump() {
    use golem_core::observed::Field as F;
    use std::io::Write;
    let Ok(worlds) = std::env::var("DUMP_WORLDS") else { return };
    let seeds: u64 = std::env::var("DT_SEEDS").map_or(4, |s| s.parse().unwrap());
    let turns: u64 = std::env::var("DT_TURNS").map_or(12_000, |s| s.parse().unwrap());
    let fields = [
        F::MarketGasRatio,
        F::MarketVolatilityRatio,
        F::MarketReturn15,
        F::MarketReturn90,
        F::MarketLeadReturn,
        F::MarketFeeYieldRatio,
        F::MarketVolumeRatio,
        F::MarketHour,
        F::MarketShock,
    ];
    for world in worlds.split(',') {
        for seed in 0..seeds {
            let mut settings = Settings::default();
            settings.mortality.immortal = true;
            settings.diagnostics.enabled = false;
            let place = place(world, seed).unwrap();
            let truth: Truth = place.truth.clone();
            let mut golem = Subject::placed(seed, Usdc::whole(500), &settings, place).unwrap();
            let mut out =
                std::io::BufWriter::new(std::fs::File::create(format!("/tmp/dump/{world}-{seed}.csv")).unwrap());
            writeln!(out, "# {:?}", truth.links).unwrap();
            let mut done = 0u64;
            for _ in 0..turns / 1000 {
                golem.turns(1000);
                let series = golem.life().grimoire().unwrap().series();
                let ticks = series.ticks();
                for t in ticks.start.max(done)..ticks.end {
                    let s = series.snapshot(t, &fields);
                    let row: Vec<String> = fields
                        .iter()
                        .map(|f| s.get(*f).and_then(|v| v.as_f64()).map_or(String::new(), |x| format!("{x:.5}")))
                        .collect();
                    writeln!(out, "{t},{}", row.join(",")).unwrap();
                }
                done = ticks.end;
            }
        }
    }
}

#[test]
fn entries() {
    let Ok(worlds) = std::env::var("EN_WORLDS") else { return };
    let seeds: u64 = std::env::var("DT_SEEDS").map_or(3, |s| s.parse().unwrap());
    let turns: u64 = std::env::var("DT_TURNS").map_or(20_000, |s| s.parse().unwrap());
    for world in worlds.split(',') {
        for seed in 0..seeds {
            let mut settings = Settings::default();
            settings.mortality.immortal = true;
            settings.diagnostics.enabled = false;
            let place = place(world, seed).unwrap();
            println!("== {world} {seed}: {}", place.truth.sentence);
            let mut golem = Subject::placed(seed, Usdc::whole(500), &settings, place).unwrap();
            let mut seen = std::collections::BTreeMap::new();
            for n in 0..turns / 500 {
                golem.turns(500);
                for e in golem.life().grimoire().unwrap().shelf().in_use() {
                    let key = (e.standing.own_validation, e.is_hunch());
                    if e.body.claim.is_none() && e.body.edge.is_none() {
                        continue;
                    }
                    if seen.insert(e.id, key) != Some(key) {
                        println!(
                            "  {} {:?} own {} hunch {} conf {} | {:?} | {:?} | {}",
                            (n + 1) * 500,
                            e.body.kind,
                            key.0,
                            key.1,
                            e.standing.confidence_bp,
                            e.body.claim.as_ref().map(|c| format!("{} -> {} @{}", c.when, c.then, c.after_ticks)),
                            e.body.edge,
                            e.body.text
                        );
                    }
                }
            }
        }
    }
}
