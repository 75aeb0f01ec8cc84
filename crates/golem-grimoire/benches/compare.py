"""The same questions to other stores, beside our own figures, in one run.

    pip install numpy apsw sqlite-vec lancedb
    python crates/golem-grimoire/benches/compare.py

Runs `cargo bench --bench recall`, which prints ours and FTS5's figures and leaves its vectors in a folder; then asks
sqlite-vec and LanceDB (flat, cosine, compacted; and after 60 one-row appends) for the ten nearest of the same vectors.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import apsw
import lancedb
import numpy as np
import pyarrow as pa
import sqlite_vec

QUERIES, TOP = 60, 10


def show(name, ask, truth):
    ask(0)
    times, right = [], 0
    processor = time.process_time()
    for i in range(QUERIES):
        began = time.perf_counter()
        found = ask(i)
        times.append((time.perf_counter() - began) * 1e3)
        right += len(set(found) & set(truth[i]))
    processor = (time.process_time() - processor) / QUERIES * 1e3
    p50, p99 = np.percentile(times, [50, 99])
    print(f"{name:76} {p50:9.3f} {p99:9.3f} {processor:9.3f}  {right / (QUERIES * TOP):.4f}", flush=True)


def by_sqlite_vec(name, vectors, queries, truth):
    # Python's own SQLite is often built without extensions.
    db = apsw.Connection(":memory:")
    db.enable_load_extension(True)
    db.load_extension(sqlite_vec.loadable_path())
    db.execute(f"CREATE VIRTUAL TABLE t USING vec0(v float[{vectors.shape[1]}] distance_metric=cosine)")
    with db:
        db.executemany("INSERT INTO t(rowid, v) VALUES (?, ?)", ((i, v.tobytes()) for i, v in enumerate(vectors)))
    sql = "SELECT rowid FROM t WHERE v MATCH ? AND k = ? ORDER BY distance"
    show(f"{name}: sqlite-vec, in memory", lambda i: [r[0] for r in db.execute(sql, (queries[i].tobytes(), TOP))], truth)


def by_lance(name, vectors, queries, truth, folder):
    kind = pa.list_(pa.float32(), vectors.shape[1])
    rows = lambda lo, v: pa.table({"id": pa.array(range(lo, lo + len(v)), pa.int64()), "vector": pa.array(list(v), kind)})
    table = lancedb.connect(folder).create_table(f"t{vectors.shape[1]}", rows(0, vectors))
    table.optimize()

    def ask(i):
        found = table.search(queries[i]).distance_type("cosine").limit(TOP).select(["id", "_distance"]).to_arrow()
        return found["id"].to_pylist()

    show(f"{name}: LanceDB, flat, compacted", ask, truth)
    for i in range(60):
        table.add(rows(1_000_000 + i, -queries[:1]))
    show(f"{name}: LanceDB, flat, after 60 appends", ask, truth)


def main():
    with tempfile.TemporaryDirectory() as folder:
        command = ["cargo", "bench", "--quiet", "-p", "golem-grimoire", "--bench", "recall"]
        subprocess.run(command, check=True, env={**os.environ, "BARDO_BENCH_OUT": folder})
        for width in (384, 128):
            read = lambda what: np.fromfile(Path(folder) / f"{what}-{width}.f32", "<f4").reshape(-1, width)
            vectors, queries = read("vectors"), read("queries")
            truth = [np.argsort(-(vectors @ q), kind="stable")[:TOP].tolist() for q in queries[:QUERIES]]
            name = f"100,000 x {width}"
            by_sqlite_vec(name, vectors, queries, truth)
            by_lance(name, vectors, queries, truth, folder)


if __name__ == "__main__":
    main()
