//! Who succeeds whom: settings for the heir, what it is given, whether it would be more than the one that died again, where in its
//! world it begins, and its birth. One death has one successor; asked for again, it is the same one.

use crate::birth::{NewHeir, Request, conceive, settings_are_readable};
use crate::bundle;
use crate::departed::Departed;
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::{Home, Place};
use crate::out::Out;
use crate::world;
use golem_clade::divergence::{
    AntiProletarianizationConfig, DivergenceShortfall, PlaybookDistance, StrategyChange, StrategyPage, may_succeed,
};
use golem_clade::inheritance::{Inheritance, InheritanceChoice};
use golem_core::{Elapsed, GolemId, NOMINAL_TICK_S, Name, Timestamp, Usdc, plain};
use golem_grimoire::embed::StaticEmbedder;
use golem_grimoire::playbook::RuleId;
use golem_grimoire::testament::RuleFate;
use golem_runtime::{GolemDir, Lock, Origin, Reader};
use std::collections::{BTreeMap, BTreeSet};

/// What an heir is born with, before it is born.
pub struct HeirPlan {
    /// What to call it.
    pub name: Name,
    /// What it is given.
    pub budget: Usdc,
    /// An open life, computed from a seed.
    pub seed: Option<u64>,
    /// Its settings.
    pub file: GolemFile,
    /// What it inherits.
    pub inheritance: Inheritance,
    /// The same, as its file keeps it.
    pub given: Vec<u8>,
}

/// How near a successor would be to the one that died.
pub struct Similarity {
    /// How far the two ways of life lie apart.
    pub distance: PlaybookDistance,
    /// What differs.
    pub changes: Vec<StrategyChange>,
    /// Lines that both have.
    pub shared: usize,
    /// Why it is too near, if it is.
    pub shortfall: Option<DivergenceShortfall>,
}

impl HeirPlan {
    /// What an heir would inherit of a bundle.
    pub fn inherits(bundle: &[u8], choice: InheritanceChoice) -> Result<(Inheritance, Vec<u8>), Fail> {
        let given = bundle::give(&choice, bundle);
        let heirloom = bundle::read(bundle)?;
        let idle: Vec<&str> = choice.idle(&heirloom.entries).collect();
        if !idle.is_empty() && !heirloom.entries.is_empty() {
            let fields: BTreeSet<String> =
                Inheritance { heirloom: heirloom.clone(), choice: InheritanceChoice::default() }
                    .preview()
                    .domains
                    .into_iter()
                    .map(|(field, _)| field.to_string())
                    .collect();
            let list = fields.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Fail::hint(format!("nothing was left in {}", idle.join(", ")), format!("there is: {list}")));
        }
        Ok((Inheritance { heirloom, choice }, given))
    }

    /// Put the heir into its world where what it inherits was closed, as far as the world goes that far: nobody is born before
    /// what it was told.
    pub fn place(&mut self, home: &Home, out: &Out) -> Result<(), Fail> {
        crate::chain::wallet_is_free(&self.file, home)?;
        self.file.chain.joined_at = match self.file.chain.kind {
            ChainWord::Paper => joins(&self.file, self.inheritance.heirloom.closed)?,
            _ => crate::chain::joined(&self.file, home, out)?,
        };
        Ok(())
    }

    /// Give birth.
    pub fn settle(self, home: &Home) -> Result<(Place, Origin), Fail> {
        let heir = Some(NewHeir { line: self.inheritance.heirloom.lineage.clone(), given: self.given });
        let Self { name, budget, seed, file, .. } = self;
        let newborn = conceive(Request { name, budget, seed, file, heir })?;
        let origin = newborn.origin.clone();
        Ok((newborn.settle(home)?, origin))
    }
    /// The birth record it would have.
    pub fn birth(&self) -> Result<golem_core::Birth, Fail> {
        let heir = Some(NewHeir { line: self.inheritance.heirloom.lineage.clone(), given: self.given.clone() });
        let (name, budget, seed, file) = (self.name.clone(), self.budget, self.seed, self.file.clone());
        Ok(conceive(Request { name, budget, seed, file, heir })?.origin.birth)
    }
}

/// Steps that have passed in a paper world when something was closed: 0 where the world ends before that.
fn joins(file: &GolemFile, closed: Timestamp) -> Result<u64, Fail> {
    let world = world::build(&file.world)?;
    let passed = u64::try_from(closed.0.saturating_sub(world.epoch().0)).unwrap_or(0);
    if passed == 0 {
        return Ok(0);
    }
    let turn = world::interval_s(file.heartbeat.tick_interval_s, world.as_ref()).max(NOMINAL_TICK_S);
    // A whole turn later, so that nobody is born in the middle of one.
    let steps = ((passed / turn + 1) * turn).div_ceil(NOMINAL_TICK_S);
    let ended = world.ends_at().is_some_and(|end| end.0 <= Elapsed::nominal(steps).0);
    Ok(if ended { 0 } else { steps })
}

/// Hold the way of life that an heir would be handed against the one that ended: its rules without those that the testament
/// retires, and the settings of its strategy.
pub fn similarity(dead: &Departed, heir: &GolemFile) -> Similarity {
    let advised = dead.testament.iter().flat_map(|t| &t.successor_recommendations.playbook);
    let retired: BTreeSet<RuleId> = advised.filter(|a| a.change == RuleFate::Retire).map(|a| a.rule.clone()).collect();
    let playbook = dead.writer.playbook();
    let before = StrategyPage::new(playbook, &BTreeSet::new(), strategy(&dead.file));
    let after = StrategyPage::new(playbook, &retired, strategy(heir));
    let distance = before.distance(&after, &StaticEmbedder::bundled());
    let least = AntiProletarianizationConfig::default().min_playbook_divergence;
    Similarity {
        shortfall: may_succeed(&distance, least).err(),
        changes: before.changes(&after),
        shared: before.shared(&after),
        distance,
    }
}

/// The settings of a strategy: its template, and the parameters of that.
fn strategy(file: &GolemFile) -> BTreeMap<String, String> {
    let policy = plain::value(&file.policy);
    let at = |key: &str| key.split('.').try_fold(&policy, |at, part| at.get(part)).map(ToString::to_string);
    let keys = file.policy.template.parameters().iter().map(|p| p.key).chain(["template"]);
    keys.filter_map(|key| Some((format!("policy.{key}"), at(key)?))).collect()
}

/// Nobody else makes a successor of it meanwhile.
pub fn hold(dead: &Place) -> Result<Lock, Fail> {
    Lock::take(&GolemDir::of_golem(&dead.dir)?).map_err(|e| match e {
        golem_runtime::Error::Locked { .. } => Fail::hint(
            format!("somebody is at the grave of {} at this moment", dead.name),
            "wait until that is done, and ask again",
        ),
        other => other.into(),
    })
}

/// Those that a golem has been succeeded by, in the order of their names. What a crash left unfinished is finished.
pub fn heirs_of(dead: GolemId, home: &Home) -> Result<Vec<(Place, Origin)>, Fail> {
    let mut heirs = Vec::new();
    for place in home.golems()? {
        let found = Fail::unless_readable(Reader::open(&place.dir).and_then(|reader| reader.origin()))?;
        let Some(origin) = found.filter(|origin| origin.birth.parent == Some(dead)) else { continue };
        settings_are_readable(&place)?;
        heirs.push((place, origin));
    }
    Ok(heirs)
}

/// A name for the heir of somebody: the same with its generation behind it, and free in this home.
pub fn heir_name(dead: &Departed, home: &Home) -> Result<Name, Fail> {
    let (name, generation) = (dead.origin.birth.name.to_string(), dead.origin.birth.generation);
    let stem = name.strip_suffix(&format!("-{generation}")).filter(|_| generation > 0).unwrap_or(&name);
    let stem: String = stem.chars().take(34).collect();
    let taken: BTreeSet<Name> = home.golems()?.into_iter().map(|place| place.name).collect();
    let tries = std::iter::once(format!("{stem}-{}", generation + 1))
        .chain(('b'..='z').map(|c| format!("{stem}-{}{c}", generation + 1)));
    let free = tries.filter_map(|name| name.parse::<Name>().ok()).find(|name| !taken.contains(name));
    free.ok_or_else(|| Fail::hint(format!("every name after {name} is taken"), "choose one: --name NAME"))
}
