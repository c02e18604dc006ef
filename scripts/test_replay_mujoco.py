#!/usr/bin/env python3
"""Tests of replay_mujoco.py on a motion of MuJoCo's own: python3 -m unittest discover scripts"""

import pathlib
import unittest

import mujoco
import numpy
import replay_mujoco

HERE = pathlib.Path(__file__).resolve().parent
ARM = """<mujoco><option timestep="0.002" integrator="implicitfast"/><worldbody>
  <geom type="plane" size="0 0 1" conaffinity="0" contype="0"/>
  <body pos="0 0 9"><freejoint/><geom type="sphere" size="0.1"/>
    <body pos="0.1 0 0"><joint name="elbow" axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/><site pos="0.3 0 0"/></body>
  </body>
</worldbody><actuator><position joint="elbow" kp="20" kv="1"/></actuator></mujoco>"""


def swinging(pushed=0.0):
    """A model and an arm that swings in the air for 0.8 s, pushed sideways by a force."""
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    rows = []
    assist = numpy.array([0.0, pushed, 0.0, 0.0, 0.0, 0.1 * pushed])
    for step in range(401):
        rows.append((data.qpos.copy(), data.qvel.copy(), data.ctrl.copy(), assist if step > 0 else 0.0 * assist))
        data.ctrl[0] = numpy.sin(0.05 * step)
        replay_mujoco.push(model, data, assist)
        mujoco.mj_step(model, data)
    qpos, qvel, ctrl, assist = (numpy.array(column) for column in zip(*rows))
    motion = {"qpos": qpos, "qvel": qvel, "ctrl": ctrl}
    return model, motion | ({"assist": assist} if pushed else {})


def worst(found):
    return max(error for starts in found.values() for error, _ in starts)


class Replay(unittest.TestCase):
    def test_a_motion_of_mujoco_is_played_back_exactly(self):
        for pushed in (0.0, 30.0):
            found = replay_mujoco.replay(*swinging(pushed), 0.1)
            self.assertEqual([len(starts) for starts in found.values()], [7, 4])
            self.assertTrue(all(is_flight for starts in found.values() for _, is_flight in starts))
            self.assertLess(worst(found), 1e-9)

    def test_controls_of_another_row_or_help_left_out_are_seen(self):
        model, motion = swinging()
        self.assertGreater(worst(replay_mujoco.replay(model, motion | {"ctrl": numpy.roll(motion["ctrl"], 10, axis=0)}, 0.1)), 0.01)
        model, motion = swinging(30.0)
        del motion["assist"]
        self.assertGreater(worst(replay_mujoco.replay(model, motion, 0.1)), 0.01)


class Example(unittest.TestCase):
    def test_the_example_is_short_and_the_readme_quotes_it_as_it_is(self):
        example = (HERE / "replay_example.py").read_text()
        self.assertLessEqual(len([line for line in example.splitlines() if line]), 15)
        readme = (HERE.parent / "README.md").read_text()
        if "replay_example.py" in readme:
            self.assertIn(example.strip(), readme)


if __name__ == "__main__":
    unittest.main()
