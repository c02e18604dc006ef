#!/usr/bin/env python3
"""Checks a transferred motion against Newton's law with MuJoCo's bodies alone: trajectory.npz and character.mjcf in, figures out.

For the whole body m (a - g) is the force of everything outside: the ground. In flight there is none, on the ground it pushes within the
friction cone, and it never pulls. Two measures, from different arrays:

Force of a step, from velocities. Step k goes from (q_k, v_k) to v_{k+1}, then q_{k+1} = q_k + dt v_{k+1}. MuJoCo's recursive Newton-Euler in
the pose q_k, at the velocity v_k, with the acceleration (v_{k+1} - v_k)/dt, gives the force that passes into the root: F = m (J dv/dt + J' v - g).
That is Newton's law as a step of semi-implicit Euler states it, and has no error of its own. (The difference of J(q_k) v_{k+1} between two
steps has one, w^3 r dt/2 for a centre of mass that turns with w about the root at the distance r: percents of g where limbs whip.) That q_{k+1}
follows from v_{k+1} is checked, too.

Path of a flight, from poses alone: the acceleration of the parabola that fits the centre of mass best, and how far the centre of mass is off a
free fall. This is what a viewer sees, with the error of the integration in it: its velocity sways by about dt/2 times the centripetal
acceleration of limbs, millimetres per second, which is most of the acceleration that one sees in a short flight. So the acceleration is looked at in long ones.

Where the motion was helped from outside, the force in the array `assist` is taken off first.

    python3 scripts/check_physics.py FOLDER...

Exits with 1 where a check fails.
"""

import pathlib
import sys

import mujoco
import numpy

GRAVITY = 9.81
# Share of the weight that a force in flight may have, and of gravity by which the acceleration of a long flight may be off.
FLIGHT_TOLERANCE = 0.01
# How far the centre of mass may be off a free fall in any flight, m.
PATH_TOLERANCE = 0.002
# Share of the weight that the ground may pull, and of the friction cone beyond it; over 10 ms, because laws of contact change from step to step.
GROUND_TOLERANCE = 0.02
CONE_TOLERANCE = 0.02
SPAN_SECS = 0.010
# Largest error of a coordinate after a step, rad or m: rounding to 32 bits some metres from the origin.
STEP_TOLERANCE = 1e-5
# Height of the lowest point from which nothing touches, the shortest flight whose path is looked at, and the shortest long one.
CLEAR_METRES = 0.003
FLIGHT_SECS = 0.050
LONG_SECS = 0.200


def lowest_points(model, data, qpos):
    """Height of the lowest point of all geoms over the ground in each row; endless without ground."""
    if not (model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE).any():
        return numpy.full(len(qpos), numpy.inf)
    heights = []
    for row in qpos:
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        low = numpy.inf
        for geom in range(model.ngeom):
            kind, size = model.geom_type[geom], model.geom_size[geom]
            z, axes = data.geom_xpos[geom][2], data.geom_xmat[geom].reshape(3, 3)[2]
            if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
                low = min(low, z - abs(axes[2]) * size[1] - size[0])
            elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
                low = min(low, z - size[0])
            elif kind == mujoco.mjtGeom.mjGEOM_BOX:
                low = min(low, z - numpy.abs(axes) @ size)
        heights.append(low)
    return numpy.array(heights)


def centers_of_mass(model, data, qpos):
    """Centre of mass of the whole in each row."""
    centers = []
    for row in qpos:
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        centers.append(data.subtree_com[0].copy())
    return numpy.array(centers)


def outer_forces(model, data, qpos, qvel, dt):
    """Force of everything outside on the whole in each step, N: row k is that of the step from row k to the next."""
    flags = model.opt.disableflags
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    roots = numpy.flatnonzero(model.body_parentid[1:] == 0) + 1
    forces = []
    for q, v, after in zip(qpos[:-1], qvel[:-1], qvel[1:]):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        data.qacc[:] = (after - v) / dt
        mujoco.mj_rnePostConstraint(model, data)
        forces.append(data.cfrc_int[roots, 3:].sum(axis=0))
    model.opt.disableflags = flags
    return numpy.array(forces)


def step_error(model, qpos, qvel, dt):
    """Largest difference between a pose and the one before it moved on by its velocity."""
    worst = 0.0
    for q, following, v in zip(qpos[:-1], qpos[1:], qvel[1:]):
        moved = q.copy()
        mujoco.mj_integratePos(model, moved, v, dt)
        worst = max(worst, float(numpy.abs(moved - following).max()))
    return worst


def flights(is_clear, dt):
    """First rows and ends of all flights that are long enough."""
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], is_clear.astype(int), [0]])))
    return [(first, end) for first, end in edges.reshape(-1, 2) if (end - first) * dt >= FLIGHT_SECS]


def path_error(centers, gravity, dt):
    """By how much the acceleration of a path is off gravity, m/s^2, and how far the path is off the best free fall, m."""
    time = dt * numpy.arange(len(centers))
    apart = centers - 0.5 * numpy.outer(time**2, gravity)
    line = numpy.polynomial.polynomial.polyfit(time, apart, 1)
    parabola = numpy.polynomial.polynomial.polyfit(time, apart, 2)
    off = apart - line[0] - numpy.outer(time, line[1])
    return 2.0 * float(numpy.linalg.norm(parabola[2])), float(numpy.linalg.norm(off, axis=1).max())


def measure(model, qpos, qvel, dt, assist=None):
    """Figures of a motion: name, what was found, its limit, the unit in which it is shown; and a line about the rest."""
    data = mujoco.MjData(model)
    mass = model.body_subtreemass[0]
    weight = GRAVITY * mass
    planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    friction = float(model.geom_friction[planes, 0][0]) if planes.any() else 0.0
    heights = lowest_points(model, data, qpos)
    force = outer_forces(model, data, qpos, qvel, dt)
    is_clear = heights > CLEAR_METRES
    if assist is not None:
        # Help from outside that the file owns up to: what is left must come from the ground.
        force = force - assist[1:, :3]
        is_clear = is_clear & ~(assist != 0.0).any(axis=1)
    in_flight = (heights[:-1] > CLEAR_METRES) & (heights[1:] > CLEAR_METRES)

    span = max(1, round(SPAN_SECS / dt))
    window = numpy.ones(span) / span
    held = numpy.stack([numpy.convolve(axis, window, "valid") for axis in force.T], axis=1)
    sideways = numpy.linalg.norm(held[:, :2], axis=1)
    beyond = sideways - (1.0 + CONE_TOLERANCE) * friction * held[:, 2].clip(0.0)
    most = lambda values: float(numpy.max(values, initial=0.0))

    centers = centers_of_mass(model, data, qpos)
    spans = flights(is_clear, dt)
    paths = [path_error(centers[first:end], model.opt.gravity, dt) for first, end in spans]
    long = [acceleration for (first, end), (acceleration, _) in zip(spans, paths) if (end - first) * dt >= LONG_SECS]
    figures = [
        ("force in flight", most(numpy.linalg.norm(force[in_flight], axis=1)) / weight, FLIGHT_TOLERANCE, "of the weight"),
        ("acceleration of long flights off gravity", most(long) / GRAVITY, FLIGHT_TOLERANCE, "of gravity"),
        ("path of flights off free fall", most([off for _, off in paths]), PATH_TOLERANCE, "mm"),
        ("pull of the ground", most(-held[:, 2]) / weight, GROUND_TOLERANCE, "of the weight"),
        ("beyond the friction cone", most(beyond) / weight, GROUND_TOLERANCE, "of the weight"),
        ("poses off their velocities", step_error(model, qpos, qvel, dt), STEP_TOLERANCE, "mm or mrad"),
    ]
    rest = (
        f"in flight {100 * in_flight.mean():.0f} % of the time, {len(paths)} flights, {len(long)} of them long; largest push of the ground: {most(held[:, 2]) / weight:.1f} weights; "
        f"deepest point: {1000 * most(-heights):.1f} mm; friction {friction}"
    )
    return figures, rest


def check(folder):
    model = mujoco.MjModel.from_xml_path(str(folder / "character.mjcf"))
    arrays = numpy.load(folder / "trajectory.npz")
    qpos, qvel, dt = arrays["qpos"], arrays["qvel"], float(arrays["dt"])
    if qpos.shape[1] != model.nq or qvel.shape[1] != model.nv or arrays["ctrl"].shape[1] != model.nu:
        print(f"{folder}: the arrays are not of this model")
        return False
    assist = arrays["assist"] if "assist" in arrays else None
    figures, rest = measure(model, qpos, qvel, dt, assist)
    helped = "" if assist is None else f", helped from outside {100 * (assist != 0.0).any(axis=1).mean():.0f} % of the time"
    print(f"{folder}: {len(qpos)} states, {model.body_subtreemass[0]:.1f} kg{helped}")
    fine = True
    for name, found, limit, unit in figures:
        fine &= found <= limit  # not a number fails
        verdict = "ok" if found <= limit else "FAILED"
        scale, sign = (1000, "") if unit.startswith("mm") else (100, "% ")
        print(f"  {name}: {scale * found:.3g} {sign}{unit} (at most {scale * limit:g}) {verdict}")
    print(f"  {rest}")
    return fine


def main():
    if len(sys.argv) < 2:
        sys.exit("name folders that sinew transfer has written")
    results = [check(pathlib.Path(folder)) for folder in sys.argv[1:]]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
