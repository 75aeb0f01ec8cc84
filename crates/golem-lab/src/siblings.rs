//! Siblings by the instrument: a group whose members tell each other what they find out, against the same group in silence. In a world
//! by name each member lives on a path of its own of one law; of a recorded market all live the same window, since nobody may hear of
//! days that are still to come for it. There is no relay here: letters pass the same limits as behind one.

use crate::compare::{ArmSettings, BlowWatch, CompareError, LifeRow, PathWorld, Preferred, WorldSource, skill};
use crate::kept_rows::KeptRows;
use crate::knowledge::lives_by_the_truth;
use crate::stats::{ComparisonLine, JudgedOutcome, Judging, PairingError, judge};
use crate::subject::{Subject, account, floor_of, hands_of, newborn};
use crate::world::{Blow, CsvOptions, SyntheticConfig, Truth, place_by_law};
use golem_clade::kin::{KinArrival, KinLetter, KinLimits, KinQueue};
use golem_core::door::World as _;
use golem_core::{Elapsed, GolemId, Hash, Timestamp, Usdc, VirtualTime, plain};
use golem_grimoire::experts::DOMAINS;
use golem_grimoire::subject::{Statement, statement};
use golem_life::{Ask, Settings};
use golem_mortality::config::Deaths;
use golem_venue::floor::{FloorWorld, SharedFloor};
use golem_venue::market::MarketConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

const SHARING: &str = "sharing";
const SILENT: &str = "silent";
const LOOK: Elapsed = Elapsed::secs(3_600);
/// Turns after which a floor may forget.
const PAST_TURNS: u64 = 2_000;

/// Groups to be lived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiblingsPlan {
    pub worlds: Vec<String>,
    pub groups: u64,
    pub first_seed: u64,
    /// Golems in each group.
    pub members: u64,
    pub days: u64,
    /// Of each golem.
    #[serde(rename = "budget_micro_usdc")]
    pub budget: Usdc,
    pub settings: Hash,
    pub binary: Hash,
}

/// One group, lived twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiblingsGroup {
    pub world: String,
    pub group: u64,
    pub sharing: GroupLived,
    pub silent: GroupLived,
}

/// What came of a group: means over its members.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupLived {
    /// Life-long skill, over all domains that were settled.
    pub skill: Option<f64>,
    /// Who never came to know counts with its end; none where nothing is written down to be known.
    pub ticks_to_truth: Option<f64>,
    /// What the first blow cost, per unit of what was exposed; over those who were.
    pub blow_loss: Option<f64>,
    /// Worth over what was given.
    pub worth: f64,
    /// How much of what all of them believe only one of them believes: 1 where no two have anything in common.
    pub novelty: Option<f64>,
    /// Letters that were written, and that were handed to somebody.
    pub told: u64,
    pub heard: u64,
}

/// Live one group, in silence and sharing.
///
/// # Errors
/// When there is no such world, or its market cannot go on.
pub fn siblings_group(
    plan: &SiblingsPlan,
    base: &Settings,
    world: &str,
    group: u64,
) -> Result<SiblingsGroup, CompareError> {
    let source = WorldSource::open(world, plan.days, &CsvOptions::default())?;
    let lived = |shares: bool| {
        let mut settings = base.clone();
        settings.mortality.deaths = Deaths::Recorded;
        settings.styx.enabled = shares;
        let born = (0..plan.members).map(|n| SiblingBeside::born(plan, &settings, &source, group, n));
        lived(born.collect::<Result<Vec<_>, _>>()?, plan)
    };
    Ok(SiblingsGroup { world: world.to_owned(), group, sharing: lived(true)?, silent: lived(false)? })
}

struct SiblingBeside {
    id: GolemId,
    born: Timestamp,
    subject: Subject,
    floor: SharedFloor,
    truth: Option<Truth>,
    knew: Option<VirtualTime>,
    blow: BlowWatch,
    /// What was said to it and is not due yet.
    on_its_way: Vec<(GolemId, KinLetter)>,
    queue: KinQueue,
    heard: u64,
}

impl SiblingBeside {
    fn born(
        plan: &SiblingsPlan,
        settings: &Settings,
        source: &WorldSource,
        group: u64,
        n: u64,
    ) -> Result<Self, CompareError> {
        let law = plan.first_seed.wrapping_add(group);
        let seed = law.wrapping_mul(1_000_003).wrapping_add(n);
        let there = match source {
            WorldSource::Named(name) => {
                let there = place_by_law(name, law, seed)?;
                let truth = Some(there.truth).filter(|truth| !truth.links.is_empty());
                PathWorld { world: there.world, market: there.market, truth, blow: there.blow }
            }
            WorldSource::Recorded { .. } => {
                let (market, synthetic) = (MarketConfig::default(), SyntheticConfig::default());
                source.path(group, law, plan.days, &ArmSettings { life: settings.clone(), market, synthetic })?
            }
        };
        let PathWorld { world, market, truth, blow } = there;
        let (secret, genesis) = newborn(seed, plan.budget, settings, &world);
        let (who, ends) = (account(&genesis), world.ends_at());
        let floor = floor_of(law, world, market, blow.as_ref().map(Blow::scenario))?;
        let seen = FloorWorld::new(floor.clone(), who, 0).like(Some(genesis.interval_s), ends);
        let subject = Subject::on(&genesis, &secret, Box::new(seen), Box::new(hands_of(&genesis, floor.clone())));
        Ok(Self {
            id: genesis.birth.id,
            born: genesis.birth.born_at,
            subject,
            floor,
            truth,
            knew: None,
            blow: BlowWatch::new(blow.as_ref()),
            on_its_way: Vec::new(),
            queue: KinQueue::default(),
            heard: 0,
        })
    }

    /// Hand over what is due and passes the limits.
    fn hear(&mut self) {
        let (now, limits) = (self.born.after(self.subject.next_age().age()), KinLimits::default());
        for (from, letter) in self.on_its_way.extract_if(.., |(_, letter)| letter.at <= now) {
            let arrival = KinArrival {
                key: format!("{from}/{}", Hash::of(letter.text().as_bytes())),
                source: from,
                urgent: letter.word.is_urgent(),
                confidence_bp: letter.word.confidence_bp(),
                field: letter.word.field(),
                body: letter.text(),
            };
            self.queue.came(arrival, &limits);
        }
        if self.queue.waiting() == 0 {
            return;
        }
        let now_ms = u64::try_from(now.0).unwrap_or(0).saturating_mul(1_000);
        for arrival in self.queue.take(now_ms, &limits) {
            self.heard += 1;
            self.subject.ask(Ask::Kin { from: arrival.source, at: now, letter: arrival.body });
        }
    }

    /// One turn; what it says in it. None when it is over.
    fn turn(&mut self) -> Option<Vec<KinLetter>> {
        let before = self.subject.life().age();
        if !self.subject.turn() {
            return None;
        }
        let (age, hour) = (self.subject.life().age(), LOOK.0.max(1));
        let hourly = age.age().0 / hour > before.age().0 / hour;
        self.blow.turn(&self.subject, hourly);
        if let (true, None, Some(truth), Some(grimoire)) =
            (hourly, self.knew, &self.truth, self.subject.life().grimoire())
        {
            self.knew = lives_by_the_truth(grimoire, truth).then_some(age);
        }
        Some(self.subject.take_told())
    }

    fn says(&self) -> BTreeSet<Statement> {
        let shelf = self.subject.life().grimoire().map(golem_grimoire::Grimoire::shelf);
        shelf.into_iter().flat_map(|shelf| shelf.active()).map(|entry| statement(&entry.body)).collect()
    }
}

fn lived(mut members: Vec<SiblingBeside>, plan: &SiblingsPlan) -> Result<GroupLived, CompareError> {
    let last = VirtualTime::default().after(Elapsed::secs(plan.days * 86_400));
    let (mut told, mut turns) = (0, 0_u64);
    loop {
        let mut said: Vec<(GolemId, KinLetter)> = Vec::new();
        let mut anybody = false;
        for member in members.iter_mut().filter(|member| member.subject.next_age() <= last) {
            member.hear();
            if let Some(letters) = member.turn() {
                anybody = true;
                said.extend(letters.into_iter().map(|letter| (member.id, letter)));
            }
        }
        if !anybody {
            break;
        }
        told += said.len() as u64;
        for member in &mut members {
            let others = said.iter().filter(|(from, _)| *from != member.id);
            member.on_its_way.extend(others.cloned());
        }
        turns += 1;
        if turns.is_multiple_of(PAST_TURNS) {
            for member in &members {
                drop(FloorWorld::new(member.floor.clone(), golem_venue::Account([0; 20]), 0).hand_over());
            }
        }
    }
    if let Some(trouble) = members.iter().find_map(|member| member.floor.hold().trouble().cloned()) {
        return Err(trouble.into());
    }
    Ok(came_of(&members, plan, told))
}

fn came_of(members: &[SiblingBeside], plan: &SiblingsPlan, told: u64) -> GroupLived {
    let ticks =
        |member: &SiblingBeside| member.knew.unwrap_or(member.subject.life().age()).age().nominal_floor() as f64;
    let known = members.iter().filter(|member| member.truth.is_some());
    let said: Vec<BTreeSet<Statement>> = members.iter().map(SiblingBeside::says).collect();
    let all: BTreeSet<&Statement> = said.iter().flatten().collect();
    let alone = all.iter().filter(|one| said.iter().filter(|of| of.contains(one)).count() == 1).count();
    let worth = members.iter().map(|member| member.subject.life().worth().as_f64() / plan.budget.as_f64() - 1.0);
    GroupLived {
        skill: mean(members.iter().filter_map(|m| mean(DOMAINS.iter().filter_map(|d| skill(&m.subject, *d))))),
        ticks_to_truth: mean(known.map(ticks)),
        blow_loss: mean(members.iter().filter_map(|member| member.blow.loss)),
        worth: mean(worth).unwrap_or(0.0),
        novelty: (!all.is_empty()).then(|| alone as f64 / all.len() as f64),
        told,
        heard: members.iter().map(|member| member.heard).sum(),
    }
}

fn mean(all: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = all.fold((0.0, 0_u32), |(sum, count), one| (sum + one, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// All groups of a plan, in the order of worlds; those that a folder has already are not lived again.
///
/// # Errors
/// When a group cannot be lived or kept, or the folder holds another plan.
pub fn siblings_groups(
    plan: &SiblingsPlan,
    base: &Settings,
    dir: Option<&Path>,
    threads: usize,
    told: &(dyn Fn(&SiblingsGroup) + Sync),
) -> Result<Vec<SiblingsGroup>, CompareError> {
    let live = |world: &str, group| siblings_group(plan, base, world, group);
    KeptRows { dir, file: "groups.jsonl", plan: plain::json(plan), at: |g: &SiblingsGroup| (g.world.clone(), g.group) }
        .lived(&plan.worlds, plan.groups, threads, live, told)
}

/// Sharing less silence in every world; all intervals hold at once.
///
/// # Errors
/// When the groups cannot be judged.
pub fn judge_groups(groups: &[SiblingsGroup]) -> Result<Vec<ComparisonLine>, PairingError> {
    const OUTCOMES: [(&str, Preferred, f64); 5] = [
        ("skill", Preferred::More, 0.005),
        ("ticks_to_truth", Preferred::Less, 500.0),
        ("blow_loss", Preferred::Less, 0.005),
        ("worth", Preferred::More, 0.003),
        ("novelty", Preferred::More, 0.05),
    ];
    let row = |group: &SiblingsGroup, arm: &str, of: &GroupLived| {
        let values = [of.skill, of.ticks_to_truth, of.blow_loss, Some(of.worth), of.novelty];
        LifeRow {
            world: group.world.clone(),
            template: String::new(),
            arm: arm.to_owned(),
            path: group.group,
            values: OUTCOMES.iter().zip(values).map(|((name, ..), value)| ((*name).into(), value)).collect(),
            cause: None,
        }
    };
    let both = |group: &SiblingsGroup| [row(group, SILENT, &group.silent), row(group, SHARING, &group.sharing)];
    let rows: Vec<LifeRow> = groups.iter().flat_map(both).collect();
    let outcome =
        |(name, preferred, margin): (&str, Preferred, f64)| JudgedOutcome { name: name.into(), preferred, margin };
    judge(&rows, &Judging::new(SILENT, OUTCOMES.map(outcome).to_vec()))
}
