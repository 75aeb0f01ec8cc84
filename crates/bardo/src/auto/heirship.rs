//! What a succession asks of the dead and of this home: the bundle, settings, the distance, and a birth.

use crate::chain::OpenChains;
use crate::departed::Departed;
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::Home;
use crate::out::Out;
use crate::succession::{AwaitedHeir, HeirPlan, Similarity, heir_elsewhere, heir_name, heirs_of, similarity};
use golem_clade::divergence::{DivergenceShortfall, StrategyChange, may_succeed};
use golem_clade::inheritance::InheritanceChoice;
use golem_clade::succession::{CompiledHeir, IdentityClaim, SuccessionConfig};
use golem_core::{GolemId, Hash};

/// The dead say nothing new.
pub const NOT_WHAT_WAS_SEALED: &str = "what the dead one leaves is not what was sealed: its file has been changed";

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
    /// The signed bundle: with what the dead one knew, or with its name and way of life alone.
    fn export(&mut self, inherits: bool) -> Result<Vec<u8>, Fail>;
    /// The heir as it should be.
    fn compile(&mut self) -> Result<CompiledHeir, Fail>;
    /// Held against the dead one.
    fn compare(&mut self, will: &CompiledHeir) -> Result<Compared, Fail>;
    /// Heirs that are born already.
    fn born(&mut self) -> Result<Vec<GolemId>, Fail>;
    /// An heir that is known of and cannot be shown here: it lies elsewhere, or its file cannot be read.
    fn elsewhere(&mut self) -> Result<Option<GolemId>, Fail>;
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
    pub awaited: Option<AwaitedHeir>,
}

impl Heirship for OpenGrave<'_> {
    fn export(&mut self, inherits: bool) -> Result<Vec<u8>, Fail> {
        Ok(self.dead.bundle(inherits))
    }

    fn compile(&mut self) -> Result<CompiledHeir, Fail> {
        let advice = self.dead.testament.iter().flat_map(|t| &t.successor_recommendations.config);
        let sets: Vec<String> = advice.map(|a| format!("{}={}", a.key, a.to)).collect();
        let file = GolemFile::read(&self.dead.origin.settings_given, &sets)?;
        crate::birth::check_budget(self.config.budget_usdc)?;
        let inherits = self.config.inherit_grimoire;
        let mut will = CompiledHeir {
            name: heir_name(self.dead, self.home)?,
            settings: file.to_toml()?,
            budget: self.config.budget_usdc,
            inherits,
            without: if inherits { self.dead.advised_against() } else { Vec::new() },
        };
        // What three generations have proven stands in the settings that are decided here; where its world cannot be asked at
        // this moment, its birth adds it.
        let mut plan = self.plan(&will, &self.dead.bundle(inherits), file.clone())?;
        if self.place(&mut plan).is_ok() {
            will.settings = GolemFile { defaults: plan.file.defaults, ..file }.to_toml()?;
        }
        Ok(will)
    }

    fn compare(&mut self, will: &CompiledHeir) -> Result<Compared, Fail> {
        let near = similarity(self.dead, &GolemFile::read(&will.settings, &[])?, &choice(will));
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

    fn elsewhere(&mut self) -> Result<Option<GolemId>, Fail> {
        Ok(heir_elsewhere(&self.dead.place, self.home)?.map(|stands| stands.heir))
    }

    fn conceive(&mut self, will: &CompiledHeir, sealed: Hash) -> Result<GolemId, Fail> {
        let bundle = self.dead.bundle(will.inherits);
        if Hash::of(&bundle) != sealed {
            return Err(Fail::world(NOT_WHAT_WAS_SEALED));
        }
        let mut plan = self.plan(will, &bundle, GolemFile::read(&will.settings, &[])?)?;
        if self.is_taken(&will.name)? {
            plan.name = heir_name(self.dead, self.home)?;
        }
        self.place(&mut plan)?;
        let awaited = plan.conceive()?;
        let id = awaited.id();
        self.awaited = Some(awaited);
        Ok(id)
    }

    fn bear(&mut self) -> Result<(), Fail> {
        let awaited = self.awaited.take().ok_or_else(|| Fail::Bug("nobody is awaited".to_owned()))?;
        awaited.settle(self.home, false, self.out).map(drop)
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

/// Which part of what is left is given.
fn choice(will: &CompiledHeir) -> InheritanceChoice {
    InheritanceChoice { without: will.without.clone(), ..InheritanceChoice::default() }
}

impl OpenGrave<'_> {
    fn plan(&self, will: &CompiledHeir, bundle: &[u8], file: GolemFile) -> Result<HeirPlan, Fail> {
        let (inheritance, given) = HeirPlan::inherits(bundle, choice(will))?;
        Ok(HeirPlan { name: will.name.clone(), budget: will.budget, seed: None, file, inheritance, given })
    }

    /// Where its world stands: the chain that is open in this process, or the one on disk; and what its line had proven by then.
    fn place(&self, plan: &mut HeirPlan) -> Result<(), Fail> {
        let embedded = plan.file.chain.kind == ChainWord::Embedded;
        match embedded.then(|| self.chains.joins(&plan.file.chain.name)).flatten() {
            Some(step) => plan.file.chain.joined_at = step?,
            None => plan.place(self.home, self.out)?,
        }
        plan.born_with()
    }

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
