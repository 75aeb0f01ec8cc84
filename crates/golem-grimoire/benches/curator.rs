//! A curator pass over many entries, and the waking sweep: `cargo bench -p golem-grimoire --bench curator`.

use divan::Bencher;
use golem_core::observed::{Field, Snapshot};
use golem_core::{GolemId, Intent, Point, Regime, Tick, Timestamp, Usdc, UsdcDelta, VirtualTime};
use golem_grimoire::admission::NoNeighbours;
use golem_grimoire::curator::{Curator, CuratorMaterial, CuratorRooms, MemoryRoom};
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::micro::Micro;
use golem_grimoire::relevance::WeatherWeights;
use golem_grimoire::series::Series;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::{ProposalDraft, Proposed, Staging, SweepMoment, ValidationRow};
use golem_grimoire::standing::Support;
use golem_grimoire::{
    Claim, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Episode, EpisodeKind, Importance, Provenance,
    Situation, Standing, Went,
};

fn main() {
    divan::main();
}

const ORIGIN: EntryOrigin = EntryOrigin { golem: GolemId([1; 16]), generation: 0 };
const NOW: VirtualTime = VirtualTime(20 * 86_400_000);

fn body(n: usize) -> EntryBody {
    let kind = [EntryKind::Insight, EntryKind::Heuristic, EntryKind::CausalLink, EntryKind::StrategyFragment][n % 4];
    let text = format!("Lesson number {n} about what tends to happen after something else.");
    EntryBody {
        claim: Some(claim(n)),
        regime: Some(Regime::ALL[n % 5]),
        prototype: Some(Situation::default()),
        ..EntryBody::own(kind, text, ORIGIN, VirtualTime(0))
    }
}

fn claim(n: usize) -> Claim {
    let then = "market.fee_yield_ratio > 2.0".to_owned();
    Claim { when: format!("market.gas_ratio > {n}.5"), then, unless: None, after_ticks: 20 }
}

fn shelf(entries: usize, episodes: u64) -> Shelf {
    let mut shelf = Shelf::default();
    for n in 0..entries {
        let mut standing = Standing::first(EntryStatus::Active, 7_000, Support::default(), VirtualTime(0));
        // From fresh to faded, so that every rule has work.
        (standing.last_validated, standing.retrievals) = (VirtualTime((n as u64 % 20) * 86_400_000), 1);
        shelf.add(Entry::new(body(n), standing));
    }
    for _ in 0..episodes {
        let id = shelf.next_episode();
        shelf.record(Episode {
            id,
            tick: Tick(id.0),
            age: NOW,
            at: Timestamp(0),
            kind: EpisodeKind::Action,
            situation: Situation::default(),
            text: String::new(),
            regime: Regime::ALL[(id.0 % 5) as usize],
            deed: Some(EpisodeDeed {
                intent: Intent::Collect,
                point: Point { block: id.0, index: 0 },
                trade: id.0 / 3,
                predicted_bps: None,
                actual_bps: None,
                realised: UsdcDelta(1),
                outcome: None,
                on_paper: false,
            }),
            surprise: 1.0,
            went: Went::Positive,
            importance: Importance::Routine,
            cost: Usdc(0),
            affect: None,
        });
    }
    shelf.take_changes();
    shelf
}

fn told<'a>(series: &'a Series) -> CuratorMaterial<'a> {
    CuratorMaterial {
        tick: Tick(43_200),
        now: NOW,
        weather: WeatherWeights::settled(Regime::Volatile),
        origin: ORIGIN,
        fitness: [Some(0.5); 6],
        mined: &[],
        edges: &[],
        series,
        neighbours: &NoNeighbours,
        parameters: &["lp_management.range_sigmas"],
        validate_first: const { &ValidationRow::new() },
    }
}

/// The first pass over everything, with 2,000 episodes in memory of which 40 are new.
#[divan::bench(args = [500, 5_000], sample_count = 40)]
fn cycle(bencher: Bencher<'_, '_>, entries: usize) {
    let series = Series::new();
    let mut ready = shelf(entries, 2_000);
    for id in 1..=1_960 {
        ready.mark(golem_grimoire::EpisodeId(id), |m| m.consolidated = true);
    }
    ready.take_changes();
    let room = MemoryRoom { active: entries, candidates: entries, ..MemoryRoom::default() };
    bencher.with_inputs(|| (ready.clone(), Staging::default(), Curator::new(room))).bench_local_values(
        |(mut shelf, mut staging, mut curator)| {
            curator.cycle(&mut CuratorRooms { shelf: &mut shelf, staging: &mut staging }, &told(&series));
            (shelf, staging)
        },
    );
}

/// A pass where the last one left little to do: what most cycles of a life are.
#[divan::bench(args = [500, 5_000], sample_count = 40)]
fn usual_cycle(bencher: Bencher<'_, '_>, entries: usize) {
    let series = Series::new();
    let (mut shelf, mut staging) = (shelf(entries, 2_000), Staging::default());
    let mut curator = Curator::new(MemoryRoom { active: entries, candidates: entries, ..MemoryRoom::default() });
    curator.cycle(&mut CuratorRooms { shelf: &mut shelf, staging: &mut staging }, &told(&series));
    bencher.bench_local(|| {
        curator.cycle(&mut CuratorRooms { shelf: &mut shelf, staging: &mut staging }, &told(&series));
        shelf.take_changes()
    });
}

#[divan::bench(args = [500, 5_000], sample_count = 40)]
fn deep(bencher: Bencher<'_, '_>, entries: usize) {
    let series = Series::new();
    let ready = shelf(entries, 100);
    bencher.with_inputs(|| (ready.clone(), Staging::default(), Curator::default())).bench_local_values(
        |(mut shelf, mut staging, mut curator)| {
            curator.deep(&mut CuratorRooms { shelf: &mut shelf, staging: &mut staging }, &told(&series));
            (shelf, staging)
        },
    );
}

/// One turn of the sweep with all places taken and 64 beliefs watched, in usual weather.
#[divan::bench(sample_count = 200, sample_size = 500)]
fn sweep(bencher: Bencher<'_, '_>) {
    let shelf = shelf(500, 0);
    let mut staging = Staging::default();
    for n in 0..64 {
        let b = EntryBody { claim: Some(claim(1_000 + n)), ..body(4 * n) };
        let draft = ProposalDraft {
            change: Proposed::Entry(Box::new(b)),
            claim: claim(1_000 + n),
            base_rate: 0.3,
            confidence_bp: 2_500,
            utility: 0.5,
            liminal: false,
            source: Provenance::SelfGenerated,
            among: golem_grimoire::experts::LevelShare::Staged,
        };
        staging.stage(&shelf, draft, VirtualTime(0));
    }
    staging.choose_watched(&shelf, &Series::new(), NOW, &ValidationRow::new());
    let mut snapshot = Snapshot::new();
    // One condition in a hundred holds.
    for (field, x) in [(Field::MarketGasRatio, 10.0), (Field::MarketFeeYieldRatio, 3.0)] {
        divan::black_box(snapshot.set_number(field, x).is_ok());
    }
    let mut now = 0;
    bencher.bench_local(move || {
        now += 40_000;
        staging.sweep(&SweepMoment { now: VirtualTime(now % 1_000_000_000), snapshot: &snapshot })
    });
}

/// Micro-consolidation in a turn with a new episode.
#[divan::bench(sample_count = 200)]
fn micro_pass(bencher: Bencher<'_, '_>) {
    let (mut shelf, mut micro) = (shelf(500, 50), Micro::default());
    micro.choose(&shelf);
    bencher.bench_local(move || micro.pass(&mut shelf, NOW));
}
