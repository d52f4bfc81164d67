"""Belief propagation a message update: the release build of `bench_messages` beside PGMax, in one run.

Needs `pip install pgmax` and `cargo build --release -p latentropy --example bench_messages`; prints both times and the ratio.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

# One thread on either side.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import jax.extend.backend
import numpy as np

# PGMax asks for the backend where JAX no longer has it.
if not hasattr(jax.lib, "xla_bridge"):
    jax.lib.xla_bridge = jax.extend.backend

from pgmax import fgraph, fgroup, infer, vgroup

ROOT = Path(__file__).resolve().parent.parent
BINARY = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/bench_messages"


def ours(side: int) -> float:
    """Nanoseconds a message update of the library."""
    text = subprocess.run([BINARY, str(side)], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"([0-9.]+) ns a message", text).group(1))


def pgmax(side: int, rounds: int = 200) -> float:
    """Nanoseconds a message update of PGMax, compilation not counted; a message is one edge in one direction."""
    rng = np.random.default_rng(0)
    variables = vgroup.NDVarArray(num_states=2, shape=(side, side))
    right = [[variables[r, c], variables[r, c + 1]] for r in range(side) for c in range(side - 1)]
    below = [[variables[r, c], variables[r + 1, c]] for r in range(side - 1) for c in range(side)]
    edges = right + below
    potentials = np.zeros((len(edges), 2, 2))
    potentials[:, 1, 1] = rng.uniform(-1, 1, len(edges))
    graph = fgraph.FactorGraph(variable_groups=variables)
    graph.add_factors(
        fgroup.PairwiseFactorGroup(variables_for_factors=edges, log_potential_matrix=potentials)
    )
    evidence = np.zeros((side, side, 2))
    evidence[:, :, 1] = rng.uniform(-1, 1, (side, side))
    engine = infer.build_inferer(graph.bp_state, backend="bp")
    arrays = engine.init(evidence_updates={variables: evidence})

    def run() -> float:
        start = time.perf_counter()
        out = engine.run(arrays, num_iters=rounds, damping=0.0, temperature=1.0)
        jax.block_until_ready(out.ftov_msgs)
        return time.perf_counter() - start

    run()
    best = min(run() for _ in range(5))
    return best / (2 * len(edges) * rounds) * 1e9


def main() -> None:
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    fast, slow = ours(side), pgmax(side)
    print(f"{side}x{side} grid: latentropy {fast:.2f} ns, PGMax {slow:.0f} ns a message update; {slow / fast:.0f} times")


if __name__ == "__main__":
    main()
