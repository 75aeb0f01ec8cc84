// What is open, one by one.

import { ether, fixed, signed, table, usdc } from "/charts.js";

export function positions(open) {
  const rows = open.map((p) => [
    p.kind === "asset" ? `${ether(Number(p.wei) / 1e18)} ETH` : "Liquidity",
    usdc(p.worth_micro_usdc),
    signed(p.worth_micro_usdc - p.cost_micro_usdc),
    p.fees_micro_usdc ? usdc(p.fees_micro_usdc) : "–",
    p.between ? `${p.between.map((x) => fixed(x)).join(" to ")}${p.in_range ? "" : ", the price is outside"}` : "–",
  ]);
  return table(
    "Open positions",
    ["Open", ["Worth, USDC", "right"], ["Since opened", "right"], ["Fees", "right"], "Between"],
    rows,
    "Nothing is open.",
  );
}
