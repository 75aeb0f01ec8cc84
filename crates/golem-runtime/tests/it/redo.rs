//! Worlds that live in this process and are changed by the golem's own acts: after a restart they are brought back to
//! where they stood, acts included, or the golem does not go on.

use crate::toy::*;
use golem_core::door::{Hands, InProcess, World};
use golem_core::intent::Holdings;
use golem_core::{Asset, Intent, Preview, RawObservation, Receipt, Tick, Timestamp, VirtualTime};
use golem_life::Being;
use golem_runtime::*;
use std::sync::{Arc, Mutex};

/// Every buy makes the next one dearer, and everyone can see it.
#[derive(Clone)]
struct Pool {
    walk: Walk,
    sold: Arc<Mutex<u128>>,
    forgets: bool,
}

impl Pool {
    fn new(forgets: bool) -> Self {
        Self { walk: Walk::new(), sold: Arc::default(), forgets }
    }
    fn trade(&self, preview: &Preview) -> Receipt {
        let mut sold = self.sold.lock().unwrap();
        *sold += 1;
        let mut receipt = fill(preview);
        if let golem_core::intent::Outcome::Bought { got, .. } = &mut receipt.outcome {
            *got = Asset(100 + *sold);
        }
        receipt
    }
}

impl World for Pool {
    fn observe(&mut self, age: VirtualTime) -> Option<RawObservation> {
        let sold = *self.sold.lock().unwrap() as f64;
        self.walk.observe(age).map(|seen| RawObservation { price: seen.price.map(|p| p + sold), ..seen })
    }
    fn epoch(&self) -> Timestamp {
        self.walk.epoch()
    }
    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&(self.walk.save(), *self.sold.lock().unwrap())).unwrap()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        let (walk, sold): (Vec<u8>, u128) = postcard::from_bytes(saved).map_err(|e| e.to_string())?;
        *self.sold.lock().unwrap() = sold;
        self.walk.restore(&walk)
    }
}

impl Hands<()> for Pool {
    fn is_external(&self) -> bool {
        false
    }
    fn preview(&mut self, wishes: &[Intent], _: &Holdings) -> Vec<Preview> {
        foreseen(wishes)
    }
    fn act(&mut self, _: Tick, preview: &Preview, (): ()) -> Receipt {
        self.trade(preview)
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, _: &Holdings) -> Result<(), String> {
        if self.forgets {
            return Err("this pool forgets".into());
        }
        let again = self.trade(preview);
        if again == *receipt { Ok(()) } else { Err(format!("recorded {receipt:?}, now {again:?}")) }
    }
}

fn open_pool(dir: &std::path::Path, pool: Pool) -> Result<Runner<Toy, Pool, InProcess<Pool>>, Error> {
    let nature = Nature { buys_one_in: 3, ..Nature::default() };
    Runner::open(store(dir), &nature, pool.clone(), InProcess(pool), around(Pace::Max))
}

#[test]
fn a_world_changed_by_acts_comes_back_with_them() {
    let whole = tempfile::tempdir().unwrap();
    newborn(whole.path());
    let mut runner = open_pool(whole.path(), Pool::new(false)).unwrap();
    runner.run(turns(90)).unwrap();
    let expected = runner.head();
    for cut in [1, 2, 7, 30, 31, 77] {
        let tmp = tempfile::tempdir().unwrap();
        newborn(tmp.path());
        let mut runner = open_pool(tmp.path(), Pool::new(false)).unwrap();
        runner.run(turns(cut)).unwrap();
        // Dropped, not closed: no checkpoint is written, so the tail is lived again.
        drop(runner);
        let mut runner = open_pool(tmp.path(), Pool::new(false)).unwrap();
        assert_eq!(runner.being().tick().0, cut);
        runner.run(turns(90 - cut)).unwrap();
        assert_eq!(runner.head(), expected, "cut after {cut}");
        runner.close().unwrap();
        let mut runner = open_pool(tmp.path(), Pool::new(false)).unwrap();
        runner.run(turns(5)).unwrap();
    }
}

#[test]
fn a_world_that_does_not_do_the_same_again_is_not_gone_on_with() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut runner = open_pool(tmp.path(), Pool::new(false)).unwrap();
    runner.run(turns(20)).unwrap();
    drop(runner);
    let error = open_pool(tmp.path(), Pool::new(true)).err().unwrap();
    assert!(matches!(&error, Error::Diverged { what, .. } if what.contains("forgets")), "{error}");
}
