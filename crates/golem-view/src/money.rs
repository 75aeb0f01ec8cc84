//! Money for people: as many digits as are read, never a unit of 1e-6 or 1e-18.

use golem_core::intent::Asset;
use golem_core::{HomeSum, Usdc, UsdcDelta};

/// Less than this is not told in digits.
const DUST: Asset = Asset(Asset::WHOLE / 100_000_000);

/// An amount of USDC without its name: two decimals from 1 on, up to six below.
#[must_use]
pub fn usdc(amount: Usdc) -> String {
    if amount.0 >= 1_000_000 || amount == Usdc::ZERO {
        let cents = (u128::from(amount.0) + 5_000) / 10_000;
        return format!("{}.{:02}", grouped(cents / 100), cents % 100);
    }
    // Three digits that say something, at least two decimals, and no noughts at the end.
    let digits = amount.0.checked_ilog10().unwrap_or(0);
    let unit = 10_u64.pow(digits.saturating_sub(2).min(4));
    let kept = (amount.0 + unit / 2) / unit * unit;
    if kept >= 1_000_000 {
        return "1.00".to_owned();
    }
    let words = format!("0.{kept:06}");
    let trimmed = words.trim_end_matches('0');
    if trimmed.len() < 4 { format!("{trimmed:0<4}") } else { trimmed.to_owned() }
}

/// A difference with its sign; nothing has none.
#[must_use]
pub fn signed(delta: UsdcDelta) -> String {
    let words = usdc(Usdc(delta.0.unsigned_abs()));
    match delta.0 {
        0 => words,
        x if x < 0 => format!("-{words}"),
        _ => format!("+{words}"),
    }
}

/// All six decimals: where columns must add up.
#[must_use]
pub fn exact(delta: UsdcDelta) -> String {
    let (sign, micro) = (if delta.0 < 0 { "-" } else { "" }, delta.0.unsigned_abs());
    format!("{sign}{}.{:06}", micro / 1_000_000, micro % 1_000_000)
}

/// What goes home, with its name.
#[must_use]
pub fn sum(sum: HomeSum) -> String {
    match sum {
        HomeSum::Usdc(amount) => format!("{} USDC", usdc(amount)),
        HomeSum::Asset(amount) => format!("{} ETH", eth(amount)),
        HomeSum::Coin(amount) => format!("{} ETH of coin", eth(amount)),
    }
}

/// An amount of ETH without its name: four decimals from 1 on, four digits that say something below.
#[must_use]
pub fn eth(asset: Asset) -> String {
    if asset == Asset::ZERO {
        return "0".to_owned();
    }
    if asset < DUST {
        return "under 0.00000001".to_owned();
    }
    // Decimals that are kept: four from 1 on, below it four digits that say something.
    let kept = match asset.0 / Asset::WHOLE {
        0 => (21 - asset.0.ilog10()).clamp(4, 18),
        _ => 4,
    };
    let unit = 10_u128.pow(18 - kept);
    let rounded = asset.0.saturating_add(unit / 2) / unit * unit;
    let (whole, part) = (rounded / Asset::WHOLE, format!("{:018}", rounded % Asset::WHOLE));
    format!("{}.{}", grouped(whole), part.get(..kept as usize).unwrap_or(&part))
}

/// USDC for one ETH.
#[must_use]
pub fn price(usdc_per_eth: f64) -> String {
    if !usdc_per_eth.is_finite() || usdc_per_eth <= 0.0 {
        return "unknown".to_owned();
    }
    usdc(Usdc((usdc_per_eth * 1e6).min(9e18) as u64))
}

/// A fraction as percent, with a sign where it is a change.
#[must_use]
pub fn percent(fraction: f64) -> String {
    let pct = fraction * 100.0;
    if pct.abs() >= 10.0 || pct == 0.0 { format!("{pct:.1} %") } else { format!("{pct:.2} %") }
}

/// A change as percent with its sign.
#[must_use]
pub fn change(fraction: f64) -> String {
    let words = percent(fraction);
    if words.starts_with('-') { words } else { format!("+{words}") }
}

/// Digits in groups of three.
#[must_use]
pub fn grouped(n: u128) -> String {
    let plain = n.to_string();
    let mut out = String::new();
    for (i, digit) in plain.chars().enumerate() {
        if i > 0 && (plain.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// All eighteen decimals of an amount of ETH, with its sign.
#[must_use]
pub fn exact_eth(units: i128) -> String {
    let (sign, wei) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    format!("{sign}{}.{:018}", wei / Asset::WHOLE, wei % Asset::WHOLE)
}

/// How much, whichever way it went.
#[must_use]
pub fn usdc_abs(delta: UsdcDelta) -> String {
    usdc(Usdc(delta.0.unsigned_abs()))
}

/// How much ETH, whichever way it went.
#[must_use]
pub fn eth_abs(delta: i128) -> String {
    eth(Asset(delta.unsigned_abs()))
}

/// A profit or a loss in words, without the currency.
#[must_use]
pub fn gain(delta: UsdcDelta) -> String {
    match delta.0 {
        0 => "even at 0.00".to_owned(),
        x if x > 0 => format!("a gain of {}", usdc_abs(delta)),
        _ => format!("a loss of {}", usdc_abs(delta)),
    }
}

/// An amount of USDC in at most so many columns: decimals go first, then thousands and millions are counted.
#[must_use]
pub fn fitted(delta: UsdcDelta, width: usize, sign: bool) -> String {
    let (words, mark) = (usdc_abs(delta), mark(delta.0.cmp(&0), sign));
    let whole = grouped(u128::from(delta.0.unsigned_abs()) / 1_000_000);
    let tries = [words.clone(), rounded(&words, 4), rounded(&words, 3), whole.clone()];
    let found = tries.iter().find(|t| t.len() + mark.len() <= width && is_told(t, delta.0 == 0));
    let kilo = u128::from(delta.0.unsigned_abs()) / 1_000_000_000;
    let counted = || match format!("{kilo}k") {
        thousands if thousands.len() + mark.len() <= width => thousands,
        _ => format!("{}M", kilo / 1_000),
    };
    format!("{mark}{}", found.cloned().unwrap_or_else(counted))
}

/// An amount of ETH with its sign in at most so many columns.
#[must_use]
pub fn fitted_eth(delta: i128, width: usize) -> String {
    let (words, mark) = (eth_abs(delta), mark(delta.cmp(&0), true));
    let tries = [words.clone(), rounded(&words, 7), rounded(&words, 2), grouped(delta.unsigned_abs() / Asset::WHOLE)];
    let found = tries.iter().find(|t| t.len() + mark.len() <= width && is_told(t, delta == 0));
    format!("{mark}{}", found.cloned().unwrap_or_else(|| "~0".to_owned()))
}

fn mark(sign: std::cmp::Ordering, plus: bool) -> &'static str {
    match sign {
        std::cmp::Ordering::Less => "-",
        std::cmp::Ordering::Greater if plus => "+",
        _ => "",
    }
}

/// Cut to so many decimals.
fn rounded(words: &str, decimals: usize) -> String {
    let Some((whole, part)) = words.split_once('.') else { return words.to_owned() };
    let kept = part.get(..decimals).unwrap_or(part);
    format!("{whole}.{kept}")
}

/// Whether anything of an amount is left in its words.
fn is_told(words: &str, is_nothing: bool) -> bool {
    is_nothing || words.bytes().any(|b| (b'1'..=b'9').contains(&b))
}

/// USDC that were only reckoned, never held.
#[must_use]
pub fn of_float(usdc_amount: f64) -> String {
    if usdc_amount.is_finite() && usdc_amount > 0.0 {
        usdc(Usdc((usdc_amount * 1e6).min(9e18).round() as u64))
    } else {
        usdc(Usdc::ZERO)
    }
}
