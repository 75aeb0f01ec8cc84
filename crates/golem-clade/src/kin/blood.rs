//! What a grave says to the siblings of the dead: what it learnt from its own death, sealed to them. It is worth more than what the
//! living say, since nobody gains by it, and so it counts only where a grave was read: no delta may say it.

use super::word::{KinEnvelope, KinLetter, KinWord, KinWordFault};
use crate::library::{EquipParcel, EquipTarget, WorldCalendar};
use golem_core::{GolemId, Timestamp};
use serde::{Deserialize, Serialize};

/// The sealed part of a grave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraveLetter {
    /// Who, for people.
    pub name: String,
    pub cause: String,
    /// What was left of it, in thousandths.
    pub vitality: u16,
    /// By which days it is dated.
    pub calendar: WorldCalendar,
    /// When it died.
    pub at: Timestamp,
    /// What its death taught, the surest first.
    pub blood: Vec<EquipParcel>,
}

impl GraveLetter {
    /// As it is sealed: so much of it as fits, the surest first.
    #[must_use]
    pub fn bytes(mut self, most: usize) -> Vec<u8> {
        loop {
            let bytes = golem_core::plain::json(&self).into_bytes();
            if bytes.len() <= most || self.blood.pop().is_none() {
                return bytes;
            }
        }
    }

    /// Read what was opened.
    ///
    /// # Errors
    /// When it has another form.
    pub fn read(clear: &[u8]) -> Result<Self, KinWordFault> {
        serde_json::from_slice(clear).map_err(|e| KinWordFault::Form(e.to_string()))
    }

    /// As one sibling hears it: a letter for each thing that is the dead one's own and was marked by its death.
    #[must_use]
    pub fn for_reader(self, dead: GolemId, to: &EquipTarget) -> Vec<KinLetter> {
        let Self { calendar, at, blood, .. } = self;
        let own = blood.into_iter().filter(|parcel| parcel.passport().blood == Some(dead));
        let letters = own.map(|parcel| KinLetter { at, word: KinWord::Blood { parcel: Box::new(parcel) } });
        let spoken = letters.filter(|letter| letter.spoken_by(dead).is_ok());
        spoken.map(|letter| KinEnvelope { calendar: calendar.clone(), letter }.for_reader(to)).collect()
    }
}
