#!/usr/bin/env python3
"""Tests of check_physics.py on motions whose errors are known: python3 -m unittest discover scripts"""

import unittest

import check_physics
import mujoco
import numpy

# A rod that turns about y, hung up at its end: the root is 0.3 m from the centre of mass.
ROD = """<mujoco><option timestep="{dt}" gravity="0 0 {gravity}"><flag contact="disable"/></option><worldbody>
  <geom type="plane" size="0 0 1"/>
  <body pos="0 0 9"><freejoint/><inertial pos="0.3 0 0" mass="2" diaginertia="0.1 0.1 0.1"/><geom type="sphere" size="0.1"/>{more}</body>
</worldbody></mujoco>"""
# A second rod on a hinge, driven by a spring.
ARM = """<body pos="0.6 0 0"><joint axis="0 1 0" stiffness="{stiffness}"/>
  <inertial pos="0.2 0 0.1" mass="1" diaginertia="0.02 0.02 0.02"/><geom type="sphere" size="0.05"/></body>"""


def fall(dt=0.002, gravity=-9.81, spin=20.0, seconds=0.3, stiffness=None):
    """A model under true gravity, and its motion under this one, by semi-implicit Euler."""
    more = ARM.format(stiffness=stiffness) if stiffness else ""
    model = mujoco.MjModel.from_xml_string(ROD.format(dt=dt, gravity=gravity, more=more))
    data = mujoco.MjData(model)
    data.qvel[4] = spin
    rows = [(data.qpos.copy(), data.qvel.copy())]
    for _ in range(round(seconds / dt)):
        mujoco.mj_step(model, data)
        rows.append((data.qpos.copy(), data.qvel.copy()))
    model.opt.gravity[2] = -9.81
    qpos, qvel = (numpy.array(column) for column in zip(*rows))
    return model, qpos, qvel, dt


def figures(motion, **others):
    return {name: found for name, found, _, _ in check_physics.measure(*motion, **others)[0]}


def failures(motion, **others):
    return [name for name, found, limit, _ in check_physics.measure(*motion, **others)[0] if not found <= limit]


class Flights(unittest.TestCase):
    def test_a_step_of_semi_implicit_euler_obeys_newton_exactly(self):
        for stiffness in (None, 30.0):
            self.assertLess(figures(fall(stiffness=stiffness))["force in flight"], 1e-9)

    def test_the_path_of_a_turning_rod_sways_as_the_closed_form_says(self):
        # x'' = g + w^2 r e of the root makes the centre of mass x + r e accelerate by g + r e (w^2 - 2 (1 - cos w dt)/dt^2).
        spin, r = 20.0, 0.3
        model, qpos, qvel, dt = fall(spin=spin)
        centers = check_physics.centers_of_mass(model, mujoco.MjData(model), qpos)
        second = (centers[2:] - 2.0 * centers[1:-1] + centers[:-2]) / dt**2 - model.opt.gravity
        expected = r * abs(spin**2 - 2.0 * (1.0 - numpy.cos(spin * dt)) / dt**2)
        found = numpy.linalg.norm(second, axis=1)
        self.assertTrue(numpy.allclose(found, expected, rtol=1e-3), (found, expected))
        # Less than a fifth of a percent of gravity, while a difference of J(q_k) v_{k+1} is off by w^3 r dt/2: a quarter of it.
        self.assertLess(expected, 0.002 * 9.81)

    def test_the_error_of_a_driven_figure_goes_with_the_step(self):
        coarse, fine = (figures(fall(dt=dt, stiffness=30.0))["path of flights off free fall"] for dt in (0.002, 0.001))
        self.assertLess(fine, 0.6 * coarse)
        self.assertLess(coarse, 0.002)

    def test_a_sound_flight_passes(self):
        self.assertEqual(failures(fall(stiffness=30.0, spin=10.0)), [])

    def test_wrong_gravity_is_found_by_both_measures(self):
        wrong = failures(fall(gravity=-9.81 * 1.015))
        self.assertIn("force in flight", wrong)
        self.assertIn("acceleration of long flights off gravity", wrong)

    def test_poses_that_do_not_follow_from_velocities_are_found(self):
        model, qpos, qvel, dt = fall()
        qpos = qpos.copy()
        qpos[40:, 0] += 1e-4
        self.assertEqual(failures((model, qpos, qvel, dt)), ["poses off their velocities"])
        # A path that is bent is found from poses alone.
        qpos[:, 1] += 0.01 * numpy.sin(numpy.arange(len(qpos)) / 20.0)
        self.assertIn("path of flights off free fall", failures((model, qpos, qvel, dt)))

    def test_help_that_the_file_owns_up_to_is_taken_off(self):
        motion = fall(gravity=-9.81 * 0.5)
        assist = numpy.zeros((len(motion[1]), 6))
        assist[1:, 2] = 0.5 * 9.81 * 2.0
        self.assertEqual(failures(motion, assist=assist), [])
        self.assertIn("force in flight", failures(motion, assist=2.0 * assist))


if __name__ == "__main__":
    unittest.main()
