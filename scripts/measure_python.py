#!/usr/bin/env python3
"""What the Python module costs and how fast it is beside MuJoCo's rollouts and Gymnasium's Humanoid-v5, in one process on the same cores.

    pip install ./python 'gymnasium[mujoco]' imageio
    scripts/measure_python.py [--wheel FILE] [--rounds 5] [--worlds 1024]

Rounds of all candidates follow one another, so that what else the machine does meets all of them; the best round of each counts, by wall time and by CPU time of
all threads and child processes. Prints Markdown.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

import gymnasium
import mujoco
import numpy as np
import sinew
import sinew.gym
from mujoco import rollout

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
SECONDS = 1.0


def child_seconds(pids):
    """CPU time that child processes have taken."""
    fields = [pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(field[11]) + int(field[12]) for field in fields) / CLOCK_TICKS


class Candidate:
    """Something that takes steps; the rates of its best rounds."""

    def __init__(self, name, step, decisions, steps, simulated, pids=()):
        self.name, self.step, self.pids = name, step, pids
        self.decisions, self.steps, self.simulated = decisions, steps, simulated
        self.calls_in_wall = self.calls_in_cpu = 0.0

    def round(self):
        calls, children = 0, child_seconds(self.pids)
        wall, cpu = time.perf_counter(), time.process_time()
        while time.perf_counter() - wall < SECONDS:
            self.step()
            calls += 1
        cpu = time.process_time() - cpu + child_seconds(self.pids) - children
        self.calls_in_wall = max(self.calls_in_wall, calls / (time.perf_counter() - wall))
        self.calls_in_cpu = max(self.calls_in_cpu, calls / cpu)


def rolled_out(model, count, nstep, control, threads):
    """Steps of one model in MuJoCo's own thread pool, each call from where the last one ended."""
    data = [mujoco.MjData(model) for _ in range(threads)]
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data[0], 0)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    first = np.zeros(size)
    mujoco.mj_getState(model, data[0], first, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.tile(first, (count, 1))
    pool = rollout.Rollout(nthread=threads)
    states, sensed = np.zeros((count, nstep, size)), np.zeros((count, nstep, model.nsensordata))

    def step():
        pool.rollout(model, data, start, control, nstep=nstep, state=states, sensordata=sensed, skip_checks=False)

    return step


def environment(envs):
    """Steps of random actions, drawn beforehand."""
    envs.reset(seed=0)
    envs.action_space.seed(0)
    actions = [envs.action_space.sample() for _ in range(8)]
    taken = [0]

    def step():
        envs.step(actions[taken[0] % len(actions)])
        taken[0] += 1

    return step


def candidates(worlds, cores):
    human = sinew.Character.load("human")
    model = mujoco.MjModel.from_xml_string(human.to_mjcf(timestep=0.002))
    batch = sinew.Batch(human, worlds)
    reset = [0]

    def step_batch():
        # As long as MuJoCo's rollouts, which begin at rest each time.
        if reset[0] % 5 == 0:
            batch.reset()
        reset[0] += 1
        batch.step(10)

    standing = np.zeros((1, 1, model.nu))
    decision = 10 * 0.002
    yield Candidate("`sinew.Batch`, the human, 10 steps of 2 ms in a call", step_batch, worlds, 10 * worlds, decision * worlds)
    few = 16 * cores
    yield Candidate(
        "`mujoco.rollout`, the same human by `Character.to_mjcf`, 50 steps", rolled_out(model, few, 50, standing, cores), 5 * few, 50 * few, 0.1 * few
    )
    ours = sinew.gym.LocomotionVectorEnv(worlds, human)
    yield Candidate("`sinew.gym.LocomotionVectorEnv`, the human, decisions of 20 ms", environment(ours), worlds, 10 * worlds, decision * worlds)
    theirs = gymnasium.make("Humanoid-v5")
    skip, dt = theirs.unwrapped.frame_skip, theirs.unwrapped.model.opt.timestep
    control = np.zeros((1, 1, theirs.unwrapped.model.nu))
    yield Candidate(
        "`mujoco.rollout`, Humanoid-v5's model, 50 steps of 3 ms", rolled_out(theirs.unwrapped.model, 4 * few, 50, control, cores), 40 * few, 200 * few, 200 * few * dt
    )
    make = lambda: gymnasium.make("Humanoid-v5")  # noqa: E731
    several = 8 * cores
    sync = gymnasium.vector.SyncVectorEnv([make] * several)
    yield Candidate(f"`SyncVectorEnv` of {several} Humanoid-v5, decisions of 15 ms", environment(sync), several, several * skip, several * skip * dt)
    together = gymnasium.vector.AsyncVectorEnv([make] * several)
    pids = [process.pid for process in together.processes]
    yield Candidate(
        f"`AsyncVectorEnv` of {several} Humanoid-v5, decisions of 15 ms", environment(together), several, several * skip, several * skip * dt, pids
    )


def throughput(worlds, rounds, cores):
    found = list(candidates(worlds, cores))
    for candidate in found:
        candidate.round()
    for candidate in found:
        candidate.calls_in_wall = candidate.calls_in_cpu = 0.0
    for _ in range(rounds):
        for candidate in found:
            candidate.round()
    ours, others = found[2], found[4:]
    print("| | decisions/s | steps/s | decisions per CPU second | steps per CPU second | simulated s per CPU second |\n|---|---|---|---|---|---|")
    for c in found:
        wall, cpu = c.calls_in_wall, c.calls_in_cpu
        print(f"| {c.name} | {c.decisions * wall:,.0f} | {c.steps * wall:,.0f} | {c.decisions * cpu:,.0f} | {c.steps * cpu:,.0f} | {c.simulated * cpu:,.0f} |")
    batch, rolled = found[:2]
    print(f"\nThe same human, steps per CPU second: {batch.steps * batch.calls_in_cpu / rolled.steps / rolled.calls_in_cpu:.1f} times `mujoco.rollout`.", end=" ")
    for other in others:
        ratio = [ours.decisions * x / other.decisions / y for x, y in ((ours.calls_in_wall, other.calls_in_wall), (ours.calls_in_cpu, other.calls_in_cpu))]
        print(f"Decisions: {ratio[0]:.0f} times {other.name.partition(',')[0]} by wall time, {ratio[1]:.0f} times by CPU time.", end=" ")
    print()


def best_micros(call, calls=20000):
    """Time of a call: the best of several rounds, µs."""
    best = float("inf")
    for _ in range(7):
        began = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - began) / calls)
    return 1e6 * best


def costs(wheel):
    human = sinew.Character.load("human")
    one = sinew.Batch(human, 1, threads=1)
    rows = [
        ("asking for `batch.positions`", best_micros(lambda: one.positions)),
        ("`batch.status(0)`: a call that does nothing, with the lock released", best_micros(lambda: one.status(0))),
        ("`batch.reset([0])`, one world", best_micros(lambda: one.reset([0]), 3000)),
        ("`batch.step(1)`, one world, one thread", best_micros(lambda: one.step(1), 3000)),
        ("`batch.step(10)`, one world, one thread", best_micros(lambda: one.step(10), 500)),
    ]
    print("\n| call | µs |\n|---|---|")
    for name, micros in rows:
        print(f"| {name} | {micros:.2f} |")
    code = "import time, numpy; t = time.perf_counter(); import sinew; print(1e3 * (time.perf_counter() - t))"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(9)]
    print(f"\n`import sinew` after NumPy: {min(times):.1f} ms (median of 9: {statistics.median(times):.1f} ms).", end=" ")
    if wheel:
        print(f"The wheel has {wheel.stat().st_size / 1e6:.1f} MB.", end="")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=pathlib.Path, help="to print its size")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="threads of MuJoCo's rollouts; sinew takes all cores")
    arguments = parser.parse_args()
    throughput(arguments.worlds, arguments.rounds, arguments.threads)
    costs(arguments.wheel)


if __name__ == "__main__":
    main()
