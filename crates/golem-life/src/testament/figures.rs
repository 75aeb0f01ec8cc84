//! The life in figures, from its own books.

use crate::life::Life;
use golem_daimon::affect::MoodWord;
use golem_grimoire::testament::LifeStatistics;
use golem_grimoire::{EntryStatus, Provenance};
use golem_mortality::Death;
use golem_mortality::economic::Purpose;

impl Life {
    pub(super) fn life_statistics(&self, death: &Death) -> LifeStatistics {
        let (ledger, core, chronicle) = (&self.state.ledger, &self.state.core, &self.state.chronicle);
        let clock = &self.state.mortality.epistemic;
        let (age, funded, final_nav) = (death.age.age(), ledger.deposits(), self.worth());
        let paid = |purpose: Purpose| (purpose.name().to_owned(), ledger.by_purpose[purpose.index()]);
        let mut all = LifeStatistics {
            turns: death.tick.0,
            lifetime_ticks: age.nominal_floor(),
            lifetime_hours: age.as_hours(),
            age_utilization: death.final_vitality.age_factor,
            funded,
            spent: ledger.spent,
            spent_by_purpose_micro_usdc: Purpose::ALL.into_iter().map(paid).collect(),
            earned: core.profit.delta(core.loss),
            net_pnl: final_nav.delta(funded),
            final_nav,
            peak_nav: chronicle.peak.1,
            trades_executed: core.trades,
            trades_won: chronicle.won,
            trades_lost: chronicle.lost,
            final_epistemic_fitness: clock.fitness,
            peak_epistemic_fitness: clock.peak,
            forecasts_settled: clock.domains.iter().map(|d| d.settled).sum(),
            forecasts_right: clock.domains.iter().map(|d| d.hits).sum(),
            peak_load: chronicle.peak_load.map(|(_, load)| load),
            final_mood: self.state.inner.affect.as_ref().map(|a| MoodWord::of(a.mood()).name().to_owned()),
            dominant_mood: chronicle.dominant_mood().map(|word| word.name().to_owned()),
            ..LifeStatistics::default()
        };
        if let Some(dreams) = self.dream_stats() {
            (all.dreams, all.dreams_confirmed) = (u64::from(dreams.cycles), u64::from(dreams.promoted));
        }
        if let Some(grimoire) = &self.grimoire {
            let shelf = grimoire.shelf();
            let count = |of: &dyn Fn(&golem_grimoire::Entry) -> bool| shelf.entries().filter(|e| of(e)).count() as u64;
            let elsewhere = |p: Provenance| {
                matches!(p, Provenance::Clade | Provenance::Replicant | Provenance::Marketplace | Provenance::Testament)
            };
            all.entries_active = count(&|e| e.standing.status == EntryStatus::Active);
            all.entries_archived = count(&|e| matches!(e.standing.status, EntryStatus::Archived(_)));
            all.entries_burnt = shelf.ashes().len() as u64;
            all.insights_inherited = count(&|e| elsewhere(e.body.provenance));
            all.insights_generated = count(&|e| !elsewhere(e.body.provenance));
            all.episodes = shelf.episode_count() as u64;
            all.rules = grimoire.playbook().rules().count() as u64;
        }
        all
    }
}
