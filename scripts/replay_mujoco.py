#!/usr/bin/env python3
"""Plays a transferred motion in MuJoCo, and says how far it gets from the recorded one.

From every 0.1 s of the motion on MuJoCo starts in the recorded state and gets the recorded controls for 0.2 s and 0.5 s. The error is that of the
worst end effector (of all bodies where the character has none). Starts from which nothing touches the ground for that long are counted apart: there the
two simulators share every law but the softness of joint stops. On the ground MuJoCo's contacts are softer and give way otherwise, and 0.5 s
without feedback let a small error grow.

    python3 scripts/replay_mujoco.py [--every SECS] FOLDER...

Exits with 1 where a median is over its limit.
"""

import argparse
import pathlib
import sys

import mujoco
import numpy

from check_physics import CLEAR_METRES, lowest_points

# Largest median over the starts, m: from anywhere, and in flight.
LIMITS = {0.2: (0.015, 0.010), 0.5: (0.050, 0.020)}


def effectors(model, data):
    """Places of the end effectors, or of all bodies."""
    mujoco.mj_kinematics(model, data)
    return (data.site_xpos if model.nsite else data.xpos[1:]).copy()


def push(model, data, wrench):
    """Applies help from outside: its force spread over the bodies by their mass, its torque on the root."""
    data.xfrc_applied[:, :3] = numpy.outer(model.body_mass / model.body_mass.sum(), wrench[:3])
    data.xfrc_applied[1, 3:] = wrench[3:]


def replay(model, motion, every_secs):
    """Errors of the worst effector, m: for each time span one for each start, with whether it is of a flight."""
    data = mujoco.MjData(model)
    qpos, qvel, ctrl = motion["qpos"], motion["qvel"], motion["ctrl"]
    dt, rows = model.opt.timestep, len(qpos)
    is_clear = lowest_points(model, data, qpos) > CLEAR_METRES
    ends = {round(span / dt): span for span in LIMITS}
    found = {span: [] for span in LIMITS}
    for start in range(0, rows - min(ends), max(1, round(every_secs / dt))):
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = qpos[start], qvel[start]
        for step in range(1, min(max(ends), rows - 1 - start) + 1):
            data.ctrl[:] = ctrl[start + step]
            if "assist" in motion:
                push(model, data, motion["assist"][start + step])
            mujoco.mj_step(model, data)
            if step in ends:
                played = effectors(model, data)
                state = data.qpos.copy()
                data.qpos[:] = qpos[start + step]
                error = numpy.linalg.norm(played - effectors(model, data), axis=1).max()
                data.qpos[:] = state
                found[ends[step]].append((error, is_clear[start : start + step + 1].all()))
    return found


def check(folder, every_secs):
    model = mujoco.MjModel.from_xml_path(str(folder / "character.mjcf"))
    motion = dict(numpy.load(folder / "trajectory.npz"))
    if motion["qpos"].shape[1] != model.nq or motion["ctrl"].shape[1] != model.nu:
        print(f"{folder}: the arrays are not of this model")
        return False
    fine = True
    print(f"{folder}: error of the worst effector, cm")
    for span, starts in replay(model, motion, every_secs).items():
        everywhere = numpy.array([error for error, _ in starts])
        in_flight = numpy.array([error for error, is_flight in starts if is_flight])
        for name, errors, limit in zip(("all", "in flight"), (everywhere, in_flight), LIMITS[span]):
            if len(errors) == 0:
                continue
            median = float(numpy.median(errors))
            fine &= median <= limit  # not a number fails
            verdict = "ok" if median <= limit else "FAILED"
            print(
                f"  after {span} s, {name} ({len(errors)} starts): median {100 * median:.2f} (at most {100 * limit:.1f}), "
                f"nine of ten {100 * numpy.quantile(errors, 0.9):.2f}, largest {100 * errors.max():.2f} {verdict}"
            )
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=float, default=0.1, metavar="SECS", help="time between two starts")
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER", help="what sinew transfer has written")
    options = parser.parse_args()
    results = [check(folder, options.every) for folder in options.folders]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
