//! What a golem would see of a world, tick by tick, and what is measured in it.

use golem_lab::world::{Law, PoolPath, Teller, place};

pub const DAY: usize = 2_160;

/// The pool's side of a path.
pub struct Stream {
    pub log_price: Vec<f64>,
    pub log_gas: Vec<f64>,
    pub volume: Vec<f64>,
    pub fee_yield: Vec<f64>,
    pub lead: Vec<f64>,
}

/// The stream of a world by name, and the law that its seed draws.
pub fn stream(world: &str, seed: u64, days: usize) -> Stream {
    let mut path = PoolPath::new(place(world, seed).expect("a world"), seed).expect("a pool");
    let mut all = Stream { log_price: vec![], log_gas: vec![], volume: vec![], fee_yield: vec![], lead: vec![] };
    for _ in 0..days * DAY {
        let seen = path.tick().expect("it goes on");
        all.log_price.push(seen.price.expect("a price").ln());
        all.log_gas.push(seen.gas_gwei.expect("gas").ln());
        all.volume.push(seen.volume.unwrap_or(0.0));
        all.fee_yield.push(seen.fee_yield.unwrap_or(f64::NAN));
        all.lead.extend(seen.lead_price.map(f64::ln));
    }
    all
}

pub fn mean(xs: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, n) = xs.into_iter().fold((0.0, 0.0_f64), |(sum, n), x| (sum + x, n + 1.0));
    sum / n.max(1.0)
}

/// The slope of ys on xs through nought.
fn slope(pairs: &[(f64, f64)]) -> f64 {
    let (both, own) = pairs.iter().fold((0.0, 0.0), |(b, o), (x, y)| (b + x * y, o + x * x));
    if own > 0.0 { both / own } else { 0.0 }
}

/// How strongly a law shows in a stream, on the scale of its own factor: nought where it does not hold.
pub fn shown(law: &Law, s: &Stream) -> f64 {
    match *law {
        Law::GasHours { from_hour, hours, .. } => {
            let hour = |t: usize| (t / 90) as u64 % 24;
            let part = |dear: bool| {
                let ticks = (0..s.log_gas.len()).filter(move |t| ((hour(*t) + 24 - from_hour) % 24 < hours) == dear);
                mean(ticks.map(|t| s.log_gas[t]))
            };
            part(true) - part(false)
        }
        Law::FeeBursts { lag, length, .. } => {
            let (lag, length) = (lag as usize, length as usize);
            let spikes = (1..s.log_gas.len() - lag - length).filter(|t| s.log_gas[*t] - s.log_gas[t - 1] > 0.45);
            let after = mean(spikes.flat_map(|t| s.volume[t + lag..t + lag + length].iter().copied()));
            let usual = mean(s.volume.iter().copied());
            if after > 0.0 { (after / usual).ln() } else { 0.0 }
        }
        Law::VolFees { lag, .. } => lagged_volatility(s, lag as usize),
        Law::Reversal { lag, length, .. } => {
            let (r, span) = (returns(s), (lag + length) as usize);
            let jumps = (90..r.len() - span - 1).filter(|t| {
                let usual = mean(r[t - 60..*t].iter().map(|x| x * x)).sqrt();
                r[*t].abs() > 0.0045 && r[*t].abs() > 5.0 * usual
            });
            let pairs: Vec<(f64, f64)> = jumps.map(|t| (r[t], r[t + 1..=t + span].iter().sum())).collect();
            -slope(&pairs)
        }
        Law::Turning { lead, teller, .. } => turning(s, lead as usize, teller),
        Law::Contagion { lag, length, .. } => {
            if s.lead.is_empty() {
                return 0.0;
            }
            let span = (lag + length) as usize;
            let pairs = (0..s.lead.len() - span - 1)
                .map(|t| (s.lead[t + 1] - s.lead[t], s.log_price[t + 1 + span] - s.log_price[t + lag as usize]));
            slope(&pairs.collect::<Vec<_>>())
        }
    }
}

fn returns(s: &Stream) -> Vec<f64> {
    s.log_price.windows(2).map(|w| w[1] - w[0]).collect()
}

/// Log volume of a third of an hour on the log volatility of a while ago, beside that of now.
fn lagged_volatility(s: &Stream, lag: usize) -> f64 {
    let (r, step) = (returns(s), 30);
    let wide = |t: usize| 0.5 * mean(r[t..t + step].iter().map(|x| x * x)).max(1e-10).ln();
    let rows: Vec<[f64; 3]> = (lag..r.len() - step)
        .step_by(step)
        .map(|t| [wide(t - lag), wide(t), mean(s.volume[t + 1..t + 1 + step].iter().copied()).max(1.0).ln()])
        .collect();
    let centre: [f64; 3] = std::array::from_fn(|i| mean(rows.iter().map(|row| row[i])));
    let sum = |i: usize, j: usize| rows.iter().map(|row| (row[i] - centre[i]) * (row[j] - centre[j])).sum::<f64>();
    let (a, b, c) = (sum(0, 0), sum(0, 1), sum(1, 1));
    (sum(0, 2) * c - sum(1, 2) * b) / (a * c - b * b)
}

/// The return of the next half hour on the recent direction, with the sign that the teller told.
fn turning(s: &Stream, lead: usize, teller: Teller) -> f64 {
    let told: Vec<f64> = match teller {
        Teller::Gas => s.log_gas.clone(),
        Teller::Volume => s.volume.clone(),
    };
    let (mut fast, mut slow, mut lean) = (told[0], told[0], 0.0);
    let (mut signs, mut pairs) = (vec![], vec![]);
    let r = returns(s);
    for t in 0..r.len() - 45 {
        fast += (told[t] - fast) / 90.0_f64.min(t as f64 + 1.0);
        slow += (told[t] - slow) / (3.0 * DAY as f64).min(t as f64 + 1.0);
        lean += (r[t].clamp(-0.004, 0.004) - lean) / 60.0;
        signs.push(if fast > slow { 1.0 } else { -1.0 });
        if t > 2 * DAY && t > lead {
            pairs.push((signs[t - lead] * lean, r[t + 1..t + 46].iter().sum::<f64>() / 45.0));
        }
    }
    slope(&pairs)
}
