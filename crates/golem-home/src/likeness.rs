//! How near a successor would be to the one that died: what it would be handed and how it is set, held against each other.

use crate::departed::Departed;
use crate::golem_file::GolemFile;
use golem_clade::divergence::{
    AntiProletarianizationConfig, DivergenceShortfall, PlaybookDistance, StrategyChange, StrategyPage, may_succeed,
};
use golem_clade::heirloom::InheritancePreview;
use golem_clade::inheritance::{Inheritance, InheritanceChoice};
use golem_core::plain;
use golem_grimoire::EntryId;
use golem_grimoire::embed::StaticEmbedder;
use golem_grimoire::playbook::{Rule, RuleId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

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

/// Hold the way of life that an heir would be handed against the one that ended: its rules without those that are kept from it
/// (advice that nobody takes changes nothing), and the settings of its strategy.
pub fn similarity(dead: &Departed, heir: &GolemFile, choice: &InheritanceChoice) -> Similarity {
    let kept_back: BTreeSet<EntryId> = dead.rooted_in(&choice.without).collect();
    let rules = dead.writer.playbook().rules().map(Rule::id);
    let retired: BTreeSet<RuleId> =
        rules.filter(|id| id.entry().is_some_and(|entry| kept_back.contains(&entry))).cloned().collect();
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
pub fn strategy(file: &GolemFile) -> BTreeMap<String, String> {
    let policy = plain::value(&file.policy);
    let at = |key: &str| key.split('.').try_fold(&policy, |at, part| at.get(part)).map(ToString::to_string);
    let keys = file.policy.template.parameters().iter().map(|p| p.key).chain(["template"]);
    keys.filter_map(|key| Some((format!("policy.{key}"), at(key)?))).collect()
}

/// What there is for an heir of somebody: what it would inherit, and the words that make one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeirOffer {
    /// What would be inherited where the testament's advice is taken.
    pub preview: InheritancePreview,
    /// The options of `golem successor` that are not refused for making the dead one anew.
    pub options: &'static str,
}

impl HeirOffer {
    /// With the testament's advice where that suffices; without inheritance where the heir would still be a copy.
    pub fn of(dead: &Departed) -> Result<Self, crate::fail::Fail> {
        let choice = InheritanceChoice { without: dead.advised_against(), ..InheritanceChoice::default() };
        let file = GolemFile::read(&dead.origin.settings_given, &advised(dead))?;
        let near = similarity(dead, &file, &choice);
        let heirloom = crate::bundle::read(&dead.bundle(true))?;
        let preview = Inheritance { heirloom, choice }.preview();
        let options = if near.shortfall.is_none() { "--inherit-grimoire --take-advice" } else { "--no-inherit" };
        Ok(Self { preview, options })
    }
}

/// The testament's advice on settings, as an owner would type it.
#[must_use]
pub fn advised(dead: &Departed) -> Vec<String> {
    let advice = dead.testament.iter().flat_map(|t| &t.successor_recommendations.config);
    advice.map(|a| format!("{}={}", a.key, a.to)).collect()
}
