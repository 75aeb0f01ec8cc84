//! What an account's action does on the paper venue: its approvals, the one transaction, and what is revoked after it.

use super::state::{PaperHolder, PaperState};
use crate::checks::{AccountHeld, unsendable, unsendable_home};
use crate::deed::Deed;
use crate::gas;
use crate::spot::ordered;
use crate::venue::{Account, Done};
use alloy_primitives::U256;
use golem_core::intent::{Asset, Refusal};
use golem_core::venue::{LogKind, Range};
use golem_core::{Action, HomeSum, Homeward, Usdc};

/// What an action did to an account.
struct AccountEffect {
    holder: PaperHolder,
    liquidity: i128,
    position: Option<u64>,
    crossed: u32,
    /// USDC and asset that were taken of what was approved.
    taken: [u128; 2],
    logs: Vec<LogKind>,
}

impl PaperState {
    pub fn execute(&mut self, who: Account, action: &Action) -> Done {
        let before = self.holder(who);
        let held = AccountHeld {
            usdc: before.usdc,
            asset: before.asset,
            position: before.deed.map(|d| (d.id, d.range, d.liquidity)),
        };
        let mut done = Done::nothing(self.point, unsendable(action, &held));
        if done.refused.is_some() {
            return done;
        }
        let approved = gas::approved(action);
        done.logs = vec![LogKind::Approval; gas::approvals(action) as usize];
        let revoked = match self.act(before, action) {
            Ok(effect) => {
                done.usdc = i128::from(effect.holder.usdc.0) - i128::from(before.usdc.0);
                done.asset = difference(effect.holder.asset.0, before.asset.0);
                (done.liquidity, done.position, done.crossed) = (effect.liquidity, effect.position, effect.crossed);
                done.logs.extend(effect.logs);
                self.set(who, effect.holder);
                let left = |i: usize| u32::from(gas::worth_revoking(approved[i], effect.taken[i]));
                left(0) + left(1)
            }
            Err(why) => {
                done.refused = Some(why);
                gas::approvals(action)
            }
        };
        done.logs.extend(std::iter::repeat_n(LogKind::Approval, revoked as usize));
        done.gas_charged = gas::charged(action, done.crossed, revoked, done.refused.is_some());
        self.passed(gas::approvals(action) + 1 + revoked);
        done
    }

    /// Tokens go from an account home.
    pub fn send_home(&mut self, who: Account, way: Homeward, sum: HomeSum) -> Done {
        let from = self.holder(who);
        let held = AccountHeld { usdc: from.usdc, asset: from.asset, position: None };
        // There is no coin on paper.
        let coin = matches!(sum, HomeSum::Coin(_)).then_some(Refusal::Denied);
        let mut done = Done::nothing(self.point, coin.or_else(|| unsendable_home(sum, who, way, &held)));
        if done.refused.is_some() {
            return done;
        }
        let (usdc, asset) = sum.booked();
        let moved = [u128::from(usdc.0), asset.0];
        let (mut left, mut home) = (from, self.holder(way.into()));
        let action = Action::Home { sum };
        match settle(&mut left, moved, [0; 2]).and_then(|()| settle(&mut home, [0; 2], moved)) {
            Ok(()) => {
                self.set(who, left);
                self.set(way.into(), home);
                (done.usdc, done.asset) = (-i128::from(usdc.0), difference(left.asset.0, from.asset.0));
                done.logs = transfers(moved);
            }
            Err(why) => done.refused = Some(why),
        }
        done.gas_charged = gas::charged(&action, 0, 0, done.refused.is_some());
        self.passed(1);
        done
    }

    /// The one transaction: either all of it, or nothing.
    fn act(&mut self, holder: PaperHolder, action: &Action) -> Result<AccountEffect, Refusal> {
        match *action {
            Action::Buy { pay, min_out } => self.swap(holder, self.usdc_is_token0, u128::from(pay.0), min_out.0),
            Action::Sell { give, min_out } => self.swap(holder, !self.usdc_is_token0, give.0, u128::from(min_out.0)),
            Action::Mint { range, pay, give, min_pay, min_give, .. } => {
                let least = [u128::from(min_pay.0), min_give.0];
                self.mint(holder, range, [u128::from(pay.0), give.0], least)
            }
            Action::Burn { liquidity, min_out, min_asset, close, .. } => {
                self.burn(holder, liquidity, [u128::from(min_out.0), min_asset.0], close)
            }
            Action::Collect { .. } => self.collect(holder),
            // There is no coin on paper, and where home is nobody said here.
            Action::Home { .. } | Action::Unwrap { .. } => Err(Refusal::Denied),
        }
    }

    fn swap(&mut self, mut holder: PaperHolder, down: bool, give: u128, least: u128) -> Result<AccountEffect, Refusal> {
        let swap = self.pool.quote(down, U256::from(give), None).map_err(|_| Refusal::Reverted)?;
        if swap.got < least {
            return Err(Refusal::Slippage);
        }
        let buying = down == self.usdc_is_token0;
        let (taken, came) = if buying { ([swap.paid, 0], [0, swap.got]) } else { ([0, swap.paid], [swap.got, 0]) };
        settle(&mut holder, taken, came)?;
        self.pool.apply(&swap);
        let mut logs = vec![LogKind::Transfer; usize::from(swap.got > 0) + usize::from(swap.paid > 0)];
        logs.push(LogKind::Swap);
        Ok(AccountEffect { holder, liquidity: 0, position: None, crossed: swap.crossed(), taken, logs })
    }

    fn mint(
        &mut self,
        mut holder: PaperHolder,
        range: Range,
        most: [u128; 2],
        least: [u128; 2],
    ) -> Result<AccountEffect, Refusal> {
        let opened = holder.deed.is_none();
        let mut deed = holder.deed.unwrap_or_else(|| Deed::new(self.next_deed, range));
        let most = ordered(self.usdc_is_token0, most[0], most[1]);
        let least = ordered(self.usdc_is_token0, least[0], least[1]);
        let put = deed.put_in(&mut self.pool, most, least)?;
        let taken = ordered(self.usdc_is_token0, put.taken[0], put.taken[1]);
        settle(&mut holder, taken, [0; 2])?;
        holder.deed = Some(deed);
        let mut logs = transfers(taken);
        logs.push(LogKind::Mint);
        if opened {
            self.next_deed = self.next_deed.saturating_add(1);
            logs.push(LogKind::Transfer);
        }
        logs.push(LogKind::IncreaseLiquidity);
        let liquidity = i128::try_from(put.liquidity).unwrap_or(i128::MAX);
        Ok(AccountEffect { holder, liquidity, position: Some(deed.id), crossed: 0, taken, logs })
    }

    fn burn(
        &mut self,
        mut holder: PaperHolder,
        liquidity: u128,
        least: [u128; 2],
        close: bool,
    ) -> Result<AccountEffect, Refusal> {
        let mut deed = holder.deed.ok_or(Refusal::NoPosition)?;
        let mut pool = self.pool.clone();
        let least = ordered(self.usdc_is_token0, least[0], least[1]);
        let [came0, came1] = deed.take_out(&mut pool, liquidity, least)?;
        let came = ordered(self.usdc_is_token0, came0, came1);
        settle(&mut holder, [0; 2], came)?;
        self.pool = pool;
        let mut logs = vec![LogKind::Burn, LogKind::DecreaseLiquidity];
        logs.extend((deed.liquidity > 0).then_some(LogKind::Burn));
        logs.extend(transfers(came));
        logs.extend([LogKind::Collect, LogKind::Collect]);
        if close {
            logs.extend([LogKind::Approval, LogKind::Transfer]);
        }
        holder.deed = (!close).then_some(deed);
        let liquidity = i128::try_from(liquidity).map_or(i128::MIN, |l| -l);
        Ok(AccountEffect { holder, liquidity, position: Some(deed.id), crossed: 0, taken: [0; 2], logs })
    }

    fn collect(&mut self, mut holder: PaperHolder) -> Result<AccountEffect, Refusal> {
        let mut deed = holder.deed.ok_or(Refusal::NoPosition)?;
        let mut pool = self.pool.clone();
        let [came0, came1] = deed.collect(&mut pool);
        let came = ordered(self.usdc_is_token0, came0, came1);
        settle(&mut holder, [0; 2], came)?;
        self.pool = pool;
        holder.deed = Some(deed);
        let mut logs: Vec<_> = (deed.liquidity > 0).then_some(LogKind::Burn).into_iter().collect();
        logs.extend(transfers(came));
        logs.extend([LogKind::Collect, LogKind::Collect]);
        Ok(AccountEffect { holder, liquidity: 0, position: Some(deed.id), crossed: 0, taken: [0; 2], logs })
    }
}

/// USDC and asset go out of an account and come in.
fn settle(holder: &mut PaperHolder, gone: [u128; 2], came: [u128; 2]) -> Result<(), Refusal> {
    let usdc = u128::from(holder.usdc.0).checked_sub(gone[0]).and_then(|x| x.checked_add(came[0]));
    let asset = holder.asset.0.checked_sub(gone[1]).and_then(|x| x.checked_add(came[1]));
    let usdc = usdc.and_then(|x| u64::try_from(x).ok()).ok_or(Refusal::Reverted)?;
    (holder.usdc, holder.asset) = (Usdc(usdc), Asset(asset.ok_or(Refusal::Reverted)?));
    Ok(())
}

fn transfers(amounts: [u128; 2]) -> Vec<LogKind> {
    vec![LogKind::Transfer; amounts.iter().filter(|a| **a > 0).count()]
}

fn difference(after: u128, before: u128) -> i128 {
    let apart = i128::try_from(after.abs_diff(before)).unwrap_or(i128::MAX);
    if after < before { -apart } else { apart }
}
