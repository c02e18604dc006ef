#!/usr/bin/env python3
"""Steps per second of MuJoCo on one core, at its fastest setting that stays stable: the peer of `sinew bench sim`.

    mujoco_peer.py --case a character-a.xml 0.002 --case b character-b.xml 0.0016666667

Each case is a model and a time step. Its PD targets are the start pose plus sinusoids of 0.1 rad; episodes of 0.5 s
start from the first keyframe (or the rest pose) and run natively in mujoco.rollout, on one thread, so that Python costs
nothing. A setting is stable when all its episodes behave like those of the reference for the same controls: the model
file's own integrator and cone with MuJoCo's default Newton solver. Of the stable settings, timed in CPU seconds, the
fastest by its median round counts. Prints one JSON object; exits with 1 for a bad model, 3 without MuJoCo.
"""

import argparse
import contextlib
import itertools
import json
import os
import statistics
import sys
import tempfile
import time

try:
    import mujoco
    import mujoco.rollout
    import numpy as np
except ImportError as missing:
    print(f"The peer needs the Python packages mujoco and numpy (pip install mujoco): {missing}.", file=sys.stderr)
    sys.exit(3)

EPISODE_SECONDS = 0.5
AMPLITUDE_RAD = 0.1
FREQUENCY_HZ = (0.5, 2.0)
SPEED_FACTOR = 3.0  # largest |qvel| of a stable episode over the reference's
HEIGHT_METRES = 0.05  # largest difference of the root's height at the end
CONTACT_FRACTION = 0.5  # smallest share of the reference's contacts at the end, over all episodes: feet may bounce

INTEGRATORS = {
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
}
SOLVERS = {  # solver, iterations, line-search iterations
    "PGS 3": (mujoco.mjtSolver.mjSOL_PGS, 3, 50),
    "CG 3/4": (mujoco.mjtSolver.mjSOL_CG, 3, 4),
    "Newton": (mujoco.mjtSolver.mjSOL_NEWTON, 100, 50),
    "Newton 2": (mujoco.mjtSolver.mjSOL_NEWTON, 2, 50),
}
CONES = {"pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC}


class Case:
    """One model, its start state and the controls of all episodes."""

    def __init__(self, xml, dt, episodes, seed):
        self.model = mujoco.MjModel.from_xml_path(xml)
        self.model.opt.timestep = dt
        self.data = mujoco.MjData(self.model)
        if self.model.nkey:
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        mujoco.mj_forward(self.model, self.data)
        self.steps = max(1, round(EPISODE_SECONDS / dt))
        self.start = np.zeros(mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
        mujoco.mj_getState(self.model, self.data, self.start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self.qvel = slice(1 + self.model.nq, 1 + self.model.nq + self.model.nv)  # state: time, qpos, qvel, ...
        self.controls = self.sinusoids(episodes, dt, np.random.default_rng(seed))

    def sinusoids(self, episodes, dt, random):
        """Targets about the start pose, (episodes, steps, actuators)."""
        frequency = random.uniform(*FREQUENCY_HZ, (episodes, 1, self.model.nu))
        phase = random.uniform(0.0, 2.0 * np.pi, frequency.shape)
        seconds = dt * np.arange(self.steps)[None, :, None]
        return self.data.actuator_length + AMPLITUDE_RAD * np.sin(2.0 * np.pi * frequency * seconds + phase)

    def run(self):
        """All episodes from the start state; states (episodes, steps, state) and the CPU seconds that they took."""
        begin = time.process_time()
        states, _ = mujoco.rollout.rollout(self.model, self.data, self.start[None], self.controls)
        return states, time.process_time() - begin

    def judge(self):
        """What stability is judged by, of each episode: largest |qvel|, warnings, final root height and contacts."""
        states, _ = self.run()
        # A rollout stops at a warning and repeats that state, so its clock stays behind.
        stopped = states[:, -1, 0] < self.start[0] + (self.steps - 0.5) * self.model.opt.timestep
        root = int(np.flatnonzero(self.model.body_parentid[1:] == 0)[0]) + 1
        heights, contacts = [], []
        for state in states[:, -1]:
            mujoco.mj_setState(self.model, self.data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
            mujoco.mj_kinematics(self.model, self.data)
            mujoco.mj_collision(self.model, self.data)
            heights.append(self.data.xpos[root, 2])
            contacts.append(self.data.ncon)
        speed = np.abs(states[:, :, self.qvel]).max(axis=(1, 2))
        return {"speed": speed, "warned": stopped, "height": np.array(heights), "contacts": np.array(contacts)}


def unused_features(model):
    """Disable flags of what the model does not have, and of what a stable run can do without."""
    flag = mujoco.mjtDisableBit
    unused = flag.mjDSBL_SENSOR | flag.mjDSBL_AUTORESET | flag.mjDSBL_MIDPHASE | flag.mjDSBL_ISLAND
    users = [
        (flag.mjDSBL_EQUALITY, [model.neq]),
        (flag.mjDSBL_FRICTIONLOSS, [model.dof_frictionloss, model.tendon_frictionloss]),
        (flag.mjDSBL_LIMIT, [model.jnt_limited, model.tendon_limited]),
        (flag.mjDSBL_SPRING, [model.jnt_stiffness, model.tendon_stiffness]),
        (flag.mjDSBL_DAMPER, [model.dof_damping, model.tendon_damping]),
        (flag.mjDSBL_CLAMPCTRL, [model.actuator_ctrllimited]),
    ]
    for disable, arrays in users:
        if not any(np.any(array) for array in arrays):
            unused |= disable
    return unused


def why_unstable(seen, reference):
    """One reason, or None for a stable setting."""
    if not np.isfinite(seen["speed"]).all() or not np.isfinite(seen["height"]).all():
        return "not finite"
    if seen["warned"].any():
        return f"warnings in {seen['warned'].sum()} episodes"
    faster = (seen["speed"] / reference["speed"]).max()
    if faster > SPEED_FACTOR:
        return f"|qvel| {faster:.3g} times the reference's"
    error = np.abs(seen["height"] - reference["height"]).max()
    if error > HEIGHT_METRES:
        return f"root off by {100.0 * error:.0f} cm at the end"
    if seen["contacts"].sum() < CONTACT_FRACTION * reference["contacts"].sum():
        return f"{seen['contacts'].sum()} contacts at the end, reference {reference['contacts'].sum()}"
    return None


def bench(case, rounds):
    """Tries every setting on a case, then times the stable ones in interleaved rounds."""
    option = case.model.opt
    option.solver, option.iterations, option.ls_iterations = SOLVERS["Newton"]
    reference = case.judge()
    option.disableflags |= unused_features(case.model)

    results, stable = [], []
    for names in itertools.product(INTEGRATORS, SOLVERS, CONES):
        select(option, names)
        seen = case.judge()
        problem = why_unstable(seen, reference)
        result = {"setting": ", ".join(names), "problem": problem, "max_qvel": finite(seen["speed"].max())}
        results.append(result)
        if problem is None:
            stable.append((names, result, []))
    for _ in range(rounds):
        for names, _, seconds in stable:
            select(option, names)
            seconds.append(case.run()[1])
    for _, result, seconds in stable:
        result["steps_per_sec"] = round(len(case.controls) * case.steps / statistics.median(seconds), 1)
    fastest = max((result for _, result, _ in stable), key=lambda result: result["steps_per_sec"], default=None)
    return {
        "steps_per_sec": fastest and fastest["steps_per_sec"],
        "setting": fastest and fastest["setting"],
        "reference": {"max_qvel": finite(reference["speed"].max()), "root_height": finite(reference["height"].mean())},
        "all": results,
    }


def select(option, names):
    """Makes a setting the model's."""
    integrator, solver, cone = names
    option.integrator = INTEGRATORS[integrator]
    option.solver, option.iterations, option.ls_iterations = SOLVERS[solver]
    option.cone = CONES[cone]


def finite(x):
    """A number that JSON can hold."""
    return round(float(x), 4) if np.isfinite(x) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", nargs=3, action="append", required=True, metavar=("NAME", "XML", "DT"))
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds, of which the median counts")
    parser.add_argument("--episodes", type=int, default=16, help="episodes of 0.5 s in each round")
    parser.add_argument("--seed", type=int, default=1, help="of the sinusoids")
    arguments = parser.parse_args()
    cases = [(name, os.path.abspath(xml), float(dt)) for name, xml, dt in arguments.case]
    # MuJoCo prints warnings and appends them to a log in the current folder: keep both out of the way.
    mujoco.set_mju_user_warning(lambda message: None)
    report = {"mujoco": mujoco.__version__}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        try:
            for name, xml, dt in cases:
                report[name] = bench(Case(xml, dt, arguments.episodes, arguments.seed), arguments.rounds)
        except ValueError as error:
            sys.exit(str(error))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
