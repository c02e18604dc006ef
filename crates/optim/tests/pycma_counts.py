"""Evaluations that pycma needs to f <= 1e-9: 10 %, 50 % and 90 % quantiles; measures the like of the ranges in `cma_counts.rs` anew.

pip install cma numpy; python3 pycma_counts.py [RUNS]
"""

import sys
import warnings

import cma
import numpy

warnings.simplefilter("ignore")
runs = int(sys.argv[1]) if len(sys.argv) > 1 else 51
functions = {
    "sphere": lambda x: sum(x**2),
    "ellipsoid": lambda x: sum(1e6 ** (numpy.arange(len(x)) / (len(x) - 1)) * x**2),
    "cigar": lambda x: x[0] ** 2 + 1e6 * sum(x[1:] ** 2),
    "tablet": lambda x: 1e6 * x[0] ** 2 + sum(x[1:] ** 2),
    "rosenbrock": lambda x: sum(100 * (x[:-1] ** 2 - x[1:]) ** 2 + (1 - x[:-1]) ** 2),
}


def evaluations(function, start, sigma, active, seed):
    options = {"verbose": -9, "ftarget": 1e-9, "CMA_active": active, "seed": seed}
    strategy = cma.CMAEvolutionStrategy(start, sigma, options)
    while not strategy.stop():
        points = strategy.ask()
        strategy.tell(points, [function(numpy.asarray(x)) for x in points])
    return strategy.countevals


for name, function in functions.items():
    for n in (10, 20):
        for active in (True, False):
            start, sigma = (0.0, 0.1) if name == "rosenbrock" else (1.0, 1.0)
            counts = [evaluations(function, n * [start], sigma, active, seed + 1) for seed in range(runs)]
            print(name, n, "active" if active else "plain", *numpy.percentile(counts, [10, 50, 90]), flush=True)
