//! The circumstances in which each stressor opens by its own rule: a budget, a market, what the golem believes, and what its
//! owner does unasked. Nothing here touches a counter.

use crate::Subject;
use crate::compare::CompareError;
use crate::subject::newborn;
use crate::world::{Synthetic, SyntheticConfig};
use golem_core::{GolemId, Name, Usdc, VirtualTime};
use golem_daimon::suffering::Canonical;
use golem_grimoire::change::Change;
use golem_grimoire::playbook::{Amendment, PlaybookWriter, Rule};
use golem_grimoire::standing::Support;
use golem_grimoire::{
    Claim, DecayClass, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Remembered, RuleAction, Standing,
};
use golem_life::{Ask, Settings};
use golem_mind::Template;
use golem_mortality::config::Deaths;

/// What brings a stressor about.
pub(super) struct Circumstances {
    settings: Settings,
    budget: Usdc,
    world: SyntheticConfig,
    rules: Vec<OwnRule>,
    /// What the owner does unasked: from which hour on, and what.
    pub(super) owner: Vec<(f64, Ask)>,
}

/// A rule that the golem has learnt and believes.
struct OwnRule {
    when: &'static str,
    confirmed: u32,
    contradicted: u32,
}

impl Circumstances {
    /// Those of a stressor.
    pub(super) fn of(stressor: Canonical) -> Self {
        let mut usual = Self {
            settings: Settings::default(),
            budget: Usdc::whole(50),
            world: SyntheticConfig::default(),
            rules: Vec::new(),
            owner: Vec::new(),
        };
        usual.settings.mortality.deaths = Deaths::Recorded;
        usual.settings.heartbeat.tick_interval_s = 2_400;
        match stressor {
            Canonical::Futility => usual.without_yield().with_idle_rules(),
            Canonical::Invisibility => usual.with_a_silent_owner(),
            Canonical::IdentityViolation => usual.against_its_rules(),
            Canonical::ExistentialThreat => Self { budget: Usdc::whole(2), ..usual },
            Canonical::RepeatedFailure => usual.in_a_wild_market(),
            Canonical::Purposelessness => usual.without_yield().halted(),
        }
    }

    /// Its strategy waits for a yield that this market does not pay: it has goals, and gets nowhere.
    fn without_yield(mut self) -> Self {
        self.settings.policy.template = Template::StableYield;
        (self.world.fee_yield_per_day, self.world.volume_per_day) = (1e-8, 1e5);
        self
    }

    /// It believes rules for a weather that never comes.
    fn with_idle_rules(mut self) -> Self {
        let never = ["market.gas_gwei > 90000", "market.volatility_ratio > 900", "market.volume_ratio > 90000"];
        self.rules.extend(never.map(|when| OwnRule { when, confirmed: 6, contradicted: 1 }));
        self
    }

    /// An owner who speaks every day for four days, and then no more.
    fn with_a_silent_owner(mut self) -> Self {
        let word = |day: u32| (f64::from(day) * 25.0, Ask::Tell { text: "how are you?".to_owned() });
        self.owner.extend((0..4).map(word));
        self
    }

    /// Its owner keeps it from following its rules, so that it buys in spite of one that it believes.
    fn against_its_rules(mut self) -> Self {
        self.settings.policy.template = Template::EthDca;
        self.settings.grimoire.playbook = false;
        self.rules.push(OwnRule { when: "market.gas_ratio > 0", confirmed: 6, contradicted: 1 });
        self
    }

    /// It buys day after day and never sells, in a market that moves by far more in a day than its goals allow for; and its
    /// owner has widened the limits that would stop it.
    fn in_a_wild_market(mut self) -> Self {
        self.settings.policy.template = Template::EthDca;
        self.settings.policy.eth_dca.amount_usdc = Usdc::whole(15);
        let cage = &mut self.settings.cage;
        (cage.drawdown_bps, cage.bleed_bps) = ([6_000, 8_000, 9_500], 10_000);
        (cage.max_off_reference_bps, cage.max_position_bps, cage.max_exposure_bps) = (5_000, 9_500, 9_500);
        self.settings.heartbeat.tick_interval_s = 800;
        self.world.volatility = 5.0;
        self
    }

    /// Its owner halts it on the first day, and leaves it so. It looks often: there is no end to what it sees and cannot use.
    fn halted(mut self) -> Self {
        self.settings.heartbeat.tick_interval_s = 800;
        self.owner.push((1.0, Ask::Halt { reason: "later".to_owned() }));
        self
    }

    /// Somebody born into them.
    pub(super) fn born(&self, seed: u64, remedies: bool) -> Result<Subject, CompareError> {
        let mut settings = self.settings.clone();
        settings.suffering.remedies = remedies;
        let world = Synthetic::new(self.world.clone(), seed)
            .unwrap_or_else(|problems| unreachable!("circumstances are sound: {problems:?}"));
        let (_, genesis) = newborn(seed, self.budget, &settings, &world);
        let memory = self.memory(&genesis.birth.name, genesis.birth.id);
        Ok(Subject::remembering(seed, self.budget, &settings, world, memory)?)
    }

    /// What it has learnt before its first turn: its rules as entries, and the playbook in which they stand.
    fn memory(&self, name: &Name, golem: GolemId) -> Remembered {
        let entries: Vec<Entry> = self.rules.iter().map(|rule| rule.entry(golem)).collect();
        let mut writer = PlaybookWriter::new(name.clone(), golem);
        let put = |e: &Entry| Rule::from_entry(e, VirtualTime(0)).map(|rule| Amendment::Put(Box::new(rule)));
        let (revision, _) = writer.curate(entries.iter().filter_map(put).collect());
        let row = revision.and_then(|revision| match revision.change {
            Change::Row { table, key, body, .. } => Some((table, key, body)),
            _ => None,
        });
        Remembered {
            entries: entries.into_iter().map(|entry| (entry, None)).collect(),
            rows: row.into_iter().collect(),
            ..Remembered::default()
        }
    }
}

impl OwnRule {
    fn entry(&self, golem: GolemId) -> Entry {
        let claim =
            Claim { when: self.when.to_owned(), then: "market.price > 0".to_owned(), unless: None, after_ticks: 90 };
        let text = format!("Stand aside when {}.", self.when);
        let origin = EntryOrigin { golem, generation: 0 };
        let body = EntryBody {
            claim: Some(claim),
            action: Some(RuleAction::StandAside),
            decay_class: DecayClass::Structural,
            ..EntryBody::own(EntryKind::Heuristic, text, origin, VirtualTime(0))
        };
        let support = Support { confirmed: self.confirmed, contradicted: self.contradicted };
        Entry::new(body, Standing::first(EntryStatus::Active, 9_000, support, VirtualTime(0)))
    }
}
