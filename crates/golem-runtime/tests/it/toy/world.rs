//! The world of the toy: a walk, and hands of paper.

use golem_core::door::{Hands, World};
use golem_core::intent::{Holdings, Outcome};
use golem_core::venue::Gas;
use golem_core::*;
use serde::{Deserialize, Serialize};

/// A walk whose every step depends on all steps before: a world that was not brought to the right age shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Walk {
    pub price: f64,
    pub last: VirtualTime,
    pub ends: Option<VirtualTime>,
}

impl Walk {
    pub fn new() -> Self {
        Self { price: 2_000.0, last: VirtualTime(0), ends: None }
    }
}

impl World for Walk {
    fn observe(&mut self, age: VirtualTime) -> Option<RawObservation> {
        assert!(age > self.last, "asked for {age:?} after {:?}", self.last);
        if self.ends.is_some_and(|end| age > end) {
            return None;
        }
        self.last = age;
        let (up, _) = Dice::open(5, Strand::World).draws(age.0).normals();
        self.price *= 1.0 + up * 0.001;
        Some(RawObservation {
            price: Some(self.price),
            gas_gwei: Some(10.0 + up),
            fee_yield: Some(0.0003),
            volume: Some(1e6 + up),
            protocol: Some(ProtocolState::Normal),
            ..RawObservation::default()
        })
    }
    fn epoch(&self) -> Timestamp {
        Timestamp(1_700_000_000)
    }
    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        *self = postcard::from_bytes(saved).map_err(|e| e.to_string())?;
        Ok(())
    }
}

/// Hands of paper.
#[derive(Debug, Clone, Copy)]
pub struct Paper;

impl Hands<()> for Paper {
    fn is_external(&self) -> bool {
        false
    }
    fn preview(&mut self, wishes: &[Intent], _: &Holdings) -> Vec<Preview> {
        foreseen(wishes)
    }
    fn act(&mut self, _: Tick, preview: &Preview, (): ()) -> Receipt {
        fill(preview)
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, _: &Holdings) -> Result<(), String> {
        if fill(preview) == *receipt { Ok(()) } else { Err(format!("{receipt:?} came out differently")) }
    }
}

pub fn foreseen(wishes: &[Intent]) -> Vec<Preview> {
    let one = |wish: &Intent| Preview { outcome: bought(wish), ..Preview::refused(*wish, intent::Refusal::Funds) };
    wishes.iter().map(one).collect()
}

fn bought(intent: &Intent) -> Outcome {
    let Intent::Buy { pay, .. } = *intent else { panic!("the toy only buys") };
    Outcome::Bought { paid: pay, got: Asset(u128::from(pay.0) * 10 + 1) }
}

pub fn fill(preview: &Preview) -> Receipt {
    let gas = Gas { charged: 1, used: 1, cost: Usdc(1) };
    let empty = Receipt::kept_back(preview.intent, intent::Refusal::Funds);
    Receipt { outcome: bought(&preview.intent), gas, ..empty }
}
