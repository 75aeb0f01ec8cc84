//! `bardo golem vitals ID [--forecast]`.

use crate::chart::{bar, chart};
use crate::cli::Vitals;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::show;
use golem_home::vitals::{Clocks, HORIZON_DAYS, ahead, read};
use golem_life::Status;
use golem_mortality::forecast::LifeForecast;

/// The clocks, and with `--forecast` how long it may yet live.
pub fn run(args: &Vitals, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    if args.forecast {
        let (now, told) = ahead(&place)?;
        return out.result(&told, || forecast_text(&now, &told));
    }
    let Clocks { now, history, signs } = read(&place)?;
    let fitness = now.vitality.epistemic;
    // By way of a value, whose keys stand in one order.
    let told = serde_json::to_value(&signs).map_err(|e| Fail::Bug(e.to_string()))?;
    out.result(&told, || {
        let composite: Vec<f64> = history.iter().map(|s| s.vitality.composite).collect();
        let mut lines = vec![
            show::line(&now),
            format!("  economic    {} {:.3}", bar(now.vitality.economic), now.vitality.economic),
            format!("  epistemic   {} {:.3}", bar(fitness), fitness),
            format!(
                "  stochastic  hazard {:.2e} per tick; by chance alone half die within {:.0} days, the mean is {:.0}",
                now.hazard_rate, signs.median_remaining_days, signs.expected_remaining_days
            ),
            "  vitality over its life".to_owned(),
        ];
        lines.extend(chart(&composite, 64, 4).into_iter().map(|l| format!("  {l}")));
        crate::lines::folded(&lines.join("\n"))
    })
}

fn forecast_text(now: &Status, f: &LifeForecast) -> String {
    let mut lines = vec![show::line(now)];
    lines.push(match f.median_days {
        Some(m) => format!("  an even chance of living another {m:.1} days"),
        None => format!("  more likely than not to live beyond {HORIZON_DAYS} days"),
    });
    let p: Vec<f64> = f.p_alive.iter().map(|a| a.p).collect();
    lines.push(format!("  P(alive) over the next {HORIZON_DAYS} days"));
    lines.extend(chart(&p, 60, 5).into_iter().map(|l| format!("  {l}")));
    for day in [1, 7, 30, 60] {
        if let Some(a) = f.p_alive.get(day - 1) {
            lines.push(format!("    in {day:>2} days  {:.1} %", a.p * 100.0));
        }
    }
    lines.push("  would die of".to_owned());
    for (name, p) in
        [("chance", f.causes.stochastic), ("poverty", f.causes.economic), ("ignorance", f.causes.epistemic)]
    {
        lines.push(format!("    {name:<10} {} {:.1} %", bar(p), p * 100.0));
    }
    lines.push("  method".to_owned());
    lines.extend(f.method.iter().map(|m| format!("    {m}")));
    crate::lines::folded(&lines.join("\n"))
}
