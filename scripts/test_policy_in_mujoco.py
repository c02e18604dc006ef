#!/usr/bin/env python3
"""Tests of policy_in_mujoco.py on a figure of two joints: python3 -m unittest discover scripts"""

import json
import pathlib
import tempfile
import unittest

import mujoco
import numpy as np
import policy_in_mujoco as script

DT = 0.0025
FIGURE = f"""<mujoco><option timestep="{DT}" gravity="0 0 0" integrator="implicitfast"/><worldbody>
  <body name="trunk" pos="0 0 1"><freejoint/><geom type="sphere" size="0.1"/>
    <body name="arm" pos="0.1 0 0"><joint name="shoulder" type="ball"/><geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
      <body name="hand" pos="0.3 0 0"><joint name="wrist" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.1 0 0"/></body>
    </body>
  </body>
</worldbody><actuator>
  <position name="shoulder_x" joint="shoulder" gear="1 0 0 0 0 0" kp="20" kv="{1 + 20 * DT}"/>
  <position name="shoulder_y" joint="shoulder" gear="0 1 0 0 0 0" kp="20" kv="{1 + 20 * DT}"/>
  <position name="shoulder_z" joint="shoulder" gear="0 0 1 0 0 0" kp="20" kv="{1 + 20 * DT}"/>
  <position joint="wrist" kp="5" kv="{0.2 + 5 * DT}"/>
</actuator></mujoco>"""
JOINTS = [
    {"name": "shoulder", "kind": "ball", "qpos": 7, "qvel": 6, "coordinate": 0, "action_rad": 0.2, "kp": 20, "kd": 1, "torque_limit": 3.0},
    {"name": "wrist", "kind": "hinge", "qpos": 11, "qvel": 9, "coordinate": 3, "action_rad": 0.1, "kp": 5, "kd": 0.2},
]
OWN = [("joint_coordinates", 4), ("joint_velocities", 4), ("up", 3), ("root_height", 1), ("root_velocity", 3),
       ("root_angular_velocity", 3), ("effectors", 3), ("sole_heights", 1)]
AHEAD = [("motion_root_place", 3), ("motion_root_x_axis", 3), ("motion_root_z_axis", 3), ("motion_root_velocity", 3),
         ("motion_joint_coordinates", 4), ("motion_joint_velocities", 4)]
ABOUT = {
    "character": "figure", "rate_hz": 30.0, "steps_per_frame": 10, "dt": DT, "length_unit_m": 0.5, "angular_velocity_scale": 0.1,
    "observation": [{"name": n, "size": s} for n, s in OWN] + [{"name": n, "size": s, "frames_ahead": 1} for n, s in AHEAD],
    "joints": JOINTS, "most_action_rad": 0.3, "targets_move": True, "motion_follows_beyond_m": 0.1, "first_frame": 1, "frames": 20,
    "points": [{"kind": "effector", "body": "hand", "position": [0.1, 0, 0]}, {"kind": "body", "body": "trunk", "position": [0, 0, 0]},
               {"kind": "body", "body": "hand", "position": [0, 0, 0]}, {"kind": "sole", "body": "trunk", "position": [0, 0, -0.1]}],
    "fall": {"root_distance_m": 1.0, "root_turn_rad": 2.2, "least_upright": 0.5, "body_distance_m": 0.5, "least_root_height": 0.5,
             "top_point": 1, "least_top_height": 0.5, "lying_top_m": 0.2},
}


def tracker(**changes):
    """The figure, which floats along x at 0.3 m/s and bends its wrist."""
    frames = np.arange(30.0)
    qpos = np.zeros((30, 12))
    qpos[:, 0], qpos[:, 2], qpos[:, 3], qpos[:, 7], qpos[:, 11] = 0.01 * frames, 1.0, 1.0, 1.0, 0.02 * frames
    qvel = np.zeros((30, 10))
    qvel[:, 0], qvel[:, 9] = 0.3, 0.6
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "character.mjcf").write_text(FIGURE)
        (folder / "interface.json").write_text(json.dumps(ABOUT | changes))
        np.savez(folder / "motion.npz", qpos=qpos, qvel=qvel)
        return script.Tracker(folder)


def some_state(seed=1):
    random = np.random.default_rng(seed)
    qpos = np.concatenate([[0.3, 0.2, 1.1], script.quaternion(0.3 * random.normal(size=3)), script.quaternion(random.normal(size=3)), [0.4]])
    return qpos, random.normal(size=10)


class Rotations(unittest.TestCase):
    def test_vectors_and_quaternions_are_mujocos_and_inverse(self):
        for vector in np.array([[0.3, -0.4, 1.2], [0.0, 0.0, 0.0], [1e-7, 0.0, 0.0], [0.0, 3.0, 0.0]]):
            wanted = np.zeros(4)
            mujoco.mju_axisAngle2Quat(wanted, vector / max(np.linalg.norm(vector), 1e-12), np.linalg.norm(vector))
            np.testing.assert_allclose(script.quaternion(vector), wanted, atol=1e-12)
            np.testing.assert_allclose(script.rotation_vector(-wanted), vector, atol=1e-9)
        a, b = some_state()[0][3:7], some_state(2)[0][7:11]
        wanted = np.zeros(4)
        mujoco.mju_mulQuat(wanted, a, b)
        np.testing.assert_allclose(script.product(a, b), wanted, atol=1e-12)
        wanted = np.zeros(3)
        mujoco.mju_rotVecQuat(wanted, np.array([1.0, 2.0, 3.0]), a)
        np.testing.assert_allclose(script.turned(a, np.array([1.0, 2.0, 3.0])), wanted, atol=1e-12)


class Observation(unittest.TestCase):
    def test_it_has_the_parts_in_their_order(self):
        figure = tracker()
        row = figure.observe(4, np.array([0.0, 1.0]), *some_state())
        sizes = [part["size"] for part in ABOUT["observation"]]
        self.assertEqual(len(row), sum(sizes))
        parts = dict(zip([part["name"] for part in ABOUT["observation"]], np.split(row, np.cumsum(sizes)[:-1])))
        qpos, qvel = some_state()
        np.testing.assert_allclose(parts["joint_coordinates"], [*script.rotation_vector(qpos[7:11]), 0.4])
        np.testing.assert_allclose(parts["joint_velocities"], 0.1 * qvel[6:])
        self.assertAlmostEqual(parts["root_height"][0], 1.1 / 0.5)
        self.assertAlmostEqual(np.linalg.norm(parts["root_angular_velocity"]), 0.1 * np.linalg.norm(qvel[3:6]))
        self.assertAlmostEqual(np.linalg.norm(parts["motion_root_place"][:2]), np.hypot(0.05 - 0.3, 1.0 - 0.2) / 0.5)
        np.testing.assert_allclose(parts["motion_joint_velocities"], [0, 0, 0, 0.06])
        np.testing.assert_allclose(parts["motion_joint_coordinates"], [0, 0, 0, 0.1])

    def test_where_the_world_lies_makes_no_difference(self):
        figure, moved = tracker(), tracker()
        turn, shift = script.quaternion(np.array([0.0, 0.0, 2.1])), np.array([5.0, -3.0, 0.0])
        qpos, qvel = some_state()
        plain = figure.observe(4, np.zeros(2), qpos, qvel)
        for rows, speeds in ((moved.motion_qpos, moved.motion_qvel), (qpos[None], qvel[None])):
            for row, speed in zip(rows, speeds):
                row[:3], row[3:7], speed[:3] = script.turned(turn, row[:3]) + shift, script.product(turn, row[3:7]), script.turned(turn, speed[:3])
        np.testing.assert_allclose(moved.observe(4, np.zeros(2), qpos, qvel), plain, atol=1e-9)


class Drive(unittest.TestCase):
    def torque(self, target, velocity, **changes):
        """Torques that MuJoCo's actuators exert, with the velocity after the step, and the law that they are to obey; for both the state before."""
        figure = tracker(**changes)
        figure.place(*some_state())
        before = figure.data.qpos.copy()
        figure.data.ctrl[:] = figure.control(target, velocity)
        mujoco.mj_step(figure.model, figure.data)
        model, after = figure.model, figure.data.qvel[6:]
        # gain·u + bias·(1, length, v'): what an implicit step makes of the actuators.
        gain, bias = model.actuator_gainprm[:, 0], model.actuator_biasprm
        exerted = gain * figure.data.ctrl + bias[:, 1] * figure.coordinates(before) + bias[:, 2] * after
        wanted = figure.kp * (figure.difference(before, target) - DT * after) + figure.kd * (velocity - after)
        return exerted, wanted

    def test_below_the_limit_torques_are_those_of_the_implicit_law(self):
        target, velocity = some_state(5)[0], np.array([0.5, -1.0, 0.3, 2.0])
        exerted, wanted = self.torque(target, velocity, joints=[joint | {"torque_limit": 1e9} for joint in JOINTS])
        np.testing.assert_allclose(exerted, wanted, atol=1e-9)
        self.assertGreater(np.abs(wanted).max(), 5.0)

    def test_at_the_limit_a_ball_has_a_shorter_torque_and_a_joint_without_limit_its_own(self):
        target, velocity = some_state(5)[0], np.zeros(4)
        exerted, wanted = self.torque(target, velocity)
        self.assertLess(np.linalg.norm(exerted[:3]), 0.5 * np.linalg.norm(wanted[:3]))
        np.testing.assert_allclose(exerted[3:], wanted[3:], atol=1e-9)

    def test_an_action_turns_the_targets_of_both_ends(self):
        start, end = tracker().targets(4, np.array([0.0, 1.0]), np.array([1.0, 0.0, 0.0, -9.0]))
        np.testing.assert_allclose(start[7:11], script.quaternion(np.array([0.2, 0.0, 0.0])))
        np.testing.assert_allclose([start[11], end[11], start[1]], [0.08 - 0.3, 0.1 - 0.3, 1.0])


class Run(unittest.TestCase):
    def test_a_figure_that_is_pulled_along_is_followed_and_one_that_stays_is_lost(self):
        figure = tracker()
        lasted, error, moved = figure.run(lambda row: np.zeros(4), 20)
        self.assertEqual((lasted, moved), (20, 0))
        self.assertLess(error, 0.05)
        # The motion goes on at 6 m/s, and comes back to the body where that is what the interface says.
        figure.motion_qpos[:, 0] *= 20.0
        lasted, _, moved = figure.run(lambda row: np.zeros(4), 20)
        self.assertTrue(lasted == 20 and moved > 3, (lasted, moved))
        figure.about["motion_follows_beyond_m"] = 0.0
        self.assertLess(figure.run(lambda row: np.zeros(4), 20)[0], 5)

    def test_who_leans_or_lies_has_fallen(self):
        figure = tracker()
        for change, falls in (((2, 0.95), False), ((2, 0.4), True), ((0, 0.6), True)):
            figure.place(*figure.motion(3, np.zeros(2)))
            figure.data.qpos[change[0]] = change[1]
            self.assertEqual(figure.judge(3, np.zeros(2))[1], falls, change)
        figure.place(*figure.motion(3, np.zeros(2)))
        figure.data.qpos[3:7] = script.quaternion(np.array([0.0, 1.2, 0.0]))
        self.assertTrue(figure.judge(3, np.zeros(2))[1])

    def test_a_wrong_number_is_seen(self):
        figure = tracker()
        answer = lambda row: np.array([0.1, 0.2, 0.3, 0.4])
        states = [figure.motion(frame, np.zeros(2)) for frame in (1, 2)]
        targets = [figure.targets(frame, np.zeros(2), answer(None)) for frame in (1, 2)]
        decided = {
            "qpos": np.array([q for q, _ in states]), "qvel": np.array([v for _, v in states]), "shift": np.zeros((2, 2)),
            "observation": np.array([figure.observe(f, np.zeros(2), *s) for f, s in zip((1, 2), states)]),
            "action": np.array([answer(None)] * 2), "target_from": np.array([t[0] for t in targets]), "target_to": np.array([t[1] for t in targets]),
        }
        worst, away = figure.check(answer, decided)
        self.assertEqual(max(worst.values()), 0.0)
        self.assertLess(away, 0.01)
        for name, key in (("observation", "observation"), ("answer", "action"), ("target", "target_to")):
            wrong = {k: v.copy() for k, v in decided.items()}
            wrong[key][1, -1] += 0.01
            self.assertGreater(figure.check(answer, wrong)[0][name], 0.009, name)


if __name__ == "__main__":
    unittest.main()
