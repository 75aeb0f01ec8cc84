//! Siblings over the relay: what they say is examined like everything from elsewhere, an alert is a probe of the turn that hears it, and
//! what this golem found out itself is told to them at the turn's end. No word of a sibling reaches a prompt or a wallet from here.

use crate::fact::{DaimonFact, LifeFact};
use crate::life::Life;
use golem_clade::ingest::IngestVerdict;
use golem_clade::kin::word::CRITICAL;
use golem_clade::kin::{KinLetter, KinWord, TellingMoment};
use golem_clade::library::EquipParcel;
use golem_clade::provenance::{Lineage, ValidationWord};
use golem_clade::world_time::LifeClock;
use golem_core::{GolemId, Hash};
use golem_grimoire::EntryId;
use golem_mortality::couplings::sharing_threshold;

impl Life {
    /// A sibling has said something; says what came of it.
    pub(crate) fn hear_kin(&mut self, from: GolemId, letter: &str) -> String {
        if self.state.kin.is_none() {
            return "not heard: it speaks with no siblings".to_owned();
        }
        let letter = match KinLetter::read(letter).and_then(|l| l.spoken_by(from).map(|()| l)) {
            Ok(letter) => letter,
            Err(why) => return self.heard_of_kin(from, "nothing", format!("refused: {why}"), None),
        };
        let kind = letter.word.name();
        self.be_warned(from, &kind, letter.word.threat());
        let (came, entry) = match letter.word {
            KinWord::Entry { parcel } => self.examine_kin(*parcel, false),
            KinWord::Blood { parcel } => self.examine_kin(*parcel, true),
            KinWord::Regime { .. } => ("noted".to_owned(), None),
            KinWord::Scent { .. } => ("smelt".to_owned(), None),
            KinWord::Validation { root, word } => self.validated_by_kin(from, root, word),
            KinWord::Cry { name, text, died, .. } => {
                self.hear_peer(&name, &text, died);
                ("heard".to_owned(), None)
            }
        };
        self.heard_of_kin(from, &kind, came, entry)
    }

    fn heard_of_kin(&mut self, from: GolemId, kind: &str, came: String, entry: Option<EntryId>) -> String {
        self.tell(LifeFact::KinHeard { from, kind: kind.to_owned(), came: came.clone(), entry });
        came
    }

    /// An alert shows as a probe, and is catching within bounds; a critical one wakes who sleeps. Which words it came in is for the
    /// examination to say.
    fn be_warned(&mut self, from: GolemId, kind: &str, threat: f64) {
        if threat <= 0.0 {
            return;
        }
        self.turn.threat = self.turn.threat.max(threat);
        let (now, config) = (self.state.core.age, self.affect_config().clone());
        let caught = self.state.inner.affect.as_mut().and_then(|a| a.sync(now, &[], 1, &config));
        if let Some(fact) = caught {
            self.tell_inner(DaimonFact::Affect(fact));
        }
        if threat > CRITICAL {
            self.alerted(&from.to_string(), kind);
        }
    }

    fn examine_kin(&mut self, parcel: EquipParcel, grave: bool) -> (String, Option<EntryId>) {
        let root = parcel.passport().root;
        let Some((verdict, entry)) = self.take_parcel(parcel, grave) else {
            return ("not taken: it lives without memory".to_owned(), None);
        };
        if let (Some(kin), Some(entry)) = (&mut self.state.kin, entry) {
            kin.heard.took(entry, root);
        }
        let came = match verdict {
            IngestVerdict::OnTrial { .. } => "on trial".to_owned(),
            IngestVerdict::KeptAside { why, .. } => format!("kept aside: {why}"),
            IngestVerdict::Known { .. } => "known already".to_owned(),
            IngestVerdict::Refused { why } => format!("refused: {why}"),
        };
        (came, entry)
    }

    /// A sibling has tried something. That counts where it is known, and proves nothing here.
    fn validated_by_kin(&mut self, from: GolemId, root: Hash, word: ValidationWord) -> (String, Option<EntryId>) {
        let (Some(kin), Some(grimoire)) = (&mut self.state.kin, &mut self.grimoire) else {
            return ("not taken: it lives without memory".to_owned(), None);
        };
        if !kin.heard.validated(root, from, word) {
            return ("known already".to_owned(), None);
        }
        let entry = kin.heard.entry_of(root, grimoire.shelf());
        if let Some(id) = entry {
            grimoire.validated_elsewhere(id, kin.heard.confirmed(root));
        }
        ("counted".to_owned(), entry)
    }

    /// What siblings are told at the end of a turn.
    pub(crate) fn tell_kin(&mut self) {
        let Some(grimoire) = &self.grimoire else { return };
        let Some(mut kin) = self.state.kin.take() else { return };
        let (birth, phase) = (&self.genesis.birth, self.phase());
        let before = self.genesis.inheritance.as_ref().map(|i| &i.heirloom.lineage);
        let lineage = Lineage::of(birth, before);
        let least = sharing_threshold(phase, self.state.mortality.stochastic.current_hazard);
        let moment = TellingMoment {
            tick: self.state.core.tick,
            now: self.state.core.age,
            clock: LifeClock { zero: birth.born_at },
            lineage: &lineage,
            shelf: grimoire.shelf(),
            regime: self.state.mind.regime(),
            threshold: self.channels().sharing_threshold(least),
            batch_ticks: self.genesis.settings.styx.clade.sync_interval_ticks.min(phase.behaviour().sharing_batch),
        };
        kin.heard.retain(grimoire.shelf());
        self.turn.kin = kin.told.due(&moment, &kin.heard);
        self.state.kin = Some(kin);
    }
}
