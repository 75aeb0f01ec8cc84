//! What children found: evidence for or against what is known, by the ordinary ways; and what a replicant brings home, examined
//! like what comes from elsewhere.

use crate::life::Life;
use golem_clade::as_of::told_beside;
use golem_clade::ingest::{ChainSaid, IngestMoment, IngestVerdict, KnowledgeCloud};
use golem_clade::provenance::{HandedPassport, Lineage};
use golem_clade::replicant::Replicant;
use golem_clade::world_time::LifeClock;
use golem_dreams::phage::{PhageEnd, PhageFact, PhageHypothesis, PhageVerdict, replicant_report};
use golem_grimoire::EntryId;
use golem_grimoire::change::NamedTable;
use golem_grimoire::credit::TurnedOut;

impl Life {
    /// A verdict moves what it is about. Returns the entry that it spoke of.
    pub(super) fn phage_evidence(&mut self, end: &PhageEnd) -> Option<EntryId> {
        let now = self.state.core.age;
        let was_better = end.verdict.is_confirmed()?;
        let grimoire = self.grimoire.as_mut()?;
        match &end.phage.hypothesis {
            PhageHypothesis::WithoutRule { entry, .. } => {
                // What did better without it speaks against it.
                let turned = if was_better { TurnedOut::Badly } else { TurnedOut::Well };
                grimoire.shadow_judged(end.phage.id, *entry, turned, now).then_some(*entry)
            }
            PhageHypothesis::StagedRule { proposal, .. } => {
                grimoire.shadow_tried(*proposal, was_better);
                None
            }
            PhageHypothesis::Parameter { .. } | PhageHypothesis::Contrary { .. } => None,
        }
    }

    /// A replicant that did better writes what it found, and its parent examines that.
    pub(super) fn replicant_returned(&mut self, end: &PhageEnd) {
        let (PhageVerdict::Judged { better_bps, .. }, Some(true)) = (end.verdict, end.verdict.is_confirmed()) else {
            return;
        };
        let (birth, now, id) = (&self.genesis.birth, self.state.core.age, end.phage.id);
        let (heir, line, world) = (birth.id, birth.lineage, birth.born_at.after(now.age()));
        let clock = LifeClock { zero: birth.born_at };
        let before = self.genesis.inheritance.as_ref().map(|i| &i.heirloom.lineage);
        let sent = Replicant::of(&Lineage::of(birth, before), id, &end.phage.hypothesis.key());
        let hours = now.since(end.phage.born_at).as_hours();
        let (regime, who) = (self.state.mind.regime(), (sent.origin(), now));
        let Some(body) = replicant_report(&end.phage.hypothesis, (better_bps, hours), regime, who) else { return };
        let text = body.text.clone();
        let report = sent.report(body, world);
        let Some(grimoire) = &mut self.grimoire else { return };
        let embedder = grimoire.embedder().clone();
        let cloud = KnowledgeCloud::of(grimoire.shelf(), &embedder);
        let (shelf, near) = grimoire.known();
        // What a child writes is composed here, and says nothing of the chain.
        let (cloud, embedder, chain) = (&cloud, &embedder, &ChainSaid::default());
        let moment = IngestMoment { heir, line, now, world, shelf, near: &near, cloud, embedder, chain };
        let (verdict, arrival) = sent.examined(&report, &moment);
        let came = match &verdict {
            IngestVerdict::OnTrial { .. } => "taken on trial".to_owned(),
            IngestVerdict::KeptAside { why, .. } => format!("kept aside: {why}"),
            IngestVerdict::Known { .. } => "known already".to_owned(),
            IngestVerdict::Refused { why } => format!("refused: {why}"),
        };
        let entry = arrival.and_then(|arrival| {
            let entry = grimoire.take_in_vouched(arrival.entry, &arrival.vouched, now).1?;
            // Its passport says who was sent for what: a heirloom without it would hand the find on as this golem's own.
            grimoire.tell_beside(entry, told_beside(&arrival.passport, clock, None));
            let handed = HandedPassport { entry, passport: arrival.passport, validations: Vec::new() };
            grimoire.keep(NamedTable::Passport, entry.to_string(), &handed);
            Some(entry)
        });
        self.tell_phage(PhageFact::Report { id, text, came, entry });
    }
}
