//! What dreams are worth to a mind: what is true of a world is found in the record asleep, confirmed awake, and lived by; where
//! there is nothing to find, nothing is.

use golem_core::Usdc;
use golem_dreams::DreamFact;
use golem_grimoire::{Claim, EntryBody, EntryKind, Grimoire, Provenance};
use golem_lab::Subject;
use golem_lab::knowledge::agreement;
use golem_lab::world::{Agreement, place};
use golem_life::{Fact, LifeFact, Settings};

/// Turns within which what was dreamt is to be lived by.
const WITHIN: u64 = 10_000;
/// No first dream is later than this.
const LATEST: u64 = 13_000;
/// Worlds, and whether what is true there is found asleep: what the second series does first, waking hours find by themselves.
const WORLDS: [(&str, bool); 3] = [("fee-bursts@1x15", true), ("gas-hours", true), ("contagion@6", false)];

struct DreamtLife {
    /// None when it knew before it ever slept.
    first_dream: Option<u64>,
    /// When a rule first said what is true, and whether a dream had proposed it.
    knew: Option<(u64, bool)>,
    /// Whether it was told that a dream had brought a revision of its playbook.
    told: bool,
    /// Rules, and whatever dreams brought, that are untrue of this world.
    untrue: Vec<String>,
}

impl DreamtLife {
    /// There was nothing left to dream of.
    fn knew_before(&self) -> bool {
        self.knew.is_some_and(|(turn, _)| self.first_dream.is_none_or(|first| turn <= first))
    }
    fn found_asleep(&self) -> bool {
        !self.knew_before() && self.first_dream.is_some() && self.knew.is_some_and(|(_, dreamt)| dreamt)
    }
}

fn is_start(fact: &Fact) -> bool {
    matches!(fact, Fact::Dream(dream) if matches!(**dream, DreamFact::Start { .. }))
}

fn is_dreamt_revision(fact: &Fact) -> bool {
    matches!(fact, Fact::Life(LifeFact::PlaybookRevised { dreamt: true, .. }))
}

/// The rules it lives by.
fn lived_by(grimoire: &Grimoire) -> impl Iterator<Item = &EntryBody> {
    grimoire.playbook().rules().filter_map(|rule| Some(&grimoire.shelf().entry(rule.id().entry()?)?.body))
}

/// Those, and whatever else dreams have brought that is in use. A warning of a threat says nothing of this world.
fn believed(grimoire: &Grimoire) -> impl Iterator<Item = &Claim> {
    let dreamt = grimoire.shelf().in_use().map(|e| &e.body);
    let dreamt = dreamt.filter(|b| b.provenance == Provenance::Dream && b.kind != EntryKind::Warning);
    lived_by(grimoire).chain(dreamt).filter_map(|b| b.claim.as_ref())
}

/// A dreaming life until it lives by the truth, or until so long after its first dream.
fn dreamer(world: &str, seed: u64) -> DreamtLife {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    settings.dream.enabled = true;
    let place = place(world, seed).expect("a world");
    let truth = place.truth.clone();
    let mut golem = Subject::placed(seed, Usdc::whole(500), &settings, place).expect("it lives");
    let (mut first, mut knew, mut told, mut untrue) = (None, None, false, Vec::new());
    for turn in 0..LATEST + WITHIN {
        golem.turn();
        told |= golem.facts.iter().any(|f| is_dreamt_revision(&f.body));
        if first.is_none() && golem.facts.iter().any(|f| is_start(&f.body)) {
            first = Some(turn);
        }
        if first.is_some_and(|first| turn >= first + WITHIN) || knew.is_some() {
            break;
        }
        let Some(grimoire) = golem.life().grimoire() else { continue };
        if turn.is_multiple_of(10) {
            let is_true = |b: &&EntryBody| b.claim.as_ref().and_then(|c| agreement(c, &truth)) == Some(Agreement::True);
            let rules: Vec<_> = lived_by(grimoire).filter(is_true).collect();
            knew = (!rules.is_empty()).then(|| (turn, rules.iter().any(|b| b.provenance == Provenance::Dream)));
            let wrong = believed(grimoire).filter(|claim| agreement(claim, &truth) == Some(Agreement::False));
            for claim in wrong.map(|c| format!("{} -> {} @{}", c.when, c.then, c.after_ticks)) {
                if !untrue.contains(&claim) {
                    untrue.push(claim);
                }
            }
        }
    }
    DreamtLife { first_dream: first, knew, told, untrue }
}

fn seeds(short: u64) -> u64 {
    if std::env::var_os("BARDO_LONG").is_some() { 30 } else { short }
}

#[test]
fn what_is_true_is_found_asleep_confirmed_awake_and_lived_by() {
    for (world, is_dreamt) in WORLDS {
        let n = seeds(2);
        // Who knew before it first slept has nothing to find asleep; others are looked at in its place.
        let (mut slept, mut knew, mut asleep, mut awake, mut told) = (0, 0, 0, 0, 0);
        for seed in 0..6 * n {
            let life = dreamer(world, seed);
            println!(
                "{world} {seed}: first dream {:?}, knew {:?}, untrue {:?}",
                life.first_dream, life.knew, life.untrue
            );
            if life.knew_before() {
                knew += 1;
                continue;
            }
            slept += 1;
            asleep += u64::from(life.found_asleep());
            told += u64::from(life.found_asleep() && life.told);
            awake += u64::from(life.knew.is_some() && !life.found_asleep());
            if slept == n {
                break;
            }
        }
        println!("{world}: {asleep} of {slept} found it asleep, {awake} awake; {knew} others knew before they slept");
        // Who wakes to what others found that day writes one revision of both, which is the curator's.
        assert!(told > 0 || asleep == 0, "{world}: nobody said that a dream had brought it");
        // Of thirty, three may be out of luck; of the few of every day one may.
        let found = if is_dreamt { asleep } else { asleep + awake };
        assert!(slept == n && found >= if n == 30 { 27 } else { n - 1 }, "{world}: {found} of {slept}");
    }
}

#[test]
fn where_there_is_nothing_to_know_nothing_is_lived_by() {
    let n = seeds(1);
    let mut clean = 0;
    for seed in 0..n {
        let life = dreamer("flat", seed);
        println!("flat {seed}: first dream {:?}, untrue {:?}", life.first_dream, life.untrue);
        clean += u64::from(life.untrue.is_empty());
    }
    assert!(clean >= if n == 30 { 28 } else { n }, "{clean} of {n}");
}
