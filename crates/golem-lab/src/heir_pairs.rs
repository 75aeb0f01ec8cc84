//! Heirs by the instrument: a parent lives in a world; where it ends an heir with what it left and a newborn with nothing live the
//! same days with the same dice, each on a market of its own that has come as far.

use crate::compare::{CompareError, LifeRow, Preferred};
use crate::kept_rows::KeptRows;
use crate::lineage::{LineageError, LineagePlan, born, floor, judged, loss, put};
use crate::stats::{ComparisonLine, JudgedOutcome, Judging, PairingError, judge};
use crate::subject::Subject;
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_core::{Hash, Usdc, plain};
use golem_life::Settings;
use golem_mortality::config::Deaths;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Days that the two live.
pub const PAIR_DAYS: u64 = 10;
/// Who is held against whom.
const HEIR: &str = "heir";
const NEWBORN: &str = "newborn";
/// What is judged: the summed loss in losses of the naive rule, and worth over what was given.
pub(crate) const LOSS: &str = "first_days_loss";
pub(crate) const WORTH: &str = "worth";
const LOSS_MARGIN: f64 = 0.01;
const WORTH_MARGIN: f64 = 0.003;

/// Pairs to be lived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeirPairsPlan {
    pub worlds: Vec<String>,
    pub paths: u64,
    pub first_seed: u64,
    /// Days that parents live.
    pub learnt: u64,
    #[serde(rename = "budget_micro_usdc")]
    pub budget: Usdc,
    pub settings: Hash,
    pub binary: Hash,
}

/// One pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeirPair {
    pub world: String,
    pub path: u64,
    pub heir_loss: Option<f64>,
    pub newborn_loss: Option<f64>,
    pub heir_worth: f64,
    pub newborn_worth: f64,
    /// Entries that the heir took in.
    pub inherited: u32,
}

/// Live one pair.
///
/// # Errors
/// When there is no such world, or its market cannot go on.
pub fn heir_pair(plan: &HeirPairsPlan, base: &Settings, world: &str, path: u64) -> Result<HeirPair, LineageError> {
    let mut settings = base.clone();
    settings.mortality.deaths = Deaths::Recorded;
    let line = LineagePlan {
        world: world.to_owned(),
        seed: plan.first_seed + path,
        budget: plan.budget,
        generations: 2,
        settings,
        most_days: plan.learnt,
    };
    let ground = floor(&line)?;
    let parent = born(&line, 0, 0, &ground, None);
    let subject = lived(put(&parent, &ground, 0), plan.learnt as f64);
    let (_, _, _, left) = judged(&parent.0, &subject);
    let joined = plan.learnt * NOMINAL_TICKS_PER_DAY + 1;
    let first_days = |of| -> Result<(Subject, golem_life::Genesis), LineageError> {
        let ground = floor(&line)?;
        let born = born(&line, 1, joined, &ground, of);
        let subject = lived(put(&born, &ground, joined), PAIR_DAYS as f64);
        match ground.hold().trouble() {
            Some(trouble) => Err(trouble.clone().into()),
            None => Ok((subject, born.0)),
        }
    };
    let ((heir, genesis), (newborn, _)) = (first_days(Some(left))?, first_days(None)?);
    let worth = |subject: &Subject| subject.life().balance().as_f64() / plan.budget.as_f64() - 1.0;
    Ok(HeirPair {
        world: world.to_owned(),
        path,
        heir_loss: loss(&heir),
        newborn_loss: loss(&newborn),
        heir_worth: worth(&heir),
        newborn_worth: worth(&newborn),
        inherited: judged(&genesis, &heir).0.inherited,
    })
}

fn lived(mut subject: Subject, days: f64) -> Subject {
    while subject.age_days() < days && subject.turn() {}
    subject
}

/// All pairs of a plan, in the order of worlds and paths; those that a folder has already are not lived again.
///
/// # Errors
/// When a pair cannot be lived or kept, or the folder holds another plan.
pub fn heir_pairs(
    plan: &HeirPairsPlan,
    base: &Settings,
    dir: Option<&Path>,
    threads: usize,
    told: &(dyn Fn(&HeirPair) + Sync),
) -> Result<Vec<HeirPair>, CompareError> {
    let live = |world: &str, path| {
        heir_pair(plan, base, world, path).map_err(|e| match e {
            LineageError::Place(e) => CompareError::from(e),
            LineageError::Venue(e) => CompareError::from(e),
        })
    };
    KeptRows {
        dir,
        file: "pairs.jsonl",
        plan: plain::json(plan),
        at: |pair: &HeirPair| (pair.world.clone(), pair.path),
    }
    .lived(&plan.worlds, plan.paths, threads, live, told)
}

/// The heir less the newborn in every world, by loss and by worth; all intervals hold at once.
///
/// # Errors
/// When the pairs cannot be judged.
pub fn judge_pairs(pairs: &[HeirPair]) -> Result<Vec<ComparisonLine>, PairingError> {
    let row = |pair: &HeirPair, arm: &str, loss: Option<f64>, worth: f64| LifeRow {
        world: pair.world.clone(),
        template: String::new(),
        arm: arm.to_owned(),
        path: pair.path,
        values: vec![(LOSS.into(), loss), (WORTH.into(), Some(worth))],
        cause: None,
    };
    let both = |pair: &HeirPair| {
        [row(pair, NEWBORN, pair.newborn_loss, pair.newborn_worth), row(pair, HEIR, pair.heir_loss, pair.heir_worth)]
    };
    let rows: Vec<LifeRow> = pairs.iter().flat_map(both).collect();
    let outcomes = vec![
        JudgedOutcome { name: LOSS.into(), preferred: Preferred::Less, margin: LOSS_MARGIN },
        JudgedOutcome { name: WORTH.into(), preferred: Preferred::More, margin: WORTH_MARGIN },
    ];
    judge(&rows, &Judging::new(NEWBORN, outcomes))
}
