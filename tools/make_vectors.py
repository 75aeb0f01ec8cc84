#!/usr/bin/env python3
"""Writes crates/golem-mortality/tests/it/vectors/*.json: what independent implementations say, for the Rust tests to match.

Needs numpy, scipy and scikit-learn (made with 2.4, 1.17 and 1.9):
    python3 -m venv /tmp/v && /tmp/v/bin/pip install numpy scipy scikit-learn && /tmp/v/bin/python tools/make_vectors.py
The output is the same on every run; a change in it is a change to review.
"""

import json
import math
import pathlib

import numpy as np
from scipy import special, stats
from sklearn.metrics import r2_score

OUT = pathlib.Path(__file__).resolve().parent.parent / "crates/golem-mortality/tests/it/vectors"
MASK = (1 << 64) - 1


class SplitMix:
    """The generator of the Rust tests, so that both sides see the same dice."""

    def __init__(self, seed):
        self.state = seed & MASK

    def uniform(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 11) / (1 << 53)


def write(name, value):
    OUT.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    (OUT / f"{name}.json").write_text(text + "\n")
    print(f"{name}: {len(text)} bytes")


def columns(array, digits=3):
    """Rounded numbers: fewer bytes, and some ties, which the estimators must treat alike."""
    return np.round(np.atleast_2d(array), digits).tolist()


# --- information ------------------------------------------------------------------------------------------------------


def ksg_bits(x, y, k):
    """Kraskov's first algorithm, by plain loops over all pairs."""
    x, y = np.array(x).T, np.array(y).T
    n = len(x)
    dx = np.abs(x[:, None, :] - x[None, :, :]).max(axis=2)
    dy = np.abs(y[:, None, :] - y[None, :, :]).max(axis=2)
    dz = np.maximum(dx, dy)
    total = 0.0
    for i in range(n):
        others = np.arange(n) != i
        eps = np.sort(dz[i][others])[k - 1]
        nx = int((dx[i][others] < eps).sum())
        ny = int((dy[i][others] < eps).sum())
        total += special.digamma(nx + 1) + special.digamma(ny + 1)
    return float((special.digamma(k) + special.digamma(n) - total / n) / math.log(2))


def ksg():
    rng = np.random.default_rng(20040623)
    sets = []

    def add(name, x, y, ks=(3,)):
        x, y = columns(x), columns(y)
        sets.append({"name": name, "x": x, "y": y, "bits": [[k, ksg_bits(x, y, k)] for k in ks]})

    for rho, n in [(0.0, 50), (0.3, 100), (0.6, 200), (0.9, 400), (0.9, 1000)]:
        x = rng.standard_normal(n)
        add(f"gaussian rho {rho} n {n}", x, rho * x + math.sqrt(1 - rho * rho) * rng.standard_normal(n), (1, 3, 5))
    for n in (60, 250, 1000):
        x = rng.standard_normal((3, n))
        y = rng.standard_normal((2, n))
        y[0] = 0.7 * x[0] + 0.5 * y[0]
        y[1] = x[1] * x[2] + 0.3 * y[1]
        add(f"3 by 2 n {n}", x, y, (3, 7))
    x = rng.standard_t(1.5, 400)
    add("heavy tails", x, np.sign(x) * np.abs(x) ** 0.5 + rng.standard_t(2, 400))
    add("1 by 3", rng.standard_normal((1, 150)), rng.standard_normal((3, 150)))
    add("4 by 4", rng.standard_normal((4, 80)), rng.standard_normal((4, 80)))
    x = np.where(rng.random(200) < 0.6, 0.0, rng.integers(-3, 4, 200))
    add("ties everywhere", x, x * rng.integers(0, 2, 200))
    add("ties on one side", x, rng.standard_normal(200))
    write("ksg", sets)


def lempel_ziv_phrases(letters):
    """Shortest phrases that did not occur before, by substring search."""
    text = "".join(chr(97 + c) for c in letters)
    phrases, start, end = 0, 0, 1
    while end <= len(text):
        if text[start:end] in text[: end - 1]:
            end += 1
        else:
            phrases += 1
            start, end = end, end + 1
    return phrases + (1 if start < len(text) else 0)


def information_small():
    rng = np.random.default_rng(7)
    grid = [1e-6, 0.01, 0.3, 0.5, 1, 1.4616321449683623, 2, 3, 5.5, 5.999, 6, 9.99, 10, 17.25, 100, 999, 1e4, 1e9]
    axes = [rng.standard_normal(9).round(3).tolist(), (1e6 + rng.random(7)).round(3).tolist(), [0, 0, 0, 0, 1]]
    sequences = [rng.integers(0, a, n).tolist() for a, n in [(2, 16), (2, 300), (3, 200), (27, 300), (4, 1)]]
    sequences.append(([0, 1, 1, 2] * 60)[:-1])
    write(
        "information",
        {
            "digamma": [[x, float(special.digamma(x))] for x in grid],
            "z_scored": [[a, ((np.array(a) - np.mean(a)) / np.std(a)).tolist()] for a in axes],
            "phrases": [[s, lempel_ziv_phrases(s)] for s in sequences],
        },
    )


# --- regime evaluation ------------------------------------------------------------------------------------------------


def cohens_d(baseline, treatment):
    b, t = np.array(baseline), np.array(treatment)
    pooled = ((len(b) - 1) * b.var(ddof=1) + (len(t) - 1) * t.var(ddof=1)) / (len(b) + len(t) - 2)
    return float((t.mean() - b.mean()) / math.sqrt(pooled))


def bootstrap(baseline, treatment, resamples, seed):
    dice = SplitMix(seed)

    def pick(group):
        return [group[int(dice.uniform() * len(group))] for _ in group]

    found = [cohens_d(pick(baseline), pick(treatment)) for _ in range(resamples)]
    return [float(q) for q in np.percentile(found, [2.5, 97.5])]


def regime():
    rng = np.random.default_rng(11)
    effects, ks, fits = [], [], []
    for n, m, shift, scale in [(10, 10, 0.0, 1), (50, 50, 0.2, 1), (30, 12, -1.5, 2), (100, 80, 0.5, 0.3), (5, 40, 3, 1)]:
        b = rng.standard_normal(n).round(3).tolist()
        t = (shift + scale * rng.standard_normal(m)).round(3).tolist()
        low, high = bootstrap(b, t, 300, n)
        effects.append({"baseline": b, "treatment": t, "d": cohens_d(b, t), "seed": n, "resamples": 300,
                        "low": low, "high": high})
    for n, m, shift, digits in [(2, 1, 0, 3), (5, 5, 1, 3), (10, 10, 0, 3), (50, 50, 0.4, 3), (50, 50, 0, 1),
                                (33, 17, 2, 3), (200, 150, 0.2, 2), (300, 300, 0.05, 2), (400, 320, 0.4, 2)]:
        a = rng.standard_normal(n).round(digits).tolist()
        b = (shift + rng.standard_normal(m)).round(digits).tolist()
        test = stats.ks_2samp(a, b, method="asymp")
        ks.append({"a": a, "b": b, "statistic": float(test.statistic), "p": float(test.pvalue)})
    for n, noise in [(2, 0.1), (10, 0.0), (30, 0.5), (100, 3.0)]:
        actual = rng.standard_normal(n).round(3)
        predicted = (actual + noise * rng.standard_normal(n)).round(3)
        fits.append({"predicted": predicted.tolist(), "actual": actual.tolist(),
                     "r2": float(r2_score(actual, predicted))})
    for actual, predicted in [([1, 1, 1], [1, 1, 1]), ([1, 1, 1], [1, 1, 2])]:
        fits.append({"predicted": predicted, "actual": actual, "r2": float(r2_score(actual, predicted))})
    write("regime", {"effects": effects, "ks": ks, "r_squared": fits})

    grid = []
    for n in [1, 2, 3, 5, 10, 25, 50, 100, 139, 140, 141, 200, 500, 1000, 5000, 20000]:
        scaled = [z / math.sqrt(n) for z in (0.05, 0.2, 0.35, 0.5, 0.7, 0.86, 0.88, 1.0, 1.36, 1.5, 1.99, 2.01, 3, 5)]
        edges = [0.4 / n, 0.6 / n, 0.99 / n, 1.01 / n, 0.3, 0.499, 0.5, 0.7, (n - 0.5) / n, 1.0]
        for d in sorted(set(round(d, 9) for d in scaled + edges if 0 < d <= 1)):
            grid.append([n, d, float(stats.kstwo.sf(d, n))])
    write("kolmogorov", grid)


if __name__ == "__main__":
    ksg()
    information_small()
    regime()
