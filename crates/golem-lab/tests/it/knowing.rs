//! What lives come to know, read by somebody who knows the truth about their world: nothing twice, nothing untrue, nothing
//! that nobody can use, and playbooks that pass their own check.

use golem_core::Usdc;
use golem_grimoire::Claim;
use golem_lab::Subject;
use golem_lab::knowledge::{KnowledgeFaultKind, agreement, read_knowledge};
use golem_lab::world::{Agreement, place};
use golem_life::Settings;
use golem_mind::policy::Template;

/// A life of some days in a world by name, read at its end.
fn read(world: &str, seed: u64, days: u64, template: Template) -> golem_lab::knowledge::KnowledgeReading {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.policy.template = template;
    let place = place(world, seed).unwrap();
    let truth = place.truth.clone();
    let mut golem = Subject::placed(seed, Usdc::whole(500), &settings, place).unwrap();
    golem.turns(days * 2_160);
    let parameters: Vec<&str> = template.parameters().iter().map(|p| p.key).collect();
    read_knowledge(golem.life().grimoire().unwrap(), &parameters, &truth)
}

#[test]
fn nothing_that_is_used_is_said_twice_untrue_or_of_no_use() {
    let long = std::env::var_os("BARDO_LONG").is_some();
    let (seeds, days) = if long { (0..5, 30) } else { (0..1, 6) };
    let worlds: &[&str] = if long {
        &["flat", "gas-hours", "fee-bursts", "vol-fees", "reversal", "turning", "contagion"]
    } else {
        &["fee-bursts", "flat"]
    };
    let (mut rules, mut entries, mut found) = (0, 0, Vec::new());
    for world in worlds {
        for seed in seeds.clone() {
            let template = if seed % 2 == 0 { Template::LpManagement } else { Template::StableYield };
            let reading = read(world, seed, days, template);
            println!(
                "{world} {seed}: {} rules, {} entries, {} true, {} untrue on trial, {:?}",
                reading.rules, reading.entries, reading.proven_true, reading.untrue_on_trial, reading.faults
            );
            (rules, entries) = (rules + reading.rules, entries + reading.entries);
            found.extend(reading.faults);
        }
    }
    assert!(entries > 0, "nothing was used at all");
    println!("{rules} rules and {entries} entries read");
    let certain = |kind| !matches!(kind, KnowledgeFaultKind::Untrue);
    assert!(found.iter().all(|f| !certain(f.kind)), "{found:#?}");
    let untrue = found.len();
    // One level holds for a whole life: a claim in ten lives may be chance.
    assert!(untrue <= 1 + entries / 50, "{found:#?}");
}

#[test]
fn the_truth_tells_a_claim_from_its_opposite() {
    let truth = (0..40).map(|seed| place("vol-fees", seed).unwrap().truth).find(|t| !t.links.is_empty()).unwrap();
    let link = &truth.links[0];
    let claim = |sign: &str| Claim {
        when: format!("{} > 1.5", link.cause),
        then: format!("{} {sign} 1.5", link.effect),
        unless: None,
        after_ticks: u32::try_from(link.lag_ticks + link.length_ticks / 2).unwrap(),
    };
    let (with, against) = if link.sign > 0 { (">", "<") } else { ("<", ">") };
    if link.cause != link.effect {
        assert_eq!(agreement(&claim(with), &truth), Some(Agreement::True), "{truth:?}");
        assert_eq!(agreement(&claim(against), &truth), Some(Agreement::False), "{truth:?}");
    }
}
