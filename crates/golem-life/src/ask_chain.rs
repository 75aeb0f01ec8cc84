//! What comes in from elsewhere says things of the chain. Before it is heard, the chain is asked: once a turn, all of it together, and the
//! answer is part of the turn's record, so that a life that is lived again asks nobody.

use crate::input::{Ask, TickInput};
use crate::life::Life;
use crate::scratch::AskedOfChain;
use crate::step::{Answer, Question};
use golem_clade::ingest::{ChainSaid, asked_of_chain};
use golem_clade::kin::{KinLetter, KinWord};
use golem_clade::library::EquipParcel;

impl Life {
    /// The question of this turn to its chain, if what comes in has one.
    pub(crate) fn ask_chain(&mut self, input: &TickInput) -> Option<Question> {
        self.grimoire.as_ref()?;
        let core = &self.state.core;
        let inherits = !self.is_dying() && core.age.after(core.interval) == self.taken_in_at();
        let left = self.genesis.inheritance.as_ref().filter(|_| inherits);
        let parcels: Vec<EquipParcel> = input.orders.iter().flat_map(|order| parcels(&order.ask)).collect();
        let left = left.iter().flat_map(|left| left.given().map(|one| &one.entry.body));
        let request = asked_of_chain(parcels.iter().map(|parcel| &parcel.entry.entry.body).chain(left))?;
        let question = Question::Claims(Box::new(request.clone()));
        self.turn.chain_asked = Some(Box::new(AskedOfChain { request, input: input.clone() }));
        Some(question)
    }

    /// The chain has answered: what the turn began with, where it waited for that.
    pub(crate) fn chain_answered(&mut self, answer: &Answer) -> Option<TickInput> {
        let asked = self.turn.chain_asked.take()?;
        if let Answer::Claimed(reply) = answer {
            self.turn.chain_said = ChainSaid::of(&asked.request, reply);
        }
        Some(asked.input)
    }
}

/// What an order hands over, as far as it can be read.
fn parcels(ask: &Ask) -> Vec<EquipParcel> {
    match ask {
        Ask::Equip { parcels } => parcels.iter().filter_map(|text| EquipParcel::read(text).ok()).collect(),
        Ask::Kin { letter, .. } => match KinLetter::read(letter).map(|letter| letter.word) {
            Ok(KinWord::Entry { parcel }) => vec![*parcel],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
