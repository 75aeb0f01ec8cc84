//! Files for other programs: trades, equity, prices and the report. Amounts are whole units (micro-USDC, wei), so that
//! whoever reads them can reckon exactly.

use super::report::{Accounts, BacktestReport};
use super::{Bench, history};
use crate::fail::Fail;
use golem_view::trade::{CSV_HEAD, csv_row};
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

const FILES: [&str; 4] = ["trades.csv", "equity.csv", "prices.csv", "report.json"];

/// Says that a directory is being written into.
const CLAIM: &str = ".export-under-way";

/// A directory that is ours to write into until the end of the backtest.
pub struct ExportClaim(PathBuf);

impl Drop for ExportClaim {
    fn drop(&mut self) {
        // Whoever finds it left behind is told what it is.
        let _gone = std::fs::remove_file(&self.0);
    }
}

/// Take a directory, and refuse one that holds something already: nothing of anybody's is overwritten, also not by two
/// backtests that find it empty at the same moment.
pub fn claim(dir: &Path) -> Result<ExportClaim, Fail> {
    let name = dir.display();
    std::fs::create_dir_all(dir).map_err(|e| cannot(dir, &e))?;
    let path = dir.join(CLAIM);
    match File::create_new(&path) {
        Ok(_) => {}
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            let hint = format!("export into another directory; if nothing runs, delete {}", path.display());
            return Err(Fail::hint(format!("another backtest is writing into {name}"), hint));
        }
        Err(e) => return Err(cannot(dir, &e)),
    }
    let claim = ExportClaim(path);
    let there = std::fs::read_dir(dir).map_err(|e| cannot(dir, &e))?;
    match there.flatten().any(|entry| entry.file_name() != CLAIM) {
        false => Ok(claim),
        true => Err(Fail::hint(format!("{name} is not empty"), "export into a new directory, or an empty one")),
    }
}

fn cannot(path: &Path, e: &std::io::Error) -> Fail {
    Fail::hint(format!("cannot write into {}: {e}", path.display()), "choose a directory that this user may write to")
}

/// Write everything that one seed did.
pub fn write(dir: &Path, bench: &Bench<'_>, told: &BacktestReport, accounts: &Accounts) -> Result<(), Fail> {
    std::fs::create_dir_all(dir).map_err(|e| cannot(dir, &e))?;
    let report = serde_json::to_string_pretty(told).map_err(|e| Fail::Bug(e.to_string()))?;
    let texts = [trades(accounts), equity(accounts), prices(bench, accounts)?, report + "\n"];
    for (name, text) in FILES.iter().zip(texts) {
        let path = dir.join(name);
        std::fs::write(&path, text).map_err(|e| cannot(&path, &e))?;
    }
    Ok(())
}

/// The columns of `golem trades --csv`, and what of the position each act moved.
fn trades(accounts: &Accounts) -> String {
    let mut text = format!("{CSV_HEAD},liquidity,fees_taken_micro,fees_taken_wei\n");
    let lived = &accounts.lived;
    let mut moved = lived.moved.iter();
    for trade in lived.trades.all() {
        // Both follow the same facts; what became no trade moved nothing.
        let moved = moved.find(|m| (m.tick, m.number) == (trade.tick, trade.number));
        let (liquidity, fees, wei) = moved.map_or((0, 0, 0), |m| (m.liquidity, m.fees.0, m.fees_asset.0));
        let _infallible = writeln!(text, "{},{liquidity},{fees},{wei}", csv_row(trade));
    }
    text
}

fn equity(accounts: &Accounts) -> String {
    let mut text = "time,unix,worth_micro,liquid_micro,positions_micro,owed_micro,asset_wei,liquidity,tick_lower,tick_upper,usdc_is_token0,\
                    fees_owed_micro,price_before,price,buy_and_hold_micro,no_learning_micro\n"
        .to_owned();
    let others = accounts.holder.samples.iter().zip(&accounts.twin);
    for (row, (holder, twin)) in accounts.lived.rows.iter().zip(others) {
        let (liquidity, range, first) = match &row.position {
            Some(held) => (held.liquidity, format!("{},{}", held.range.lower, held.range.upper), held.usdc_is_token0),
            None => (0, ",".to_owned(), false),
        };
        let _infallible = writeln!(
            text,
            "{},{},{},{},{},{},{},{liquidity},{range},{},{},{},{},{},{}",
            row.at,
            row.at.0,
            row.worth.0,
            row.liquid.0,
            row.positions.0,
            row.owed.0,
            row.asset,
            u8::from(first),
            row.fees_owed.0,
            row.price_before,
            row.price,
            holder.worth.0,
            twin.worth.0,
        );
    }
    text
}

/// The closes that were lived in, as the file has them, and what the pool made of each.
fn prices(bench: &Bench<'_>, accounts: &Accounts) -> Result<String, Fail> {
    let mut text = "time,unix,close,pool,gas_gwei\n".to_owned();
    let history = history(&bench.file)?;
    let mut closes = history.closes().peekable();
    let mut close = None;
    for row in &accounts.lived.rows {
        while let Some((_, found)) = closes.next_if(|(at, _)| *at <= row.at) {
            close = Some(found);
        }
        let close = close.map_or(String::new(), |c| c.to_string());
        let _infallible = writeln!(text, "{},{},{close},{},{}", row.at, row.at.0, row.price_before, row.gas_gwei);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_backtests_never_write_into_one_directory() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("out");
        let taken: Vec<_> = std::thread::scope(|s| {
            let all: Vec<_> = (0..8).map(|_| s.spawn(|| claim(&dir))).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(taken.iter().filter(|claim| claim.is_ok()).count(), 1);
        let refused = taken.iter().find_map(|claim| claim.as_ref().err()).unwrap();
        assert!(refused.to_string().contains("another backtest"), "{refused}");
        drop(taken);
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
        std::fs::write(dir.join("mine"), "x").unwrap();
        assert!(claim(&dir).err().unwrap().to_string().contains("is not empty"));
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
    }
}
