#![allow(missing_docs, clippy::print_stdout)]
use golem_daimon::suffering::Canonical;
use golem_lab::remedies::{RemedyPlan, measure};
fn main() {
    let mut args = std::env::args().skip(1);
    let seeds = args.next().unwrap().parse().unwrap();
    let days = args.next().unwrap().parse().unwrap();
    let which: Vec<Canonical> = args.filter_map(|a| Canonical::named(&a)).collect();
    let stressors = if which.is_empty() { Canonical::ALL.to_vec() } else { which };
    for s in stressors {
        let t = std::time::Instant::now();
        let plan = RemedyPlan { first_seed: std::env::var("FIRST").map_or(1, |s| s.parse().unwrap()), seeds, days, stressors: vec![s], ..RemedyPlan::default() };
        let report = measure(&plan, &|_| ()).unwrap();
        for l in &report.lives {
            println!(
                "{:<18} {:<10} seed {:>2} opened {} eased {} until {:?} open {:.0} gain {:+.4} trades {} steps {:?}",
                l.stressor,
                l.arm.name(),
                l.seed,
                l.opened,
                l.eased,
                l.hours_until_eased,
                l.hours_open,
                l.gain,
                l.trades,
                l.steps
            );
        }
        println!("{}", report.text());
        println!("{:.1} s\n", t.elapsed().as_secs_f64());
    }
}
