#!/usr/bin/env python3
"""Holds the simulator against MuJoCo on its own exported models, and prints a table; exits with 1 when a row fails.

    compare_mujoco.py                    builds and runs the example `reference_values`, then compares
    compare_mujoco.py --values FILE      compares what that example printed before
    compare_mujoco.py --golden           also writes crates/sim/tests/golden/mujoco_accelerations.txt

Without contact (f64, PD off): accelerations, the inverse mass matrix (from unit generalised forces), kinetic energy,
places of bodies, and half a second of motion, both by the same semi-implicit Euler steps and by MuJoCo's RK4.
With PD in the air; and with contact, where the two laws differ: standing height, steepest slope, time to fall.
Exits with 3 without MuJoCo.
"""

import argparse
import json
import pathlib
import subprocess
import sys

try:
    import mujoco
    import numpy as np
except ImportError as missing:
    print(f"The comparison needs the Python packages mujoco and numpy (pip install mujoco): {missing}.", file=sys.stderr)
    sys.exit(3)

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "crates/sim/tests/golden/mujoco_accelerations.txt"

# Largest accepted difference of each quantity.
TOLERANCES = {
    "accelerations": 1e-9,  # relative to the largest
    "inverse mass": 1e-9,  # |M·M⁻¹ − 1|, with every coordinate scaled by √M_ii
    "kinetic energy": 1e-9,  # relative
    "body positions": 1e-9,  # m
    "same steps": 1e-9,  # rad, m: qpos after 0.5 s of equal Euler steps of 1 ms
    "exact motion": 5e-4,  # rad, m: qpos after 0.5 s, our steps of 20 µs against RK4
    "driven motion": 1e-9,  # rad, m: qpos after 0.05 s under PD, equal steps of 2 ms
    "standing height": 0.005,  # m
    "steepest slope": 0.02,  # relative
    "time to buckle": 0.10,  # relative: limp, on stops, root at 0.7 of its height
    "time to fall": 0.10,  # relative: limp, without stops, root at half its height
    "fall on stops": 0.10,  # relative: the same with stops
}

STARTS = 21  # disturbed starts of each limp fall, the same ones as in reference_values

FREE_OF_CONSTRAINTS = (
    mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
)


class Table:
    """Rows of what was compared; remembers whether all passed."""

    def __init__(self):
        self.passed = True
        print(f"{'case':<12} {'quantity':<16} {'ours':>12} {'MuJoCo':>12} {'difference':>11} {'allowed':>9}")

    def row(self, case, quantity, difference, ours=None, theirs=None):
        allowed = TOLERANCES[quantity]
        passed = bool(difference <= allowed)  # not a number fails
        self.passed &= passed
        shown = ["" if x is None else f"{x:.6g}" for x in (ours, theirs)]
        verdict = "" if passed else "  FAILED"
        print(f"{case:<12} {quantity:<16} {shown[0]:>12} {shown[1]:>12} {difference:>11.2e} {allowed:>9.0e}{verdict}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--values", type=pathlib.Path, help="output of the example reference_values")
    parser.add_argument("--golden", action="store_true", help="write the golden file of accelerations")
    options = parser.parse_args()
    values = json.loads(options.values.read_text() if options.values else reference_values())

    table = Table()
    golden = []
    for case in values["cases"]:
        golden += compare_dynamics(table, case)
        compare_motions(table, case)
    for driven in values["driven"]:
        compare_driven(table, driven)
    for grounded in values["grounded"]:
        compare_grounded(table, grounded)
    compare_friction(table, values["friction"])
    if options.golden:
        write_golden(golden)
    if not table.passed:
        sys.exit(1)


def reference_values():
    command = ["cargo", "run", "--quiet", "--package", "sinew-sim", "--example", "reference_values"]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def compare_dynamics(table, case):
    """Compares the random states; returns lines of the golden file."""
    model = mujoco.MjModel.from_xml_string(case["mjcf"])
    model.opt.disableflags |= FREE_OF_CONSTRAINTS
    data = mujoco.MjData(model)
    acceleration = energy = place = 0.0
    lines = [f"case {case['name']}"]
    for index, state in enumerate(case["states"]):
        set_state(model, data, state["qpos"], state["qvel"])
        mujoco.mj_forward(model, data)
        mujoco.mj_energyVel(model, data)
        kinetic = data.energy[1]
        acceleration = np.fmax(acceleration, relative(state["qacc"], data.qacc))
        energy = max(energy, abs(state["kinetic_energy"] / kinetic - 1.0))
        place = max(place, np.abs(np.array(state["body_positions"]) - data.xpos[1:]).max())
        lines += [f"{key} {' '.join(map(repr, map(float, numbers)))}" for key, numbers in
                  (("qpos", state["qpos"]), ("qvel", state["qvel"]), ("qacc", data.qacc))]
        if index == 0:
            mass = full_mass_matrix(model, data)
    scale = np.sqrt(np.diag(mass))
    product = (mass / scale[:, None]) @ (np.array(case["inverse_mass"]).T * scale[None, :])
    table.row(case["name"], "accelerations", acceleration)
    table.row(case["name"], "inverse mass", np.abs(product - np.eye(model.nv)).max())
    table.row(case["name"], "kinetic energy", energy)
    table.row(case["name"], "body positions", place)
    return lines


def full_mass_matrix(model, data):
    """Columns M·eₖ."""
    mass = np.zeros((model.nv, model.nv))
    for k in range(model.nv):
        unit = np.zeros(model.nv)
        unit[k] = 1.0
        column = np.zeros(model.nv)
        mujoco.mj_mulM(model, data, column, unit)
        mass[:, k] = column
    return mass


def compare_motions(table, case):
    coarse, fine = case["motions"]
    for quantity, motion, integrator, dt in (
        ("same steps", coarse, mujoco.mjtIntegrator.mjINT_EULER, coarse["dt"]),
        ("exact motion", fine, mujoco.mjtIntegrator.mjINT_RK4, 2.5e-4),
    ):
        model = mujoco.MjModel.from_xml_string(case["mjcf"])
        model.opt.disableflags |= FREE_OF_CONSTRAINTS
        table.row(case["name"], quantity, end_difference(model, motion, integrator, dt))


def compare_driven(table, driven):
    """The exported actuators, integrated by MuJoCo's `implicitfast`, against implicit PD: the same law."""
    model = mujoco.MjModel.from_xml_string(driven["mjcf"])
    motion = driven["motion"]
    difference = end_difference(model, motion, mujoco.mjtIntegrator.mjINT_IMPLICITFAST, motion["dt"])
    table.row(driven["name"], "driven motion", difference)


def end_difference(model, motion, integrator, dt):
    """Largest difference of qpos (quaternions up to sign) at the end of a motion."""
    model.opt.integrator = integrator
    model.opt.timestep = dt
    data = mujoco.MjData(model)
    set_state(model, data, motion["start_qpos"], motion["start_qvel"])
    for _ in range(round(motion["dt"] * motion["steps"] / dt)):
        mujoco.mj_step(model, data)
    ours, theirs = (np.array(q) for q in (motion["qpos"], data.qpos))
    for start in quaternion_starts(model):
        part = slice(start, start + 4)
        if ours[part] @ theirs[part] < 0.0:
            theirs[part] *= -1.0
    return np.abs(ours - theirs).max()


def quaternion_starts(model):
    offset = {mujoco.mjtJoint.mjJNT_FREE: 3, mujoco.mjtJoint.mjJNT_BALL: 0}
    joints = zip(model.jnt_type, model.jnt_qposadr)
    return [address + offset[kind] for kind, address in joints if kind in offset]


def compare_grounded(table, grounded):
    """Height of the root after two seconds at the rest pose, and times until a limp one has sunk so far."""
    name = grounded["name"]
    model = mujoco.MjModel.from_xml_string(grounded["mjcf"])
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    while data.time < 2.0 - 0.5 * model.opt.timestep:
        mujoco.mj_step(model, data)
    ours, theirs = grounded["standing_height"], data.qpos[2]
    table.row(name, "standing height", abs(ours - theirs), ours, theirs)

    without_stops = mujoco.MjModel.from_xml_string(grounded["mjcf_without_stops"])
    for quantity, key, model, part in (
        ("time to buckle", "time_to_buckle", model, 0.7),
        ("time to fall", "time_to_fall_without_stops", without_stops, 0.5),
        ("fall on stops", "time_to_fall", model, 0.5),
    ):
        ours, theirs = grounded[key], time_to_sink(model, part)
        table.row(name, quantity, abs(ours / theirs - 1.0), ours, theirs)


def time_to_sink(model, part):
    """Time until the root of a limp character is at this part of its height: the median over disturbed starts."""
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    hinges = model.jnt_qposadr[model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE]
    times = []
    for start in range(STARTS):
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        data.qpos[hinges] += 1e-3 * np.sin(37 * start + 101 * hinges)
        height = part * data.qpos[2]
        while data.qpos[2] > height and data.time < 5.0:
            mujoco.mj_step(model, data)
        times.append(data.time)
    return float(np.median(times))


def compare_friction(table, friction):
    """Steepest slope on which the box is slower than 2 cm/s after a second, by bisection."""
    model = mujoco.MjModel.from_xml_string(friction["mjcf"])
    data = mujoco.MjData(model)
    low, high = 0.0, 2.0
    while high - low > 1e-4:
        middle = 0.5 * (low + high)
        angle = np.arctan(middle)
        model.opt.gravity[:] = [9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)]
        mujoco.mj_resetDataKeyframe(model, data, 0)
        while data.time < 1.0 - 0.5 * model.opt.timestep:
            mujoco.mj_step(model, data)
        low, high = (middle, high) if data.qvel[0] < 0.02 else (low, middle)
    ours = friction["steepest"]
    table.row("crate", "steepest slope", abs(ours / low - 1.0), ours, low)


def set_state(model, data, qpos, qvel):
    mujoco.mj_resetData(model, data)
    data.qpos[:] = qpos
    data.qvel[:] = qvel


def relative(ours, theirs):
    return np.abs(np.array(ours) - theirs).max() / np.abs(theirs).max()


def write_golden(lines):
    head = [
        f"# Accelerations of MuJoCo {mujoco.__version__} without contact, limits and actuators, for the scenes of",
        "# tests/golden_cases. Written by `scripts/compare_mujoco.py --golden`.",
    ]
    GOLDEN.write_text("\n".join(head + lines) + "\n")
    print(f"wrote {GOLDEN.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
