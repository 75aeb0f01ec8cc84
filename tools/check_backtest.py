#!/usr/bin/env python3
"""Recompute a backtest's figures from what it exported and from the price file, by other code than wrote them.

    bardo backtest --data prices.csv --from 2022-01-01 --to 2022-02-01 --export out
    tools/check_backtest.py out --data prices.csv --from 2022-01-01 --to 2022-02-01 [--library]

Standard library only. With --library the ratios are also computed by empyrical (pip install empyrical-reloaded).
Says what differs by more than 1e-6 and ends with 1, or how much was compared and ends with 0.
"""

import argparse
import bisect
import csv
import datetime
import decimal
import json
import math
import pathlib
import sys

DAY = 86_400
YEAR_DAYS = 365
WEI = 10**18
TOLERANCE = 1e-6


class Check:
    """What was compared, and what differs."""

    def __init__(self):
        self.compared = 0
        self.wrong = []

    def same(self, name, told, found):
        """Exactly the same: whole numbers, words, times."""
        self.compared += 1
        if told != found:
            self.wrong.append(f"{name}: told {told!r}, found {found!r}")

    def near(self, name, told, found, scale=None):
        """The same to 1e-6 of the figure, or of the money behind it."""
        self.compared += 1
        if told is None or found is None:
            if told is not found:
                self.wrong.append(f"{name}: told {told!r}, found {found!r}")
            return
        size = max(abs(found), abs(told), 1e-6) if scale is None else scale
        if not abs(told - found) <= TOLERANCE * size:
            self.wrong.append(f"{name}: told {told!r}, found {found!r}")

    def holds(self, name, true, why=""):
        self.compared += 1
        if not true:
            self.wrong.append(f"{name}: {why}")


def unix(text):
    if len(text) == 10:
        text += "T00:00:00Z"
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# Time

def day_of(at):
    """The UTC day that a moment closes: midnight belongs to the day before it."""
    return -(-at // DAY) - 1


def month_of(at):
    return datetime.datetime.fromtimestamp(day_of(at) * DAY, datetime.timezone.utc).strftime("%Y-%m")


# An account over time: (time, worth) pairs, the first is where it began.

def day_ends(series):
    """Worth at the beginning, and at the end of each day after it: the last known at that time."""
    times = [at for at, _ in series]
    ends = [series[0][1]]
    for day in range(day_of(series[1][0]), day_of(series[-1][0]) + 1):
        ends.append(series[bisect.bisect_right(times, (day + 1) * DAY) - 1][1])
    return ends


def returns(worths):
    return [b / a - 1 if a else 0.0 for a, b in zip(worths, worths[1:])]


def ratios(series):
    """The figures of an account, by their definitions."""
    first, last = series[0], series[-1]
    daily = returns(day_ends(series))
    n = len(daily)
    mean = math.fsum(daily) / n
    out = {"days": n, "change": last[1] / first[1] - 1 if first[1] else 0.0}
    out["cagr"] = (last[1] / first[1]) ** (YEAR_DAYS * DAY / (last[0] - first[0])) - 1
    out["volatility"] = out["sharpe"] = out["sortino"] = out["calmar"] = None
    if n > 1:
        deviation = math.sqrt(math.fsum((r - mean) ** 2 for r in daily) / (n - 1))
        out["volatility"] = deviation * math.sqrt(YEAR_DAYS)
        if deviation > 1e-12:
            out["sharpe"] = mean * YEAR_DAYS / out["volatility"]
    falls = math.sqrt(math.fsum(min(r, 0.0) ** 2 for r in daily) / n)
    if falls > 1e-12:
        out["sortino"] = mean * YEAR_DAYS / (falls * math.sqrt(YEAR_DAYS))
    out["drawdown"] = drawdown(series)
    if out["drawdown"]:
        out["calmar"] = out["cagr"] / out["drawdown"]["depth"]
    return out


def drawdown(series):
    deepest, peak = None, series[0]
    for at, worth in series:
        if worth > peak[1]:
            peak = (at, worth)
        depth = 1 - worth / peak[1] if peak[1] else 0.0
        if depth > (deepest["depth"] if deepest else 0.0):
            deepest = {"depth": depth, "peak": peak, "trough": (at, worth)}
    if deepest:
        after = [at for at, worth in series if at > deepest["trough"][0] and worth >= deepest["peak"][1]]
        deepest["recovered"] = after[0] if after else None
    return deepest


def months(series):
    ends, begins = {}, series[0][1]
    for at, worth in series[1:]:
        ends[month_of(at)] = worth
    out = {}
    for month, worth in ends.items():
        out[month] = worth / begins - 1 if begins else 0.0
        begins = worth
    return out


def check_account(check, name, told, series):
    found = ratios(series)
    for figure in ["change", "cagr", "volatility", "sharpe", "sortino", "calmar"]:
        check.near(f"{name} {figure}", told[figure], found[figure])
    check.same(f"{name} days", told["days"], found["days"])
    fall, mine = told["drawdown"], found["drawdown"]
    check.same(f"{name} falls", fall is None, mine is None)
    if fall and mine:
        check.near(f"{name} drawdown", fall["depth"], mine["depth"])
        check.same(f"{name} peak", (unix(fall["peak_at"]), fall["peak_micro_usdc"]), mine["peak"])
        check.same(f"{name} trough", (unix(fall["trough_at"]), fall["trough_micro_usdc"]), mine["trough"])
        recovered = fall["recovered_at"] and unix(fall["recovered_at"])
        check.same(f"{name} recovery", recovered, mine["recovered"])
    return found


# Liquidity: amounts in a range of a Uniswap v3 pool.

def amounts(row, price):
    """ETH and USDC of the position in an equity row, at a price."""
    liquidity, low, high = int(row["liquidity"]), int(row["tick_lower"]), int(row["tick_upper"])
    if row["usdc_is_token0"] == "1":
        low, high = -high, -low
    root_low, root_high = 1.0001 ** (low / 2), 1.0001 ** (high / 2)
    root = min(max(math.sqrt(price * 1e-12), root_low), root_high)
    return liquidity * (1 / root - 1 / root_high) / 1e18, liquidity * (root - root_low) / 1e6


def loss_versus_rebalancing(equity):
    terms, bars = [], 0
    for row, after in zip(equity, equity[1:]):
        if int(row["liquidity"]) == 0:
            continue
        bars += 1
        was, now = float(row["price"]), float(after["price_before"])
        (eth, usdc), (eth_now, usdc_now) = amounts(row, was), amounts(row, now)
        terms += [eth * now, -eth * was, -eth_now * now, -usdc_now, eth * was, usdc]
    return math.fsum(terms), bars


# Trades: an average-cost book.

def part(amount, some, all_of_it):
    return amount if some >= all_of_it else amount * some // all_of_it


class Books:
    """What was paid for what is held, and the gas in it: gas goes where the cost goes."""

    def __init__(self):
        self.eth = self.eth_cost = self.eth_gas = 0
        self.liquidity = self.liquidity_cost = self.liquidity_gas = 0

    def give_eth(self, wei):
        cost, gas = part(self.eth_cost, wei, self.eth), part(self.eth_gas, wei, self.eth)
        self.eth -= wei
        self.eth_cost -= cost
        self.eth_gas -= gas
        return cost, gas

    def take_eth(self, wei, cost, gas):
        self.eth += wei
        self.eth_cost += cost
        self.eth_gas += gas

    def book(self, trade, price):
        """What a trade realised, and its profit with gas in the cost (None where it closes nothing)."""
        usdc, wei, liquidity, gas = trade["usdc"], trade["wei"], trade["liquidity"], trade["gas"]
        what = trade["what"]
        if what == "buy":
            self.take_eth(wei, -usdc, gas)
            return 0, None
        if what == "sell":
            cost, in_cost = self.give_eth(-wei)
            return usdc - cost, usdc - cost - in_cost - gas
        if what == "add":
            cost, in_cost = self.give_eth(-wei)
            self.liquidity += liquidity
            self.liquidity_cost += cost - usdc
            self.liquidity_gas += in_cost + gas
            return 0, None
        if what == "collect":
            self.take_eth(wei, 0, 0)
            return usdc, usdc - gas
        worth = lambda some: int(some / WEI * price * 1e6 + 0.5)
        if what == "remove":
            cost = part(self.liquidity_cost, -liquidity, self.liquidity)
            in_cost = part(self.liquidity_gas, -liquidity, self.liquidity)
            self.liquidity += liquidity
            self.liquidity_cost -= cost
            self.liquidity_gas -= in_cost
            carried = min(worth(wei), cost)
            along = in_cost * carried // cost if cost else 0
            self.take_eth(wei, carried, along)
            realised = usdc - (cost - carried)
            return realised, realised - (in_cost - along) - gas
        if what == "move":
            spare, taken, home, more = max(wei, 0), max(-wei, 0), max(usdc, 0), max(-usdc, 0)
            carried = min(worth(spare), self.liquidity_cost)
            added, moved = self.give_eth(taken) if taken else (0, 0)
            self.liquidity_gas += moved
            along = part(self.liquidity_gas, carried, max(self.liquidity_cost, 1)) if spare else 0
            self.liquidity_gas -= along
            self.take_eth(spare, carried, along)
            cost = min(self.liquidity_cost - carried, home)
            self.liquidity_cost += added + more - carried - cost
            self.liquidity += liquidity
            return home - cost, home - cost - gas
        raise ValueError(f"unknown trade {what}")


def units(text, decimals):
    """Decimal text as whole units."""
    return int(decimal.Decimal(text).scaleb(decimals))


def read_trades(path):
    out = []
    for row in rows(path):
        out.append({
            "at": unix(row["at"]), "what": row["what"], "done": row["state"] == "done",
            "usdc": units(row["usdc"], 6), "wei": units(row["eth"], 18), "liquidity": int(row["liquidity"]),
            "fees": int(row["fees_taken_micro"]), "fees_wei": int(row["fees_taken_wei"]),
            "gas": units(row["gas_usdc"], 6), "realised": units(row["realised_usdc"], 6),
            "profit": units(row["profit_usdc"], 6) if row["profit_usdc"] else None,
            "earned": units(row["fee_earned_usdc"], 6),
        })
    return out


def check_trades(check, report, trades, equity):
    seen = {int(row["unix"]): float(row["price_before"]) for row in equity}
    books = Books()
    eth = liquidity = usdc = gas = realised = 0
    profits, fees = [], []
    by_time = sorted(seen)
    held = []
    for n, trade in enumerate(trades):
        gas += trade["gas"]
        if not trade["done"]:
            check.same(f"trade {n} moves nothing", (trade["usdc"], trade["wei"], trade["liquidity"]), (0, 0, 0))
            continue
        price = seen[by_time[bisect.bisect_right(by_time, trade["at"]) - 1]]
        found, profit = books.book(trade, price)
        check.near(f"trade {n} {trade['what']} realised", trade["realised"], found, scale=3e6)
        check.same(f"trade {n} {trade['what']} closes", trade["profit"] is None, profit is None)
        if profit is not None and trade["profit"] is not None:
            check.near(f"trade {n} {trade['what']} profit", trade["profit"], profit, scale=3e6)
            profits.append(trade["profit"])
        realised += trade["realised"]
        usdc += trade["usdc"]
        eth += trade["wei"]
        liquidity += trade["liquidity"]
        held.append((trade["at"], (eth, liquidity)))
        fees.append(trade["fees"] / 1e6 + trade["fees_wei"] / WEI * price)
        check.near(f"trade {n} fees", trade["earned"] / 1e6, fees[-1], scale=3.0)
    now, left = (0, 0), iter(held + [(math.inf, None)])
    at, after = next(left)
    for row in equity:
        while at <= int(row["unix"]):
            now = after
            at, after = next(left)
        check.same(f"held at {row['time']}", (int(row["asset_wei"]), int(row["liquidity"])), now)
    closed = report["closed"]
    gains, losses = sum(p for p in profits if p > 0), -sum(p for p in profits if p < 0)
    check.same("closed", closed["count"], len(profits))
    check.same("won, lost", (closed["won"], closed["lost"]), (sum(p > 0 for p in profits), sum(p < 0 for p in profits)))
    check.near("win rate", closed["win_rate"], sum(p > 0 for p in profits) / len(profits) if profits else None)
    check.near("profit factor", closed["profit_factor"], gains / losses if losses else None)
    check.same("best and worst", (closed["best_micro_usdc"], closed["worst_micro_usdc"]),
               (max(profits, default=None), min(profits, default=None)))
    done = sum(t["done"] for t in trades)
    check.same("trades", (report["trades"], report["trade_totals"]["done"]), (done, done))
    return {"usdc": usdc, "gas": gas, "realised": realised, "fees": math.fsum(fees)}


def check_money(check, report, sums, equity):
    money, last = report["money"], equity[-1]
    worth, liquid, positions = (int(last[k]) for k in ["worth_micro", "liquid_micro", "positions_micro"])
    check.same("worth at the end", report["final_nav_micro_usdc"], worth)
    check.same("gas", money["gas_micro_usdc"], sums["gas"])
    check.same("realised", money["realised_micro_usdc"], sums["realised"])
    costs = money["gas_micro_usdc"] + money["living_micro_usdc"]
    check.same("liquid at the end", liquid, report["budget_micro_usdc"] + sums["usdc"] - costs)
    check.same("open", money["open_micro_usdc"], positions + sums["usdc"] - sums["realised"])
    debts = (money["owed_micro_usdc"], money["owed_micro_usdc"] + money["unpayable_micro_usdc"])
    check.same("debts", debts, (min(int(last["owed_micro"]), liquid + positions), int(last["owed_micro"])))
    check.same("spent", report["spent_micro_usdc"], money["gas_micro_usdc"] + money["living_micro_usdc"])
    for row in equity:
        eth, usdc = (0.0, 0.0) if int(row["liquidity"]) == 0 else amounts(row, float(row["price"]))
        spot = (eth + int(row["asset_wei"]) / WEI) * float(row["price"]) + usdc + int(row["fees_owed_micro"]) / 1e6
        has = int(row["liquid_micro"]) + int(row["positions_micro"])
        check.same(f"worth at {row['time']}", int(row["worth_micro"]), max(has - int(row["owed_micro"]), 0))
        fetched = int(row["positions_micro"]) / 1e6
        # Unwinding pays the pool's fee, moves the price a little, and pays gas; it never brings more than the spot price.
        check.holds(f"unwound at {row['time']}", spot * 0.985 - 5 <= fetched <= spot + 1e-4, f"{fetched} for {spot}")


def check_liquidity(check, report, sums, trades, equity):
    if {t["at"] for t in trades} - {int(row["unix"]) for row in equity}:
        return  # What was moved between two bars stands in no row.
    found, bars = loss_versus_rebalancing(equity)
    told = report["liquidity"]
    check.same("liquidity", told is None, bars == 0)
    if told:
        fees = sums["fees"] + int(equity[-1]["fees_owed_micro"]) / 1e6
        check.same("bars in the pool", told["bars"], bars)
        check.near("fees", told["fees_micro_usdc"] / 1e6, fees, scale=max(fees, len(equity) * 0.01))
        check.near("lvr", told["lvr_usdc"], found, scale=max(abs(found), 1e-3))
        check.near("fees less lvr", told["net_usdc"], fees - found, scale=max(fees, found, 1.0))


def check_prices(check, report, prices, equity, data, begin, end):
    """The prices that were lived in are the file's, and what is said of the file is true."""
    bars = [(int(float(r["timestamp"])), float(r["close"]), float(r["volume"])) for r in rows(data)]
    gaps = {}
    for (a, *_), (b, *_) in zip(bars, bars[1:]):
        gaps[b - a] = gaps.get(b - a, 0) + 1
    length = min(gaps, key=lambda gap: (-gaps[gap], gap))
    bars = [b for b in bars if (begin is None or b[0] >= begin) and (end is None or b[0] + length <= end)]
    told = report["data"]
    missing = [-(-(b[0] - a[0]) // length) - 1 for a, b in zip(bars, bars[1:])]
    moves = [b[1] / a[1] - 1 for a, b in zip(bars, bars[1:])]
    check.same("bars", (told["bars"], told["bar_s"]), (len(bars), length))
    check.same("first and last", (unix(told["first"]), unix(told["last"])), (bars[0][0], bars[-1][0] + length))
    check.same("missing, gaps", (told["missing"], told["gaps"]), (sum(missing), sum(m > 0 for m in missing)))
    check.same("longest gap", (told["longest_gap"] or {"bars": 0})["bars"], max(missing))
    check.same("silent", told["silent"], sum(b[2] <= 0 for b in bars))
    check.same("jumps", told["jumps"], sum(abs(m) > 0.2 for m in moves))
    check.near("largest move", abs(told["largest_move"]["change"]), max(map(abs, moves)))
    closes = [b[0] + length for b in bars]
    for row, mine in zip(prices, equity):
        at = int(row["unix"])
        check.same(f"close at {row['time']}", float(row["close"]), bars[bisect.bisect_right(closes, at) - 1][1])
        check.same(f"pool at {row['time']}", row["pool"], mine["price_before"])
        # Arbitrage keeps the pool within its fee of the price outside, and a little gas.
        check.holds(f"pool near {row['time']}", abs(float(row["pool"]) / float(row["close"]) - 1) < 0.01, row)
    check.same("rows", (len(prices), int(prices[0]["unix"])), (len(equity), closes[0]))
    if not report["death"] or not report["death"]["enforced"]:
        check.same("the window is finished", int(prices[-1]["unix"]), closes[-1])


def check_holder(check, report, equity):
    """Buying and holding pays the pool's fee and gas, and then moves with the price."""
    budget, costs = report["budget_micro_usdc"], report["buy_and_hold_costs"]
    worths = [int(row["buy_and_hold_micro"]) for row in equity]
    check.same("holder begins", worths[0], budget)
    left = budget - costs["paid_micro_usdc"] - costs["gas_micro_usdc"]
    check.holds("holder pays all", 0 <= left < 10_000, left)
    check.holds("holder pays gas", costs["gas_micro_usdc"] > 0, costs)
    first = float(equity[1]["price_before"])
    spot = int(costs["got"]) / WEI * first * 1e6
    check.near("above spot", costs["above_spot"], costs["paid_micro_usdc"] / spot - 1, scale=1.0)
    check.holds("the fee is paid", costs["above_spot"] > 0.0005, costs)
    for row, worth in list(zip(equity, worths))[1:]:
        # In and out at the fee of 0.05 %, besides what its size moves the price by.
        spot = costs["paid_micro_usdc"] * float(row["price_before"]) / first
        fees = spot * (1 - 0.0005) ** 2
        check.holds(f"holder at {row['time']}", spot * 0.97 < worth < fees * 1.001, f"{worth} for {spot}")


def check_death(check, report, equity):
    death = report["death"]
    check.same("cause", (report["died"], report["cause"]), (death is not None, death and death["cause"]))
    if death:
        at = unix(death["at"])
        row = [r for r in equity if int(r["unix"]) <= at][-1]
        check.same("worth at death", death["worth_micro_usdc"], int(row["worth_micro"]))
        check.near("age at death", death["age_days"], (at - int(equity[0]["unix"])) / DAY)


def check_library(check, told, series, name):
    """The same figures by empyrical: ratios of days from the days, of the whole from every bar."""
    import empyrical
    import pandas

    daily = pandas.Series(returns(day_ends(series)))
    bars = pandas.Series(returns([worth for _, worth in series]))
    per_year = YEAR_DAYS * DAY / ((series[-1][0] - series[0][0]) / len(bars))
    check.near(f"{name} cagr (empyrical)", told["cagr"], float(empyrical.cagr(bars, annualization=per_year)))
    fall = float(empyrical.max_drawdown(bars))
    check.near(f"{name} drawdown (empyrical)", told["drawdown"]["depth"] if told["drawdown"] else 0.0, -fall)
    if told["calmar"] is not None:
        calmar = float(empyrical.calmar_ratio(bars, annualization=per_year))
        check.near(f"{name} calmar (empyrical)", told["calmar"], calmar)
    if told["sharpe"] is not None:
        sharpe = float(empyrical.sharpe_ratio(daily, risk_free=0, annualization=YEAR_DAYS))
        check.near(f"{name} sharpe (empyrical)", told["sharpe"], sharpe)
        volatility = float(empyrical.annual_volatility(daily, annualization=YEAR_DAYS))
        check.near(f"{name} volatility (empyrical)", told["volatility"], volatility)
    if told["sortino"] is not None:
        sortino = float(empyrical.sortino_ratio(daily, required_return=0, annualization=YEAR_DAYS))
        check.near(f"{name} sortino (empyrical)", told["sortino"], sortino)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("export", type=pathlib.Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--from", dest="begin")
    parser.add_argument("--to", dest="end")
    parser.add_argument("--library", action="store_true")
    args = parser.parse_args()
    report = json.loads((args.export / "report.json").read_text(encoding="utf-8"))
    equity, prices = rows(args.export / "equity.csv"), rows(args.export / "prices.csv")
    trades = read_trades(args.export / "trades.csv")
    check = Check()
    accounts = [("golem", "ratios", "worth_micro", "max_drawdown"),
                ("buy and hold", "buy_and_hold_ratios", "buy_and_hold_micro", "buy_and_hold_max_drawdown"),
                ("not learning", "no_learning_ratios", "no_learning_micro", "no_learning_max_drawdown")]
    changes = []
    for name, ratio, column, fall in accounts:
        series = [(int(row["unix"]), int(row[column])) for row in equity]
        found = check_account(check, name, report[ratio], series)
        check.near(f"{name} deepest fall", report[fall], found["drawdown"]["depth"] if found["drawdown"] else 0.0)
        changes.append(months(series))
        if args.library:
            check_library(check, report[ratio], series, name)
    ends = (int(equity[-1]["buy_and_hold_micro"]), int(equity[-1]["no_learning_micro"]), report["budget_micro_usdc"])
    check.same("baselines at the end", ends, tuple(
        report[k] for k in ["buy_and_hold_micro_usdc", "no_learning_micro_usdc", "hold_usdc_micro_usdc"]))
    count = {}
    for trade in trades:
        count[month_of(trade["at"])] = count.get(month_of(trade["at"]), 0) + trade["done"]
    check.same("months", [m["month"] for m in report["months"]], list(changes[0]))
    for month in report["months"]:
        name = month["month"]
        for told, found in zip([month["change"], month["buy_and_hold"], month["no_learning"]], changes):
            check.near(f"{name} change", told, found[name], scale=max(abs(found[name]), 1e-3))
        check.same(f"{name} trades", month["trades"], count.get(name, 0))
    sums = check_trades(check, report, trades, equity)
    check_money(check, report, sums, equity)
    check_liquidity(check, report, sums, trades, equity)
    begin, end = args.begin and unix(args.begin), args.end and unix(args.end)
    check_prices(check, report, prices, equity, args.data, begin, end)
    check_holder(check, report, equity)
    check_death(check, report, equity)
    for line in check.wrong[:40]:
        print(line)
    print(f"{check.compared} compared, {len(check.wrong)} differ")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
