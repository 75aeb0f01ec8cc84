//! `bardo golem vitals ID [--forecast]`.

use crate::birth;
use crate::chart::{bar, chart};
use crate::cli::Vitals;
use crate::commands::status;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::show;
use crate::stored::series;
use golem_core::VirtualTime;
use golem_life::Status;
use golem_mortality::forecast::{ForecastPoint, LifeForecast, Present, forecast};
use golem_mortality::stochastic;
use golem_runtime::Reader;
use serde_json::json;

/// The forecast looks this far ahead.
pub(super) const HORIZON_DAYS: u32 = 120;

/// The clocks, and with `--forecast` how long it may yet live.
pub fn run(args: &Vitals, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&args.id)?;
    let reader = Reader::open(&place.dir)?;
    let origin = reader.origin()?;
    let config = birth::settings_of(&origin)?.mortality;
    let now = status::read(&place)?;
    let history = series(&reader)?;
    if args.forecast {
        if now.death.is_some() {
            return Err(Fail::owner(format!("{} is dead: there is nothing to forecast", place.name)));
        }
        let points: Vec<ForecastPoint> = history.iter().map(point).collect();
        let told = forecast(&present(&now, origin.birth.funding), &points, HORIZON_DAYS, &config);
        return out.result(&told, || forecast_text(&now, &told));
    }
    let age = now.age_ticks as f64;
    let fitness = now.vitality.epistemic;
    let day = 2_160.0;
    let told = json!({
        "tick": now.tick, "phase": now.phase, "vitality": now.vitality, "domains": now.domains,
        "hazard_rate": now.hazard_rate, "survival_24h": now.survival_24h,
        "expected_remaining_days": stochastic::expected_remaining(age, fitness, &config.stochastic) / day,
        "median_remaining_days": stochastic::median_remaining(age, fitness, &config.stochastic) / day,
        "balance_micro_usdc": now.balance, "projected_life_h": now.projected_life_h,
    });
    out.result(&told, || {
        let composite: Vec<f64> = history.iter().map(|s| s.vitality.composite).collect();
        let mut lines = vec![
            show::line(&now),
            format!("  economic    {} {:.3}", bar(now.vitality.economic), now.vitality.economic),
            format!("  epistemic   {} {:.3}", bar(fitness), fitness),
            format!(
                "  stochastic  hazard {:.2e} per tick; by chance alone half die within {:.0} days, the mean is {:.0}",
                now.hazard_rate,
                told["median_remaining_days"].as_f64().unwrap_or_default(),
                told["expected_remaining_days"].as_f64().unwrap_or_default()
            ),
            "  vitality over its life".to_owned(),
        ];
        lines.extend(chart(&composite, 64, 4).into_iter().map(|l| format!("  {l}")));
        crate::lines::folded(&lines.join("\n"))
    })
}

/// A remembered point of the series.
pub(super) fn point(s: &golem_life::LifePoint) -> ForecastPoint {
    ForecastPoint { day: s.age_days, fitness: s.vitality.epistemic, lead: s.lead, balance: s.balance }
}

/// What the forecast starts from.
pub fn present(s: &Status, initial: golem_core::Usdc) -> Present {
    Present {
        age: VirtualTime((s.age_days * 86_400_000.0) as u64),
        fitness: s.vitality.epistemic,
        lead: s.lead,
        senescence: s.senescence,
        balance: s.balance,
        reserve: s.reserve,
        initial,
        burn_rate: s.burn_rate_micro_usdc_per_tick,
    }
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
