#!/usr/bin/env python3
"""Recompute what `bardo golem trades --csv` says from the raw facts of the same life, by other code than wrote it.

    bardo golem logs ID --json --last 100000000 --only action.outcome > facts.jsonl
    bardo golem trades ID --csv > trades.csv
    tools/check_trades.py facts.jsonl trades.csv [EARNED_MICRO_USDC [GAS_MICRO_USDC]]

The method: average cost in whole micro-USDC, rounded down. Gas of buying and adding is part of the cost of what was
opened; all other gas counts at once. What comes out of the pool as ETH takes its share of the cost along, at the price
seen. Standard library only. Ends with 1 and says what differs by more than 1e-6, or with 0 and how much was compared.
"""

import csv
import decimal
import json
import math
import sys

WEI = 10**18
POOL_FEE = 500  # of a million
KINDS = {
    "bought": "buy",
    "sold": "sell",
    "added": "add",
    "removed": "remove",
    "collected": "collect",
    "moved": "move",
}


def worth(wei, price):
    """Micro-USDC of so much ETH at a price, rounded as the books round."""
    micro = float(wei) / 1e18 * (price or 0.0) * 1e6
    return int(micro + 0.5) if micro > 0 else 0


class Books:
    """Average cost, followed from birth."""

    def __init__(self):
        self.asset = self.asset_cost = self.asset_gas = 0
        self.pool = self.pool_cost = self.pool_gas = 0

    @staticmethod
    def part(amount, num, den):
        return amount if num >= den else amount * num // den

    def give(self, wei):
        """ETH leaves: its share of the cost and of the gas."""
        cost, gas = (self.part(x, wei, self.asset) for x in (self.asset_cost, self.asset_gas))
        self.asset = max(self.asset - wei, 0)
        self.asset_cost -= cost
        self.asset_gas -= gas
        return cost, gas

    def buy(self, o, gas, _price):
        self.asset += int(o["got"])
        self.asset_cost += o["paid"]
        self.asset_gas += gas
        return 0, None

    def sell(self, o, gas, _price):
        cost, held = self.give(int(o["gave"]))
        return o["got"] - cost, o["got"] - cost - held - gas

    def add(self, o, gas, _price):
        cost, held = self.give(int(o["gave"]))
        self.pool += int(o["liquidity"])
        self.pool_cost += o["paid"] + cost
        self.pool_gas += held + gas
        return 0, None

    def remove(self, o, gas, price):
        out = int(o["liquidity"])
        cost, held = (self.part(x, out, self.pool) for x in (self.pool_cost, self.pool_gas))
        self.pool = max(self.pool - out, 0)
        self.pool_cost -= cost
        self.pool_gas -= held
        carried = min(worth(int(o["got_asset"]), price), cost)
        along = min(held * carried // max(cost, 1), held)
        self.asset += int(o["got_asset"])
        self.asset_cost += carried
        self.asset_gas += along
        realised = o["got"] - (cost - carried)
        return realised, realised - (held - along) - gas

    def collect(self, o, gas, _price):
        self.asset += int(o["got_asset"])
        return o["got"], o["got"] - gas

    def move(self, o, gas, price):
        got, gave = int(o["got_asset"]), int(o["gave"])
        spare, more_asset = max(got - gave, 0), max(gave - got, 0)
        pool_cost_before = self.pool_cost
        carried = min(worth(spare, price), self.pool_cost)
        held = self.part(self.asset_gas, more_asset, max(self.asset, 1))
        cost_in = self.part(self.asset_cost, more_asset, self.asset + spare)
        self.asset = max(self.asset + spare - more_asset, 0)
        self.asset_cost += carried - cost_in
        self.asset_gas -= held
        self.pool_gas += held
        if spare > 0:
            along = self.part(self.pool_gas, carried, max(pool_cost_before, 1))
            self.pool_gas -= along
            self.asset_gas += along
        home, more = max(o["got"] - o["paid"], 0), max(o["paid"] - o["got"], 0)
        cost = min(self.pool_cost - carried, home)
        self.pool_cost += cost_in + more - carried - cost
        self.pool = int(o["liquidity"])
        return home - cost, home - cost - gas


def fees(kind, o, fact):
    """What the pool took, and what the position had earned."""
    price, position = fact.get("price"), fact["pre_state"]["position"] or {}
    ceil = lambda x: -(-x * POOL_FEE // 1_000_000)
    if kind == "buy":
        return ceil(o["paid"]), 0
    if kind == "sell":
        return worth(ceil(int(o["gave"])), price), 0
    if kind == "collect":
        return 0, o["got"] + worth(int(o["got_asset"]), price)
    if kind in ("remove", "move"):
        return 0, position.get("fees", 0) + worth(int(position.get("fees_asset", 0)), price)
    return 0, 0


def flow(kind, o):
    """USDC and ETH that came in, below zero where they went out."""
    return {
        "buy": lambda: (-o["paid"], int(o["got"])),
        "sell": lambda: (o["got"], -int(o["gave"])),
        "add": lambda: (-o["paid"], -int(o["gave"])),
        "remove": lambda: (o["got"], int(o["got_asset"])),
        "collect": lambda: (o["got"], int(o["got_asset"])),
        "move": lambda: (o["got"] - o["paid"], int(o["got_asset"]) - int(o["gave"])),
    }[kind]()


def recomputed(path):
    books = Books()
    for line in open(path, encoding="utf-8"):
        fact = json.loads(line)
        outcome, gas = fact["tx_receipt"]["outcome"], fact["tx_receipt"]["gas_used"]["cost"]
        if outcome == "held":
            continue
        name, o = next(iter(outcome.items()))
        if name == "refused":
            yield fact, None, (0, 0), (0, 0), gas, 0, -gas if gas else None
            continue
        kind = KINDS[name]
        realised, profit = getattr(books, kind)(o, gas, fact.get("price"))
        yield fact, kind, flow(kind, o), fees(kind, o, fact), gas, realised, profit


def main():
    facts, trades = sys.argv[1:3]
    wrong, compared, sums = [], 0, {"realised": 0, "gas": 0}
    micro = lambda text: int(decimal.Decimal(text) * 1_000_000)
    rows = list(csv.DictReader(open(trades, newline="", encoding="utf-8")))
    found = list(recomputed(facts))
    if len(rows) != len(found):
        wrong.append(f"{len(rows)} rows, {len(found)} outcomes")
    for row, (fact, kind, moved, fee, gas, realised, profit) in zip(rows, found):
        told = {
            "tick": (int(row["tick"]), fact["tick"]),
            "at": (row["at"], fact["at"]),
            "state": (row["state"], "done" if kind else "refused"),
            "what": (row["what"], kind or row["what"]),
            "usdc": (micro(row["usdc"]), moved[0]),
            "eth": (int(decimal.Decimal(row["eth"]) * WEI), moved[1]),
            "fee paid": (micro(row["fee_paid_usdc"]), fee[0]),
            "fee earned": (micro(row["fee_earned_usdc"]), fee[1]),
            "gas": (micro(row["gas_usdc"]), gas),
            "realised": (micro(row["realised_usdc"]), realised),
            "profit": (micro(row["profit_usdc"]) if row["profit_usdc"] else None, profit),
        }
        sums["realised"] += realised
        sums["gas"] += gas
        for name, (says, is_so) in told.items():
            compared += 1
            near = isinstance(says, int) and isinstance(is_so, int) and name != "tick" and abs(says - is_so) <= 1
            if says != is_so and not near:
                wrong.append(f"turn {row['tick']} {row['what']}, {name}: told {says}, found {is_so}")
        if kind in ("buy", "sell"):
            compared += 1
            price = abs(moved[0]) / 1e6 / (abs(moved[1]) / 1e18)
            if not math.isclose(float(row["price"]), price, rel_tol=1e-9):
                wrong.append(f"turn {row['tick']}: price {row['price']}, found {price}")
    for name, says in zip(("realised", "gas"), sys.argv[3:]):
        compared += 1
        if abs(int(says) - sums[name]) > 1:
            wrong.append(f"{name} of the whole life: the ledger says {says}, found {sums[name]}")
    for line in wrong[:20]:
        print(line)
    print(f"{compared} figures of {len(rows)} trades compared, {len(wrong)} differ")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
