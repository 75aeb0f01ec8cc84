//! The default world beside recorded history: tails, clustering, gas, fees, and how much of each a simple rule foretells.
//!
//! `cargo run --release -p golem-lab --example calibrate -- DATA [SEEDS [DAYS [WORLD...]]]`, where DATA is a folder with
//! recorded hours (`*_1h_*.csv`) and, beneath `onchain`, gas and pool minutes. What is not there is left out.
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]

use golem_lab::world::{PoolPath, place};
use std::collections::BTreeMap;
use std::path::Path;

type Error = Box<dyn std::error::Error>;
/// Name of a figure, and its value in each column.
type Rows = Vec<(&'static str, BTreeMap<String, f64>)>;

/// Hours of one history.
#[derive(Default)]
struct HourRow {
    price: Vec<f64>,
    volume: Vec<f64>,
    gas: Vec<f64>,
    fees: Vec<f64>,
}

fn mean(xs: &[f64]) -> f64 {
    xs.iter().sum::<f64>() / xs.len().max(1) as f64
}
fn spread(xs: &[f64]) -> f64 {
    let m = mean(xs);
    mean(&xs.iter().map(|x| (x - m) * (x - m)).collect::<Vec<_>>()).sqrt()
}
fn correlation(xs: &[f64], ys: &[f64]) -> f64 {
    let (a, b) = (mean(xs), mean(ys));
    let both: f64 = xs.iter().zip(ys).map(|(x, y)| (x - a) * (y - b)).sum::<f64>() / xs.len().max(1) as f64;
    both / (spread(xs) * spread(ys)).max(1e-300)
}
fn again(xs: &[f64], lag: usize) -> f64 {
    if xs.len() > lag + 10 { correlation(&xs[..xs.len() - lag], &xs[lag..]) } else { f64::NAN }
}
fn logs(xs: &[f64]) -> Vec<f64> {
    xs.iter().filter(|x| **x > 0.0).map(|x| x.ln()).collect()
}
fn changes(xs: &[f64]) -> Vec<f64> {
    xs.windows(2).map(|w| w[1] - w[0]).collect()
}

/// How much better than the last value a simple rule is: half-way back to the mean of the last day, by squared error.
fn half_way(level: &[f64], ahead: usize, day: usize) -> f64 {
    let (mut usual, mut last, mut rule) = (level.first().copied().unwrap_or(0.0), 0.0, 0.0);
    for t in 0..level.len().saturating_sub(ahead) {
        usual += (level[t] - usual) / day as f64;
        let truth = level[t + ahead];
        last += (truth - level[t]).powi(2);
        rule += (truth - 0.5 * (level[t] + usual)).powi(2);
    }
    1.0 - rule / last.max(1e-300)
}

/// How much of the next hour's return the last hour's tells, with a slope fitted in hindsight.
fn foretold(returns: &[f64]) -> f64 {
    again(returns, 1).powi(2)
}

/// How much of the log size of the next hour's move a day's exponential mean tells.
fn volatility_foretold(returns: &[f64]) -> f64 {
    let mut heat = mean(&returns.iter().take(100).map(|r| r * r).collect::<Vec<_>>());
    let (mut expected, mut found) = (vec![], vec![]);
    for w in returns.windows(2) {
        heat += (w[0] * w[0] - heat) / 24.0;
        expected.push(0.5 * heat.max(1e-12).ln());
        found.push(w[1].abs().max(1e-5).ln());
    }
    correlation(&expected, &found).powi(2)
}

fn measured(h: &HourRow, ticks_of_gas: usize, gas: &[f64]) -> Vec<(&'static str, f64)> {
    let returns = changes(&logs(&h.price));
    let sizes: Vec<f64> = returns.iter().map(|r| r.abs()).collect();
    let square = spread(&returns).powi(2);
    let mut all = vec![
        ("volatility a year", spread(&returns) * 8_760.0_f64.sqrt()),
        (
            "excess kurtosis of an hour",
            mean(&returns.iter().map(|r| (r * r / square).powi(2)).collect::<Vec<_>>()) - 3.0,
        ),
        (
            "hours beyond 3 deviations, %",
            100.0 * mean(&sizes.iter().map(|s| f64::from(*s > 3.0 * square.sqrt())).collect::<Vec<_>>()),
        ),
        ("\\|r\\| after 1 h", again(&sizes, 1)),
        ("\\|r\\| after 6 h", again(&sizes, 6)),
        ("\\|r\\| after 24 h", again(&sizes, 24)),
        ("\\|r\\| after 168 h", again(&sizes, 168)),
        ("r after 1 h", again(&returns, 1)),
        ("return foretold by AR(1), R²", foretold(&returns)),
        ("log \\|r\\| foretold by a day's EWMA, R²", volatility_foretold(&returns)),
    ];
    let traded = logs(&h.volume);
    if traded.len() == h.volume.len() && !traded.is_empty() {
        all.push(("spread of log hourly volume", spread(&traded)));
        all.push(("log volume after 1 h", again(&traded, 1)));
        all.push(("log volume after 24 h", again(&traded, 24)));
        let wide: Vec<f64> = sizes.iter().map(|s| s.max(1e-5).ln()).collect();
        all.push(("log volume with log \\|r\\|", correlation(&traded[1..], &wide)));
    }
    let fees = logs(&h.fees);
    if fees.len() > 48 {
        all.push(("spread of log hourly fee yield", spread(&fees)));
        all.push(("log fee yield after 1 h", again(&fees, 1)));
        all.push(("log fee yield after 3 h", again(&fees, 3)));
        all.push(("fee yield in 3 h: half-way rule over last value", half_way(&fees, 3, 24)));
    }
    let gas = logs(gas);
    if gas.len() > 1_000 {
        all.push((
            "spread of log gas within a day",
            mean(&gas.chunks_exact(ticks_of_gas * 144).map(spread).collect::<Vec<_>>()),
        ));
        all.push(("log gas after 10 min", again(&gas, ticks_of_gas)));
        all.push(("log gas after 1 h", again(&gas, 6 * ticks_of_gas)));
        all.push(("gas in 10 min: half-way rule over last value", half_way(&gas, ticks_of_gas, 144 * ticks_of_gas)));
    }
    all
}

fn put(rows: &mut Rows, column: &str, found: Vec<(&'static str, f64)>) {
    for (name, x) in found {
        match rows.iter_mut().find(|(n, _)| *n == name) {
            Some((_, row)) => drop(row.insert(column.into(), x)),
            None => rows.push((name, BTreeMap::from([(column.into(), x)]))),
        }
    }
}

/// Cells of the named columns, row by row.
fn cells(path: &Path, wanted: &[&str]) -> Result<Vec<Vec<f64>>, Error> {
    let mut file = csv::Reader::from_path(path)?;
    let header = file.headers()?.clone();
    let at: Vec<usize> = wanted.iter().filter_map(|w| header.iter().position(|h| h == *w)).collect();
    file.records()
        .map(|row| {
            row.map_err(Error::from).and_then(|row| Ok(at.iter().map(|i| row[*i].parse()).collect::<Result<_, _>>()?))
        })
        .collect()
}

/// Log fee yield of a full range, hour by hour, from minutes of a recorded pool.
fn pool_hours(paths: &[std::path::PathBuf]) -> Result<HourRow, Error> {
    let mut hours: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    for path in paths {
        for row in cells(path, &["timestamp", "inAmount0", "inAmount1", "closeTick", "currentLiquidity"])? {
            let root = 1.0001_f64.powf(row[3] / 2.0);
            let share = 0.0005 * (row[1] / row[4] * root + row[2] / row[4] / root) / 2.0;
            let hour = hours.entry(row[0] as i64 / 3_600).or_default();
            *hour = (hour.0 + share, 1.0 / root.powi(2));
        }
    }
    Ok(HourRow {
        fees: hours.values().map(|h| h.0).collect(),
        price: hours.values().map(|h| h.1).collect(),
        ..HourRow::default()
    })
}

fn synthetic(world: &str, seeds: u64, days: u64) -> Result<Vec<(&'static str, f64)>, Error> {
    let mut sums: Vec<(&'static str, f64)> = Vec::new();
    for seed in 1..=seeds {
        let mut path = PoolPath::new(place(world, seed)?, seed)?;
        let (mut hours, mut gas, mut volume, mut at) = (HourRow::default(), vec![], 0.0, 0.0);
        let mut fees = 0.0;
        for tick in 1..=days * 2_160 {
            let seen = path.tick()?;
            let step = path.last.ok_or("a tick was taken")?;
            gas.push(seen.gas_gwei.unwrap_or(at));
            at = gas[gas.len() - 1];
            volume += seen.volume.unwrap_or(0.0);
            fees += step.fees.as_f64() / (2.0 * 50.0 * 2e6 * (step.price / 3_000.0).sqrt());
            if tick % 90 == 0 {
                hours.price.push(step.price);
                hours.volume.push(std::mem::take(&mut volume));
                hours.fees.push(std::mem::take(&mut fees));
                hours.gas.push(at);
            }
        }
        let found = measured(&hours, 15, &gas);
        match sums.is_empty() {
            true => sums = found,
            false => sums.iter_mut().zip(found).for_each(|(sum, (_, x))| sum.1 += x),
        }
    }
    sums.iter_mut().for_each(|(_, x)| *x /= seeds as f64);
    Ok(sums)
}

fn recorded(data: &Path, rows: &mut Rows) -> Result<Vec<String>, Error> {
    let mut columns = Vec::new();
    let mut named = |rows: &mut Rows, name: &str, found| {
        put(rows, name, found);
        columns.push(name.to_owned());
    };
    let mut files: Vec<_> = std::fs::read_dir(data)?.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.sort();
    for path in files.iter().filter(|p| p.to_string_lossy().contains("_1h_")) {
        let bars = cells(path, &["close", "volume"])?;
        let hours = HourRow {
            price: bars.iter().map(|b| b[0]).collect(),
            volume: bars.iter().map(|b| b[1]).collect(),
            ..HourRow::default()
        };
        let stem =
            path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().replace("_1h", "").replace('_', " "));
        named(rows, &stem, measured(&hours, 10, &[]));
    }
    let under = |start: &str| -> Vec<_> {
        let all =
            std::fs::read_dir(data.join("onchain")).into_iter().flatten().filter_map(|e| e.ok().map(|e| e.path()));
        let mut found: Vec<_> =
            all.filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(start))).collect();
        found.sort();
        found
    };
    let pool = pool_hours(&under("uniswap"))?;
    if pool.fees.len() > 48 {
        let fees = HourRow { fees: pool.fees, ..HourRow::default() };
        let only = measured(&fees, 10, &[]).into_iter().filter(|(n, _)| n.contains("fee"));
        named(rows, "uniswap v3 5 days", only.collect());
    }
    for path in under("eth_gas_minute") {
        let gas: Vec<f64> = cells(&path, &["gas_gwei"])?.into_iter().flatten().collect();
        let only = measured(&HourRow::default(), 10, &gas).into_iter().filter(|(n, _)| n.contains("gas"));
        named(rows, "gas 4 days", only.collect());
    }
    Ok(columns)
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let data = args.next().ok_or("say where the recorded histories are: calibrate DATA [SEEDS [DAYS [WORLD...]]]")?;
    let seeds: u64 = args.next().map_or(Ok(6), |n| n.parse())?;
    let days: u64 = args.next().map_or(Ok(120), |n| n.parse())?;
    let named: Vec<String> = args.collect();
    let worlds = if named.is_empty() { vec!["default".to_owned(), "flat".to_owned()] } else { named };
    let mut rows = Rows::new();
    for world in &worlds {
        put(&mut rows, world, synthetic(world, seeds, days)?);
    }
    let columns: Vec<String> = worlds.into_iter().chain(recorded(Path::new(&data), &mut rows)?).collect();
    println!("| | {} |\n|---|{}", columns.join(" | "), "---|".repeat(columns.len()));
    for (name, row) in rows {
        let cell = |c: &String| row.get(c).filter(|x| x.is_finite()).map_or("".to_owned(), |x| format!("{x:.3}"));
        println!("| {name} | {} |", columns.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}
