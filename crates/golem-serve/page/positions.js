// What is open, one by one.

import { ether, fixed, h, signed, table, usdc } from "/charts.js";

const row = (p) => [
  p.kind === "asset" ? `${ether(Number(p.wei) / 1e18)} ETH` : "Liquidity",
  usdc(p.worth_micro_usdc),
  signed(p.worth_micro_usdc - p.cost_micro_usdc),
  p.fees_micro_usdc ? usdc(p.fees_micro_usdc) : "–",
  p.between ? `${p.between.map((x) => fixed(x)).join(" to ")}${p.in_range ? "" : ", the price is outside"}` : "–",
];

/** A list that is drawn anew only when it has changed: whoever reads in it is not thrown out of it. */
export function holdings() {
  const node = h("div");
  let shown = null;
  const draw = (open) => {
    const now = JSON.stringify(open);
    if (now === shown) return;
    shown = now;
    node.replaceChildren(
      open
        ? table(
            "Open positions",
            ["Open", ["Worth, USDC", "right"], ["Since opened", "right"], ["Fees", "right"], "Between"],
            open.map(row),
            "Nothing is open.",
          )
        : h("p.none", {}, "Of an earlier moment only the sum is known."),
    );
  };
  return { node, draw };
}
