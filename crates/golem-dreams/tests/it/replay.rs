//! Replay over a whole memory: the same night is the same, what is asked can be asked, and what was replayed is firmer.

use golem_core::door::{ForkFailure, ForkRequest, MOST_FORK_RUNS};
use golem_core::intent::Outcome;
use golem_core::{Asset, Dice, GolemId, Intent, Point, Regime, Strand, Tick, Timestamp, Usdc, UsdcDelta, VirtualTime};
use golem_dreams::DreamSeen;
use golem_dreams::replay::triage::TriageFound;
use golem_dreams::replay::{
    ReplayKnown, ReplayRules, ReplayScene, batches, credit, patterns, perturb, select, triage, weigh,
};
use golem_dreams::schedule::DreamLegacy;
use golem_grimoire::entry::EntryOrigin;
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::shelf::RECENT_EPISODES;
use golem_grimoire::{Episode, EpisodeId, EpisodeKind, Grimoire, Importance, Situation, Went};
use golem_mortality::BehavioralPhase;
use std::collections::BTreeSet;

fn seen(n: u64) -> DreamSeen {
    DreamSeen {
        tick: Tick(n * 3),
        now: VirtualTime(n * 120_000),
        at: Timestamp(1_767_225_600 + (n * 120) as i64),
        phase: BehavioralPhase::Stable,
        fitness: 0.6,
        age_ratio: 0.2,
        projected_life_h: None,
        regime: Regime::RangeBound,
        volatility_fifth: 3,
        surprise: 0.5,
        episodes: n,
        unreplayed: 10,
        unresolved_arousal: 0.1,
        recent_loss: 0.0,
        model_purse_share: 0.6,
        permit_pending: false,
        market_active: false,
        suffering: 0.0,
        unresolved_patterns: false,
    }
}

/// The `n`-th thing that happened in a life: trades of four acts, of which every second one loses.
fn happened(n: u64) -> Episode {
    let trade = n / 4 + 1;
    let realised = if n % 4 == 3 { [7_000, -9_001][(trade % 2) as usize] * (1 + (n % 11) as i64) } else { 0 };
    let mut situation = Situation::default();
    for (at, x) in situation.0.iter_mut().enumerate() {
        *x = ((n * 31 + at as u64 * 17) % 13) as f32 / 4.0 - 1.5;
    }
    Episode {
        id: EpisodeId(n + 1),
        tick: Tick(n * 3),
        age: VirtualTime(n * 120_000),
        at: Timestamp(1_767_225_600 + (n * 120) as i64),
        kind: EpisodeKind::Action,
        situation,
        text: format!("act {n}"),
        regime: Regime::ALL[(n / 40 % 5) as usize],
        deed: Some(EpisodeDeed {
            intent: Intent::Buy { pay: Usdc::whole(5), min_out: Asset(1) },
            point: Point { block: n + 1, index: 2 },
            trade,
            predicted_bps: Some(-4.0),
            actual_bps: Some(-4.0 - (n % 7) as f64),
            realised: UsdcDelta(realised),
            outcome: Some(Outcome::Bought { paid: Usdc::whole(5), got: Asset(2) }),
            on_paper: false,
        }),
        surprise: (n % 9) as f32 / 3.0,
        went: Went::Neutral,
        importance: Importance::Routine,
        cost: Usdc(900),
        affect: Some([0.0, (n % 10) as f32 / 10.0, 0.0]),
    }
}

fn grimoire(n: u64) -> Grimoire {
    let origin = EntryOrigin { golem: GolemId([7; 16]), generation: 0 };
    let mut grimoire = Grimoire::new("ash".parse().unwrap(), origin);
    for at in 0..n {
        grimoire.record(happened(at));
    }
    grimoire
}

/// One night's replay as text: everything that was chosen, asked and found.
fn night(grimoire: &Grimoire, n: u64, cycle: u32) -> (String, Vec<EpisodeId>) {
    let (rules, seen, dice) = (ReplayRules::default(), seen(n), Dice::open(3, Strand::Mind));
    let episodes: Vec<_> = grimoire.shelf().episodes().collect();
    let known = ReplayKnown::of(grimoire.shelf());
    let here = happened(n).situation;
    let (legacy, confused) = (DreamLegacy::None, false);
    let scene = ReplayScene {
        rules: &rules,
        seen: &seen,
        situation: &here,
        known: &known,
        cycle,
        legacy,
        confused,
        dice: &dice,
    };
    let weighed = weigh(&scene, &episodes);
    let chosen = select(&scene, &weighed, 20);
    let asked = perturb::ask(&scene, &chosen);
    assert!(asked.runs.iter().all(golem_core::door::ForkRun::is_sound) && asked.runs.len() <= MOST_FORK_RUNS);
    let failed = ForkRequest { runs: asked.runs.clone() }.unanswered(ForkFailure::NoChain).runs;
    assert_eq!(perturb::take(&rules, &asked.plans, &failed), Vec::new(), "no chain, no word");
    let traced = credit::trace(&rules, &episodes, true, &BTreeSet::new());
    let ids: Vec<EpisodeId> = chosen.iter().map(|c| c.of.episode.id).collect();
    let found = patterns::find(&rules, &episodes, &ids.iter().copied().collect());
    let sorted = triage::sort(&rules, &known, &TriageFound::default(), &chosen, &episodes);
    assert_eq!(sorted.len(), chosen.len());
    assert_eq!(batches(&chosen, 10).map(<[_]>::len).sum::<usize>(), chosen.len());
    (format!("{chosen:?}{asked:?}{traced:?}{found:?}{sorted:?}"), ids)
}

#[test]
fn the_same_night_is_the_same() {
    for n in [0, 1, 7, 300, RECENT_EPISODES as u64 + 50] {
        let grimoire = grimoire(n);
        assert_eq!(night(&grimoire, n, 4), night(&grimoire, n, 4), "{n} episodes");
    }
}

#[test]
fn what_was_replayed_is_firmer_within_bounds_and_makes_room_for_others() {
    let mut grimoire = grimoire(300);
    let now = seen(300).now;
    let (_, first) = night(&grimoire, 300, 0);
    assert_eq!(first.len(), 20);
    grimoire.dream_desk(now).replayed(&first, 0.5);
    let strength = |g: &Grimoire| g.shelf().marks(first[0]).map(|m| m.strength);
    assert_eq!(strength(&grimoire), Some(1.5));
    let (_, second) = night(&grimoire, 300, 1);
    let again = second.iter().filter(|id| first.contains(id)).count();
    assert!(again < 5, "{again} of {} were replayed just now", second.len());
    for _ in 0..30 {
        grimoire.dream_desk(now).replayed(&first[..1], 0.5);
    }
    assert_eq!(strength(&grimoire), Some(8.0));
}
