"""Single-site Gibbs updates a second of other samplers on a dense machine, beside `bench/run sampling`.

Usage: samplers.py [torch | dwave | thrml]; needs the package that is asked for (dwave-samplers with dimod, thrml, or a torch that
runs on the processor). One thread, 100 chains, every pair of 1000 units, normal weights of standard deviation 1/√units. torch keeps
fields up to date over all chains at once; dwave-samplers anneals at a constant temperature with Gibbs acceptance; thrml, whose
program holds one block a unit on a dense graph, gets 200 units, since compiling it for 1000 takes too long. What a
first call costs (reading the model, compiling) is taken off: two lengths of run are compared.
"""

import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import numpy as np

UNITS, CHAINS = 1000, 100
SHORT, LONG = 5, 25


def machine():
    rng = np.random.default_rng(1)
    weights = np.triu(rng.normal(size=(UNITS, UNITS)) / np.sqrt(UNITS), 1)
    return weights + weights.T, 0.1 * rng.normal(size=UNITS)


def rate(run, units=UNITS):
    """Updates a second from the difference between a long and a short run."""
    run(1)
    short, long = (min(run(sweeps) for _ in range(2)) for sweeps in (SHORT, LONG))
    return CHAINS * units * (LONG - SHORT) / (long - short)


def with_torch():
    import torch

    torch.set_num_threads(1)
    weights, biases = (torch.tensor(part, dtype=torch.float32) for part in machine())
    states = (torch.rand(UNITS, CHAINS) < 0.5).float()
    fields = biases[:, None] + weights @ states

    def run(sweeps):
        before = time.perf_counter()
        for _ in range(sweeps):
            uniform = torch.rand(UNITS, CHAINS)
            for unit in range(UNITS):
                new = (uniform[unit] < torch.sigmoid(fields[unit])).float()
                fields.addr_(weights[unit], new - states[unit])
                states[unit] = new
        return time.perf_counter() - before

    return rate(run)


def with_dwave():
    import dimod
    from dwave.samplers import SimulatedAnnealingSampler

    weights, biases = machine()
    pairs = {(a, b): -weights[a, b] for a in range(UNITS) for b in range(a + 1, UNITS)}
    model = dimod.BinaryQuadraticModel(dict(enumerate(-biases)), pairs, 0.0, "BINARY")
    sampler = SimulatedAnnealingSampler()

    def run(sweeps):
        before = time.perf_counter()
        sampler.sample(
            model, num_reads=CHAINS, num_sweeps=sweeps, beta_range=[1, 1], beta_schedule_type="linear",
            proposal_acceptance_criteria="Gibbs", seed=1,
        )  # fmt: skip
        return time.perf_counter() - before

    return rate(run)


def with_thrml(units=200):
    import jax
    import jax.numpy as jnp
    from thrml import Block, SamplingSchedule, SpinNode, sample_states
    from thrml.models import IsingEBM, IsingSamplingProgram, hinton_init

    weights, biases = machine()
    nodes = [SpinNode() for _ in range(units)]
    pairs = [(a, b) for a in range(units) for b in range(a + 1, units)]
    edges = [(nodes[a], nodes[b]) for a, b in pairs]
    strengths = jnp.array([weights[a, b] / 4 for a, b in pairs])
    model = IsingEBM(nodes, edges, jnp.array(biases[:units]), strengths, jnp.array(1.0))
    blocks = [Block([node]) for node in nodes]
    program = IsingSamplingProgram(model, blocks, clamped_blocks=[])
    key = jax.random.key(0)
    keys, start = jax.random.split(key, CHAINS), hinton_init(key, model, blocks, (CHAINS,))

    def run(sweeps):
        schedule = SamplingSchedule(n_warmup=sweeps, n_samples=1, steps_per_sample=1)

        def chain(key, state):
            return sample_states(key, program, schedule, state, [], [Block(nodes)])

        compiled = jax.jit(jax.vmap(chain))
        jax.block_until_ready(compiled(keys, start))
        before = time.perf_counter()
        jax.block_until_ready(compiled(keys, start))
        return time.perf_counter() - before

    return rate(run, units)


SAMPLERS = {"torch": with_torch, "dwave": with_dwave, "thrml": with_thrml}


def main():
    for name in sys.argv[1:] or SAMPLERS:
        try:
            print(f"{name:<8}{SAMPLERS[name]() / 1e6:>8.2f} million updates a second", flush=True)
        except (ImportError, OSError, ValueError) as error:
            print(f"{name:<8}not measured: {str(error)[:100]}", flush=True)


if __name__ == "__main__":
    main()
