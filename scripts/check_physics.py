#!/usr/bin/env python3
"""Checks a transferred motion against Newton's law with MuJoCo's bodies alone: trajectory.npz and character.mjcf in, figures out.

For the whole body m (a - g) is the force of everything outside: the ground. In flight there is none, on the ground it pushes within the
friction cone, and it never pulls. Momentum comes from MuJoCo's centre-of-mass Jacobian: a step by semi-implicit Euler computes its forces in
the pose before it, so its velocity is taken in that pose. a is the change of momentum over 10 ms, divided by the mass. Where the motion was
helped from outside, the force in the array `assist` is taken off first.

    python3 scripts/check_physics.py FOLDER...

Exits with 1 where a check fails.
"""

import pathlib
import sys

import mujoco
import numpy

SPAN_SECS = 0.010
# Share of the weight that a force may be off, and of the friction cone beyond it.
TOLERANCE = 0.02
CONE_TOLERANCE = 0.02
CLEAR_METRES = 0.003


def lowest_points(model, data, qpos):
    """Height of the lowest point of all geoms over the ground in each row."""
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


def momenta(model, data, qpos, qvel):
    """Linear momentum of the whole body in each step: the velocity after it, in the pose before it."""
    jacobian = numpy.zeros((3, model.nv))
    mass = model.body_subtreemass[0]
    rows = []
    for q, v in zip(qpos[:-1], qvel[1:]):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacSubtreeCom(model, data, jacobian, 0)
        rows.append(mass * (jacobian @ v))
    return numpy.array(rows)


def check(folder):
    model = mujoco.MjModel.from_xml_path(str(folder / "character.mjcf"))
    data = mujoco.MjData(model)
    arrays = numpy.load(folder / "trajectory.npz")
    qpos, qvel, dt = arrays["qpos"], arrays["qvel"], float(arrays["dt"])
    if qpos.shape[1] != model.nq or qvel.shape[1] != model.nv or arrays["ctrl"].shape[1] != model.nu:
        print(f"{folder}: the arrays are not of this model")
        return False
    mass = model.body_subtreemass[0]
    weight = 9.81 * mass
    planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    friction = float(model.geom_friction[planes, 0][0])

    heights = lowest_points(model, data, qpos)
    momentum = momenta(model, data, qpos, qvel)
    span = max(1, round(SPAN_SECS / dt))
    force = (momentum[span:] - momentum[:-span]) / (span * dt) - mass * model.opt.gravity
    helped = ""
    if "assist" in arrays:
        # Help from outside that the file owns up to: what is left must come from the ground.
        assist = arrays["assist"][:, :3]
        force -= numpy.array([assist[i + 2 : i + span + 2].mean(axis=0) for i in range(len(force))])
        sizes = numpy.linalg.norm(arrays["assist"], axis=1)
        helped = f", helped from outside {100 * (sizes > 0).mean():.0f} % of the time"
    low = numpy.array([heights[max(0, i - 2) : i + span + 1].min() for i in range(len(force))])
    sideways = numpy.linalg.norm(force[:, :2], axis=1)
    in_flight = low > CLEAR_METRES

    share = lambda values: float(numpy.max(values, initial=0.0)) / weight
    figures = [
        ("force in flight", share(numpy.linalg.norm(force[in_flight], axis=1))),
        ("pull of the ground", share(-force[~in_flight, 2])),
        ("beyond the friction cone", share((sideways - (1.0 + CONE_TOLERANCE) * friction * force[:, 2].clip(0.0))[~in_flight])),
    ]
    print(f"{folder}: {len(qpos)} states, {mass:.1f} kg, in flight {100 * in_flight.mean():.0f} % of the time, friction {friction}{helped}")
    fine = True
    for name, found in figures:
        fine &= found <= TOLERANCE
        verdict = "ok" if found <= TOLERANCE else "FAILED"
        print(f"  {name}: {100 * found:.2f} % of the weight (at most {100 * TOLERANCE:.0f} %) {verdict}")
    print(f"  largest push of the ground: {share(force[~in_flight, 2]):.1f} weights; deepest point: {1000 * -heights.min():.1f} mm")
    return fine


def main():
    if len(sys.argv) < 2:
        sys.exit("name folders that sinew transfer has written")
    results = [check(pathlib.Path(folder)) for folder in sys.argv[1:]]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
