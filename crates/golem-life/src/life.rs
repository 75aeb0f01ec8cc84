//! A life: the state of every room, and what can be asked of it between turns. The turn itself is in `turn`.

use crate::chronicle::Chronicle;
use crate::deathbed::Deathbed;
use crate::diary::Diary;
use crate::dreaming::Dreaming;
use crate::drift::Drift;
use crate::heartbeat::Heartbeat;
use crate::heir_work::HeirWork;
use crate::homegoing::{GasPurse, Homegoing};
use crate::inner::Inner;
use crate::kin_room::KinRoom;
use crate::nest::PhageNest;
use crate::portfolio::Portfolio;
use crate::scratch::TurnScratch;
use crate::settings::Settings;
use crate::turn_end::LifeStanding;
use golem_cage::Cage;
use golem_clade::inheritance::Inheritance;
use golem_core::allowance::Thought;
use golem_core::dice::Dice;
use golem_core::{Birth, Elapsed, Name, Secret, Seq, Strand, Tick, Timestamp, Usdc, VirtualTime};
use golem_daimon::affect::{AffectConfig, tempered};
use golem_grimoire::causal::Edge;
use golem_grimoire::retrieval::ToldEntries;
use golem_grimoire::staging::ValidationRow;
use golem_grimoire::{EntryOrigin, Grimoire};
use golem_mind::context::ContextPolicy;
use golem_mind::{Learning, Mind, PolicyConfig, Valuation};
use golem_mortality::config::PartitionShares;
use golem_mortality::couplings::{Awareness, plasticity};
use golem_mortality::economic::{BurnRate, Ledger, Prices, reserve};
use golem_mortality::info::InfoState;
use golem_mortality::phase::PartitionPlan;
use golem_mortality::stochastic::HazardBand;
use golem_mortality::{BehavioralPhase, GolemMode, Mortality};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a golem is born with, besides its sealed secret.
#[derive(Debug, Clone, PartialEq)]
pub struct Genesis {
    pub birth: Birth,
    pub settings: Settings,
    /// Virtual seconds between turns, resolved.
    pub interval_s: u64,
    /// What it inherits; none for a first ancestor.
    pub inheritance: Option<Arc<Inheritance>>,
}

impl Genesis {
    /// The age at which what is inherited is taken in: that of the first turn in which time passes.
    #[must_use]
    pub fn taken_in_at(&self) -> VirtualTime {
        VirtualTime(Elapsed::secs(self.interval_s.max(1)).0)
    }
}

/// One golem's life.
#[derive(Debug)]
pub struct Life {
    pub(crate) genesis: Arc<Genesis>,
    pub(crate) prices: Prices,
    pub(crate) death_dice: Dice,
    pub(crate) diagnostics_dice: Dice,
    pub(crate) curator_dice: Dice,
    pub(crate) dream_dice: Dice,
    pub(crate) phage_dice: Dice,
    /// The settings of affect, with the personality that was drawn at birth where one was.
    pub(crate) affect: AffectConfig,
    /// The strategy as it is by now: as its owner set it, and as dreams have moved it.
    pub(crate) policy: Arc<PolicyConfig>,
    pub(crate) grimoire: Option<Grimoire>,
    /// The age that it was born with: 0, but where an experiment carried an age over.
    pub(crate) began: VirtualTime,
    pub(crate) state: State,
    pub(crate) turn: TurnScratch,
}

/// Everything that has a future. What is not in here is derived from birth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub core: Core,
    pub ledger: Ledger,
    pub portfolio: Portfolio,
    pub mortality: Mortality,
    pub mind: Mind,
    pub cage: Cage,
    pub info: Option<Diagnostics>,
    pub diary: Diary,
    /// What thinking has cost today.
    pub thought: Thought,
    /// What a model is shown.
    pub context: ContextPolicy,
    pub inner: Inner,
    /// Dreams, where they are on.
    pub dreams: Option<Dreaming>,
    /// Its short-lived children, where they are on.
    pub phages: Option<PhageNest>,
    /// What it keeps of itself for its end.
    pub chronicle: Chronicle,
    /// Where dying has come to, once it has begun.
    pub deathbed: Option<Deathbed>,
    /// What it has done with what it was left to finish.
    pub heir: HeirWork,
    /// What has gone home, once anything has or was asked for.
    pub homegoing: Option<Homegoing>,
    /// The coin that pays for gas, on chains where somebody else makes it.
    pub gas: Option<GasPurse>,
    /// What it told its siblings and heard from them, where it speaks with them.
    pub kin: Option<KinRoom>,
}

/// What advises and never kills.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Diagnostics {
    pub information: InfoState,
    pub drift: Drift,
}

/// The turn's own state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Core {
    pub tick: Tick,
    pub age: VirtualTime,
    pub interval: Elapsed,
    pub at: Timestamp,
    pub seq: Seq,
    pub heartbeat: Heartbeat,
    pub mode: GolemMode,
    pub paused: bool,
    pub trades: u64,
    pub profit: Usdc,
    pub loss: Usdc,
    /// What was done last turn, waiting for the market's answer.
    pub action: Option<[f64; 3]>,
    pub exposure: f64,
}

/// What a golem feels by: its settings, and its own draws where they say so. Birth has no tick but 0.
fn own_affect(genesis: &Genesis, secret: &Secret) -> AffectConfig {
    let mut draws = secret.dice(Strand::Temperament).draws(0);
    tempered(&genesis.settings.mortality.affect, std::array::from_fn(|_| draws.uniform()))
}

/// In which order what it inherits is worth validating. Part of how it was born.
fn validation_row(genesis: &Genesis, taken_in: VirtualTime) -> ValidationRow {
    let inherits = genesis.inheritance.as_ref();
    inherits.map(|i| i.validation_row(genesis.birth.id, taken_in)).unwrap_or_default()
}

/// What it is told beside what it inherits, and which causes. Part of how it was born.
fn told(genesis: &Genesis, at: VirtualTime) -> (ToldEntries, Vec<Edge>) {
    let birth = &genesis.birth;
    genesis.inheritance.as_ref().map(|i| (i.told(birth, at), i.causes(birth, at))).unwrap_or_default()
}

/// Who learns, for provenance.
pub(crate) fn origin(genesis: &Genesis) -> (Name, EntryOrigin) {
    let birth = &genesis.birth;
    (birth.name.clone(), EntryOrigin { golem: birth.id, generation: birth.generation })
}

impl Life {
    /// A newborn.
    pub fn new(genesis: &Genesis, secret: &Secret) -> Self {
        let config = &genesis.settings.mortality;
        let prices = Prices::of(&config.economic);
        let born_at = genesis.birth.born_at;
        let interval = Elapsed::secs(genesis.interval_s.max(1));
        let burn = BurnRate::of_rent(&prices);
        let state = State {
            core: Core {
                tick: Tick(0),
                age: VirtualTime(0),
                interval,
                at: born_at,
                seq: Seq(0),
                heartbeat: Heartbeat::Sleeping,
                mode: GolemMode::Waking,
                paused: false,
                trades: 0,
                profit: Usdc::ZERO,
                loss: Usdc::ZERO,
                action: None,
                exposure: 0.0,
            },
            ledger: Ledger {
                burn,
                ..Ledger::funded(genesis.birth.funding, prices.operating_bps, &config.economic.partitions)
            },
            portfolio: Portfolio::default(),
            mortality: Mortality::newborn(born_at, config),
            mind: Mind::default(),
            cage: Cage::default(),
            info: genesis.settings.diagnostics.enabled.then(Diagnostics::default),
            diary: Diary::default(),
            thought: Thought::default(),
            context: genesis.settings.mind.context.clone(),
            inner: Inner::new(&genesis.settings, &own_affect(genesis, secret)),
            // Whoever remembers nothing has nothing to dream of.
            dreams: (genesis.settings.dream.enabled && genesis.settings.grimoire.enabled).then(Dreaming::default),
            phages: genesis.settings.phages.enabled.then(PhageNest::default),
            chronicle: Chronicle::default(),
            deathbed: None,
            heir: HeirWork::default(),
            homegoing: None,
            gas: None,
            kin: genesis.settings.styx.enabled.then(KinRoom::default),
        };
        let (name, origin) = origin(genesis);
        let grimoire = genesis.settings.grimoire.enabled.then(|| Grimoire::new(name, origin));
        Self::with(genesis, secret, state, grimoire)
    }

    pub(crate) fn with(genesis: &Genesis, secret: &Secret, state: State, grimoire: Option<Grimoire>) -> Self {
        Self::with_age(genesis, secret, state, grimoire, VirtualTime(0))
    }

    /// The same, born with an age.
    pub(crate) fn with_age(
        genesis: &Genesis,
        secret: &Secret,
        state: State,
        grimoire: Option<Grimoire>,
        began: VirtualTime,
    ) -> Self {
        let taken_in = began.after(genesis.taken_in_at().age());
        let row = validation_row(genesis, taken_in);
        let parameters = genesis.settings.policy.template.parameters().iter().map(|p| p.key);
        Self {
            prices: Prices::of(&genesis.settings.mortality.economic),
            genesis: Arc::new(genesis.clone()),
            death_dice: secret.dice(Strand::Death),
            diagnostics_dice: secret.dice(Strand::Diagnostics),
            curator_dice: secret.dice(Strand::Mind),
            dream_dice: secret.dice(Strand::Dream),
            phage_dice: secret.dice(Strand::Phage),
            affect: own_affect(genesis, secret),
            policy: Arc::new(
                state.dreams.as_ref().and_then(|d| d.tuned.clone()).unwrap_or(genesis.settings.policy.clone()),
            ),
            grimoire: grimoire.map(|g| {
                let (told, causes) = told(genesis, taken_in);
                g.with_parameters(parameters).validating(row).told(told, causes)
            }),
            began,
            state,
            turn: TurnScratch::default(),
        }
    }

    /// The age at which what it inherits is taken in.
    #[must_use]
    pub fn taken_in_at(&self) -> VirtualTime {
        self.began.after(self.genesis.taken_in_at().age())
    }

    /// What it knows, unless it lives without memory.
    pub fn grimoire(&self) -> Option<&Grimoire> {
        self.grimoire.as_ref()
    }
    /// Its mind.
    pub fn mind(&self) -> &Mind {
        &self.state.mind
    }

    /// Its clocks.
    pub fn mortality(&self) -> &Mortality {
        &self.state.mortality
    }

    /// The phase it acts by.
    pub(crate) fn phase(&self) -> BehavioralPhase {
        self.state.mortality.vitality.phase
    }

    /// Its money.
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// Age after the last finished turn.
    pub fn age(&self) -> VirtualTime {
        self.state.core.age
    }

    /// The strategy as it is by now.
    pub fn strategy(&self) -> &PolicyConfig {
        &self.policy
    }

    /// The price that was last seen.
    pub fn price(&self) -> Option<f64> {
        self.state.portfolio.price.map(golem_core::Positive::get)
    }

    /// Share of net asset value that follows the price.
    pub fn exposure(&self) -> f64 {
        self.state.core.exposure
    }

    /// Actions carried out.
    pub fn trades(&self) -> u64 {
        self.state.core.trades
    }

    /// Whether there will be another turn.
    pub fn standing(&self) -> LifeStanding {
        if self.state.mortality.is_dead() {
            LifeStanding::Dead
        } else if self.is_dying() {
            LifeStanding::Dying
        } else if self.state.core.paused {
            LifeStanding::Paused
        } else {
            LifeStanding::Alive
        }
    }

    /// The locked reserve.
    pub(crate) fn reserve(&self) -> Usdc {
        let share = self.genesis.birth.funding.share_bps(self.prices.reserve_bps);
        reserve(self.prices.reserve_floor, share, self.state.portfolio.worth.gas)
    }

    /// Net asset value: liquid money and what positions would fetch after gas, less what is owed.
    pub fn balance(&self) -> Usdc {
        self.state.ledger.balance(self.state.portfolio.value())
    }

    /// What it is worth together with what it has sent home, at what that was worth when it went.
    pub fn worth(&self) -> Usdc {
        let asset = self.state.homegoing.as_ref().map_or(Usdc::ZERO, |home| home.asset_worth);
        self.balance().plus(self.state.ledger.bequeathed).plus(asset)
    }

    /// What it knows of its own mortality.
    pub fn awareness(&self) -> Awareness {
        Awareness {
            vitality: self.state.mortality.vitality.composite,
            phase: self.phase(),
            projected_life_h: self.state.ledger.burn.hours_to_burn(self.balance().minus(self.reserve())),
            hazard_band: HazardBand::of(self.state.mortality.stochastic.current_hazard),
        }
    }

    /// Capital that may be put to work: all of it, as long as the rest of the liquid money covers the reserve.
    pub(crate) fn spendable_capital(&self) -> Usdc {
        let ledger = &self.state.ledger;
        let uncovered = self.reserve().minus(ledger.operating());
        ledger.capital.minus(uncovered).minus(ledger.arrears)
    }

    pub(crate) fn valuation(&self) -> Valuation {
        Valuation { nav: self.balance(), liquidity: self.state.portfolio.worth.position }
    }

    pub(crate) fn learning(&self) -> Learning {
        let mind = &self.genesis.settings.mind;
        let frozen = mind.freeze_at_tick != 0 && self.state.core.age.age() >= Elapsed::nominal(mind.freeze_at_tick);
        Learning {
            enabled: mind.learning && !frozen,
            plasticity: plasticity(self.phase()),
            memory_days: f64::from(mind.memory_days),
        }
    }

    /// How operating credit is divided in this phase.
    pub(crate) fn shares(&self) -> PartitionShares {
        // Whoever dies divides as the terminal do, and for good: all of it is legacy.
        let phase = if self.state.mortality.death.is_some() { BehavioralPhase::Terminal } else { self.phase() };
        match phase.behaviour().partitions {
            PartitionPlan::Configured => self.genesis.settings.mortality.economic.partitions,
            PartitionPlan::Fixed(shares) => shares,
        }
    }
}
