//! [`Life`] as the loop sees it: digest, saved form, status.

use crate::Being;
use crate::fact::Fact;
use crate::input::TickInput;
use crate::life::{Genesis, Life, State, origin};
use crate::status::{Status, VitalityView};
use crate::step::{Answer, Page, Step};
use crate::turn::{Standing, TurnEnd};
use golem_cage::Permit;
use golem_core::fact::Envelope;
use golem_core::intent::Holdings;
use golem_core::{Hash, Positive, Preview, Receipt, Secret, Tick, VirtualTime};
use golem_daimon::gate::locked;
use golem_daimon::suffering::Seen;
use golem_grimoire::{Change, Grimoire, GrimoireState, Remembered};
use golem_mortality::info::bits_budget;
use golem_mortality::stochastic::{HazardBand, survival_24h};
use golem_mortality::{CorticalState, Domain};
use serde::Serialize;

impl Being for Life {
    type Fact = Fact;
    type Status = Status;
    type Point = crate::status::Point;
    type Genesis = Genesis;
    type Permit = Permit;

    fn born(genesis: &Genesis, secret: &Secret) -> Self {
        Self::new(genesis, secret)
    }
    fn begin(&mut self, input: &TickInput, facts: &mut Vec<Envelope<Fact>>) -> Step {
        self.begin_turn(input, facts)
    }
    fn answered(&mut self, answer: &Answer, facts: &mut Vec<Envelope<Fact>>) -> Step {
        self.go_on(answer, facts)
    }
    fn consider(&mut self, previews: &[Preview], facts: &mut Vec<Envelope<Fact>>) -> Vec<Option<Permit>> {
        self.consider_wishes(previews, facts)
    }
    fn finish(&mut self, receipts: &[Receipt], facts: &mut Vec<Envelope<Fact>>) -> TurnEnd {
        self.finish_turn(receipts, facts)
    }
    fn changes(&mut self) -> Vec<Change> {
        self.grimoire.as_mut().map(Grimoire::take_changes).unwrap_or_default()
    }
    fn page(&self, newer_than: u64) -> Option<Page> {
        let grimoire = self.grimoire.as_ref()?;
        let revision = u64::from(grimoire.playbook().revision());
        (revision > newer_than).then(|| Page { revision, text: grimoire.page() })
    }
    fn wrote(&self, text: &str) -> bool {
        self.grimoire.as_ref().is_none_or(|grimoire| grimoire.wrote(text))
    }
    fn holdings(&self) -> Holdings {
        self.state.portfolio.holdings(&self.state.ledger, self.state.ledger.capital)
    }
    fn tick(&self) -> Tick {
        self.state.core.tick
    }
    fn next_age(&self) -> VirtualTime {
        self.state.core.age.after(self.state.core.interval)
    }
    fn standing(&self) -> Standing {
        Life::standing(self)
    }

    fn digest(&self) -> Hash {
        let State { core, ledger, portfolio, mortality, mind, cage, info, diary, thought, context, inner } =
            &self.state;
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 state digest");
        let mut bytes = Vec::with_capacity(64 * 1024);
        room(&mut hasher, &mut bytes, "core", core);
        room(&mut hasher, &mut bytes, "ledger", ledger);
        room(&mut hasher, &mut bytes, "portfolio", portfolio);
        room(&mut hasher, &mut bytes, "mortality", mortality);
        room(&mut hasher, &mut bytes, "mind", mind);
        room(&mut hasher, &mut bytes, "cage", cage);
        // A room that is off adds nothing, so that adding a room moves no life that does not use it.
        if let Some(info) = info {
            room(&mut hasher, &mut bytes, "diagnostics", info);
        }
        if inner.affect.is_some() || inner.suffering.is_some() {
            room(&mut hasher, &mut bytes, "daimon", inner);
        }
        if self.genesis.settings.thinking.any() || self.genesis.settings.thinking.embeds {
            room(&mut hasher, &mut bytes, "thinking", &(thought, context));
        }
        if let Some(grimoire) = &self.grimoire {
            room(&mut hasher, &mut bytes, "grimoire", &(diary, grimoire.state()));
        }
        Hash(*hasher.finalize().as_bytes())
    }

    fn status(&self) -> Status {
        let (m, core, config) = (&self.state.mortality, &self.state.core, &self.genesis.settings.mortality);
        let (balance, awareness) = (self.balance(), self.awareness());
        let survival = survival_24h(core.age.nominal(), m.epistemic.fitness, &config.stochastic);
        let information = self.state.info.as_ref().map(|d| d.information.diagnostics().clone());
        let signals = information.as_ref().and_then(|i| i.cortical());
        let bits_budget =
            information.as_ref().and_then(|i| bits_budget(i, &self.genesis.settings.diagnostics.information));
        let (inner, recorded, snapshot) = (&self.state.inner, self.recorded(), self.observed());
        let seen = Seen { now: core.age, recorded: &recorded, snapshot: &snapshot };
        let suffering = inner.suffering.as_ref().map(|s| s.status(seen));
        let price = self.state.portfolio.price.map(Positive::get);
        let gas = self.state.portfolio.gas_gwei.map(Positive::get);
        let regime = self.state.mind.regime();
        let domain = |d: Domain| m.epistemic.domain_fitness(d, &config.epistemic).map(|f| (d.name().to_owned(), f));
        Status {
            id: self.genesis.birth.id,
            name: self.genesis.birth.name.clone(),
            tick: core.tick,
            age_ticks: core.age.age().nominal_floor(),
            age_days: core.age.age().as_days(),
            at: core.at,
            standing: Life::standing(self),
            phase: m.vitality.phase,
            shadow_phase: m.shadow_phase,
            mode: core.mode,
            heartbeat: core.heartbeat,
            vitality: VitalityView {
                economic: m.vitality.economic,
                epistemic: m.vitality.epistemic,
                age_factor: m.vitality.age_factor,
                composite: m.vitality.composite,
            },
            domains: Domain::ALL.into_iter().filter_map(domain).collect(),
            hit_rates: Domain::ALL
                .into_iter()
                .filter_map(|d| m.epistemic.domains[d.index()].hit_rate().map(|r| (d.name().to_owned(), r)))
                .collect(),
            fitness_trend: m.epistemic.trend,
            forecasts: Domain::ALL.into_iter().map(|d| self.state.mind.forecasters().scores(d)).collect(),
            thought: self.state.thought.today(core.age),
            balance,
            operating: self.state.ledger.operating(),
            capital: self.state.ledger.capital,
            positions: self.state.portfolio.value(),
            reserve: self.reserve(),
            funded: self.state.ledger.funded.plus(self.state.ledger.fed),
            spent: self.state.ledger.spent,
            earned: core.profit.delta(core.loss),
            burn_rate_micro_usdc_per_tick: self.state.ledger.burn.per_tick(),
            projected_life_h: awareness.projected_life_h,
            hazard_rate: m.stochastic.current_hazard,
            hazard_band: HazardBand::of(m.stochastic.current_hazard),
            survival_24h: survival,
            trades: core.trades,
            exposure: core.exposure,
            regime,
            price,
            locked: locked(&self.situation())
                .iter()
                .map(|(_, denied)| format!("{denied}; lifted by {}", denied.lifted_by()))
                .collect(),
            affect: inner.affect.as_ref().and_then(|a| a.status(self.affect_config())),
            load: suffering.as_ref().map(|s| s.load),
            band: suffering.as_ref().map(|s| s.band),
            suffering,
            cortical: CorticalState::of(m, config, survival, signals, regime, gas),
            information,
            bits_budget,
            cage: self.state.cage.status(&self.genesis.settings.cage),
            vigil: m.vigil,
            would_have_died_at: m.would_have_died_at.clone(),
            death: m.death.clone(),
        }
    }

    fn save(&self) -> Vec<u8> {
        // Serialising plain data to memory cannot fail; an empty result is refused by `restore`.
        let grimoire = self.grimoire.as_ref().map(Grimoire::state);
        postcard::to_stdvec(&(&self.state, grimoire)).unwrap_or_default()
    }
    fn restore(genesis: &Genesis, secret: &Secret, saved: &[u8], memory: Remembered) -> Result<Self, String> {
        let (state, kept): (State, Option<GrimoireState>) =
            postcard::from_bytes(saved).map_err(|e| format!("saved state does not fit: {e}"))?;
        let (name, origin) = origin(genesis);
        let grimoire = kept.map(|kept| Grimoire::rebuild(name, origin, kept, &memory)).transpose()?;
        Ok(Self::with(genesis, secret, state, grimoire))
    }
}

fn room<T: Serialize>(hasher: &mut blake3::Hasher, bytes: &mut Vec<u8>, name: &str, state: &T) {
    bytes.clear();
    // See `save`: this cannot fail; if it ever did, every digest would differ and replay would say so.
    if let Ok(filled) = postcard::to_extend(state, std::mem::take(bytes)) {
        *bytes = filled;
    }
    hasher.update(name.as_bytes());
    hasher.update(&[0]);
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}
