//! tmp
mod kit;
use golem_core::Elapsed;
use golem_mind::Learning;
use golem_mortality::Domain;
use kit::{Life, Market};
#[test]
fn lows() {
    for seed in 100..112 {
        let mut m = Market::new(seed);
        let mut l = Life::new();
        let (mut min, mut run, mut worst, mut below5, mut sum) = (1.0f64, 0, 0, 0, 0.0);
        for t in 1..=2160 * 60u64 {
            l.turn(&m.tick().admit(), Elapsed::nominal(1), Learning::FULL);
            let c = l.score.composite();
            if t > 500 { min = min.min(c); sum += c; }
            below5 += u32::from(c < 0.5);
            run = if c < 0.35 { run + 1 } else { 0 };
            worst = worst.max(run);
        }
        println!("min {min:.3} longest below .35: {worst} below .5 {:.3} mean {:.3} overall {:?} pending {:?}", below5 as f64 / (2160.0 * 60.0), sum / (2160.0*60.0-500.0),
          Domain::ALL.map(|d| (l.score.overall(d) * 1000.0) as i32), postcard::to_stdvec(&l.mind).unwrap().len());
    }
}
