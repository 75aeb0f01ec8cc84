"""The same questions to other stores, beside our own figures: `tools/compare` installs what this needs and runs it.

`cargo bench --bench recall` asks ours and FTS5, and leaves its vectors, questions, times and finds in a folder. Then
sqlite-vec and LanceDB (flat, cosine, compacted; and after 60 one-row appends) are asked for the ten nearest of the same
vectors. One judge for all: what is found is right when it is as near as the tenth of an exact scan of the vectors as
they were before any rounding. At the end, `cargo bench --bench curator`.
"""

import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

import apsw
import lancedb
import numpy as np
import pyarrow as pa
import sqlite_vec

WARM_UP, TOP, APPENDS = 5, 10, 60
OURS = "ours: int8 rows, best 40 again by stored rows"
AIMS = [("p50", "p50 < 6 ms", lambda x: x < 6), ("p99", "p99 < 12 ms", lambda x: x < 12),
        ("recall", "recall >= .99", lambda x: x >= 0.99)]
CURATOR_AIM_MS = 50
# One rounding of a number of single precision, which all stores reckon in.
AS_NEAR = 1.2e-7


def cargo_bench(name, *arguments, **more):
    command = ["cargo", "bench", "-p", "golem-grimoire", "--bench", name, *arguments]
    return subprocess.run(command, check=True, **more)


def asked(ask, count):
    """Times in milliseconds by the same rules as in the bench; on the processor, all threads count."""
    for i in range(WARM_UP):
        ask(i)
    times, found = [], []
    processor = time.process_time()
    for i in range(count):
        began = time.perf_counter()
        found.append(ask(i))
        times.append((time.perf_counter() - began) * 1e3)
    processor = (time.process_time() - processor) / count * 1e3
    times.sort()
    return {"p50": times[count // 2], "p99": times[count * 99 // 100], "processor": processor, "found": found}


def by_sqlite_vec(vectors, queries):
    # Python's own SQLite is often built without extensions.
    db = apsw.Connection(":memory:")
    db.enable_load_extension(True)
    db.load_extension(sqlite_vec.loadable_path())
    db.execute(f"CREATE VIRTUAL TABLE t USING vec0(v float[{vectors.shape[1]}] distance_metric=cosine)")
    with db:
        db.executemany("INSERT INTO t(rowid, v) VALUES (?, ?)", ((i, v.tobytes()) for i, v in enumerate(vectors)))
    sql = "SELECT rowid FROM t WHERE v MATCH ? AND k = ? ORDER BY distance"
    ask = lambda i: [row[0] for row in db.execute(sql, (queries[i].tobytes(), TOP))]
    yield "sqlite-vec, in memory", asked(ask, len(queries))


def by_lance(vectors, queries, folder):
    kind = pa.list_(pa.float32(), vectors.shape[1])
    ids = lambda lo, v: pa.array(range(lo, lo + len(v)), pa.int64())
    rows = lambda lo, v: pa.table({"id": ids(lo, v), "vector": pa.array(list(v), kind)})
    table = lancedb.connect(folder).create_table(f"t{vectors.shape[1]}", rows(0, vectors))
    table.optimize()

    def ask(i):
        found = table.search(queries[i]).distance_type("cosine").limit(TOP).select(["id", "_distance"]).to_arrow()
        return found["id"].to_pylist()

    yield "LanceDB, flat, compacted, in a file", asked(ask, len(queries))
    for i in range(APPENDS):
        table.add(rows(len(vectors) + i, -queries[:1]))
    yield f"LanceDB, flat, after {APPENDS} appends of a row", asked(ask, len(queries))


def judge(vectors, queries):
    """The share of the truly nearest among what was found."""
    unit = lambda rows: (rows := rows.astype("f8")) / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = unit(queries) @ unit(vectors).T
    tenth = np.partition(cosines, -TOP, axis=1)[:, -TOP] - AS_NEAR

    def recall(found):
        known = [{key for key in keys if key < len(vectors)} for keys in found]
        right = sum(int(cosines[i, key] >= tenth[i]) for i, keys in enumerate(known) for key in keys)
        return right / (len(queries) * TOP)

    return recall


def show(title, lines):
    """Each line stands beside ours, and ours beside its aims."""
    heads = ["p50", "p99", "processor", "recall", "p50/ours", "proc/ours"]
    print(f"\n{title:50}" + "".join(f"{head:>12}" for head in heads))
    number = lambda x, form: f"{'-' if x is None else format(x, form):>12}"
    for name, figures in lines.items():
        text = "".join(number(figures[what], ".3f") for what in ("p50", "p99", "processor"))
        text += number(figures["recall"], ".4f")
        for what in ("p50", "processor"):
            one, other = figures[what], lines[OURS][what]
            text += number(one / other if one and other else None, ".2f")
        print(f"{name:50}{text}")
    said = (f"{words}: {'met' if holds(lines[OURS][what]) else 'NOT MET'}" for what, words, holds in AIMS)
    print(f"  ours: {', '.join(said)}")


def compare(width, folder):
    read = lambda what: np.fromfile(folder / f"{what}-{width}.f32", "<f4").reshape(-1, width)
    told = lambda name: json.loads((folder / f"{name}.json").read_text())
    vectors, queries = read("vectors"), read("queries")
    lines = {OURS: told(f"ours-{width}")}
    lines.update(by_sqlite_vec(vectors, queries))
    lines.update(by_lance(vectors, queries, folder))
    recall = judge(vectors, queries)
    for figures in lines.values():
        figures["recall"] = recall(figures["found"])
    # It looks for words, so it has no nearest to miss.
    lines["FTS5 alone, any of the words, 100,000 texts"] = told("fts5") | {"recall": None}
    show(f"{len(vectors):,} x {width}, milliseconds", lines)


def curator():
    """The pass over 5,000 entries: the first one, and one where the last left little to do."""
    text = cargo_bench("curator", "cycle", stdout=subprocess.PIPE, text=True).stdout
    found = re.findall(r"─ (cycle|usual_cycle)\b.*?─ 5000 +(.*?)\n", text, re.DOTALL)
    if len(found) != 2:
        raise SystemExit(f"the curator's bench says something else:\n{text}")
    print(f"\n{'curator, 5,000 entries, milliseconds':46}{'fastest':>10}{'median':>10}{'slowest':>10}")
    for name, columns in found:
        fastest, slowest, median = (milliseconds(column) for column in columns.split("│")[:3])
        aim = f"median < {CURATOR_AIM_MS} ms: {'met' if median < CURATOR_AIM_MS else 'NOT MET'}"
        print(f"{name:46}{fastest:10.2f}{median:10.2f}{slowest:10.2f}  {aim}")


def milliseconds(text):
    number, unit = text.split()
    return float(number) * {"ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1e3}[unit]


def main():
    with tempfile.TemporaryDirectory() as folder:
        cargo_bench("recall", env={**os.environ, "BARDO_BENCH_OUT": folder})
        for width in (384, 128):
            compare(width, Path(folder))
    curator()


if __name__ == "__main__":
    main()
