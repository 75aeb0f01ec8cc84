//! What a succession asks of the dead and of this home: the bundle, settings, the distance, and a birth.

use crate::birth::{NewHeir, Newborn, Request, conceive};
use crate::chain::OpenChains;
use crate::departed::Departed;
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::Home;
use crate::out::Out;
use crate::succession::{HeirPlan, Similarity, heir_name, heirs_of, similarity};
use golem_clade::divergence::{DivergenceShortfall, StrategyChange, may_succeed};
use golem_clade::inheritance::InheritanceChoice;
use golem_clade::succession::{CompiledHeir, IdentityClaim, SuccessionConfig};
use golem_core::{GolemId, Hash};

/// How a successor would differ.
pub struct Compared {
    /// How far the two lie apart; none where nothing is inherited, and nobody asks.
    pub distance: Option<f64>,
    /// How far is asked, where that is more.
    pub asked: Option<f64>,
    /// What differs, line by line.
    pub lines: Vec<String>,
}

/// The dead one's side of a succession.
pub trait Heirship {
    /// The signed bundle.
    fn export(&mut self) -> Result<Vec<u8>, Fail>;
    /// The heir as it should be.
    fn compile(&mut self) -> Result<CompiledHeir, Fail>;
    /// Held against the dead one.
    fn compare(&mut self, will: &CompiledHeir) -> Result<Compared, Fail>;
    /// Heirs that are born already.
    fn born(&mut self) -> Result<Vec<GolemId>, Fail>;
    /// Somebody new; nothing is on disk yet.
    fn conceive(&mut self, will: &CompiledHeir, bundle: Hash) -> Result<GolemId, Fail>;
    /// The birth of the one that was conceived.
    fn bear(&mut self) -> Result<(), Fail>;
    /// Who they are to a registry: the dead one, and its heir.
    fn claims(&self, will: &CompiledHeir, heir: Option<GolemId>) -> (IdentityClaim, IdentityClaim);
}

/// A grave of this home.
pub struct OpenGrave<'a> {
    /// Who lies there.
    pub dead: &'a Departed,
    /// The owner's word.
    pub config: &'a SuccessionConfig,
    /// Where the heir is born.
    pub home: &'a Home,
    /// The chains that are open in this process.
    pub chains: &'a OpenChains,
    /// Where to speak.
    pub out: &'a Out,
    /// Who is about to be born.
    pub awaited: Option<Newborn>,
}

impl Heirship for OpenGrave<'_> {
    fn export(&mut self) -> Result<Vec<u8>, Fail> {
        Ok(self.dead.bundle(self.config.inherit_grimoire))
    }

    fn compile(&mut self) -> Result<CompiledHeir, Fail> {
        let advice = self.dead.testament.iter().flat_map(|t| &t.successor_recommendations.config);
        let sets: Vec<String> = advice.map(|a| format!("{}={}", a.key, a.to)).collect();
        let file = GolemFile::read(&self.dead.origin.settings_given, &sets)?;
        crate::birth::check_budget(self.config.budget_usdc)?;
        Ok(CompiledHeir {
            name: heir_name(self.dead, self.home)?,
            settings: file.to_toml()?,
            budget: self.config.budget_usdc,
            inherits: self.config.inherit_grimoire,
        })
    }

    fn compare(&mut self, will: &CompiledHeir) -> Result<Compared, Fail> {
        let near = similarity(self.dead, &GolemFile::read(&will.settings, &[])?);
        let lines = diff(&near);
        if !will.inherits {
            return Ok(Compared { distance: None, asked: None, lines });
        }
        let asked = match may_succeed(&near.distance, self.config.strategy_drift_allowed) {
            Err(DivergenceShortfall::Playbook { asked, .. }) => Some(asked),
            _ => None,
        };
        Ok(Compared { distance: Some(near.distance.deciding()), asked, lines })
    }

    fn born(&mut self) -> Result<Vec<GolemId>, Fail> {
        Ok(heirs_of(self.dead.place.id, self.home)?.into_iter().map(|(place, _)| place.id).collect())
    }

    fn conceive(&mut self, will: &CompiledHeir, sealed: Hash) -> Result<GolemId, Fail> {
        let bundle = self.dead.bundle(will.inherits);
        if Hash::of(&bundle) != sealed {
            return Err(Fail::world("what the dead one leaves is not what was sealed: its file has been changed"));
        }
        let (inheritance, given) = HeirPlan::inherits(&bundle, InheritanceChoice::default())?;
        let mut file = GolemFile::read(&will.settings, &[])?;
        let open = (file.chain.kind == ChainWord::Embedded).then(|| self.chains.joins(&file.chain.name)).flatten();
        let name = if self.is_taken(&will.name)? { heir_name(self.dead, self.home)? } else { will.name.clone() };
        let (budget, line) = (will.budget, inheritance.heirloom.lineage.clone());
        match open {
            Some(step) => file.chain.joined_at = step?,
            None => {
                let mut plan =
                    HeirPlan { name: name.clone(), budget, seed: None, file, inheritance, given: Vec::new() };
                plan.place(self.home, self.out)?;
                file = plan.file;
            }
        }
        let newborn = conceive(Request { name, budget, seed: None, file, heir: Some(NewHeir { line, given }) })?;
        let id = newborn.origin.birth.id;
        self.awaited = Some(newborn);
        Ok(id)
    }

    fn bear(&mut self) -> Result<(), Fail> {
        let newborn = self.awaited.take().ok_or_else(|| Fail::Bug("nobody is awaited".to_owned()))?;
        newborn.settle(self.home).map(drop)
    }

    fn claims(&self, will: &CompiledHeir, heir: Option<GolemId>) -> (IdentityClaim, IdentityClaim) {
        let birth = &self.dead.origin.birth;
        let parent = IdentityClaim {
            name: birth.name.clone(),
            golem: Some(birth.id),
            generation: birth.generation,
            lineage: birth.lineage,
            parent: birth.parent,
        };
        let heir = IdentityClaim {
            name: will.name.clone(),
            golem: heir,
            generation: birth.generation.saturating_add(1),
            lineage: birth.lineage,
            parent: Some(birth.id),
        };
        (parent, heir)
    }
}

impl OpenGrave<'_> {
    fn is_taken(&self, name: &golem_core::Name) -> Result<bool, Fail> {
        Ok(self.home.golems()?.iter().any(|place| place.name == *name))
    }
}

fn diff(near: &Similarity) -> Vec<String> {
    let line = |change: &StrategyChange| match change {
        StrategyChange::Dropped { rule } => format!("- {rule}"),
        StrategyChange::Added { rule } => format!("+ {rule}"),
        StrategyChange::Set { key, was, to } => format!("~ {key}: {was} -> {to}"),
    };
    let mut lines: Vec<String> = near.changes.iter().map(line).collect();
    lines.push(format!("= {} lines are the same in both", near.shared));
    lines.push(format!("distance {:.2} by lines, {:.2} by words", near.distance.rules, near.distance.cosine));
    lines
}
