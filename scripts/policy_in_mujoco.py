#!/usr/bin/env python3
"""Runs a tracking policy in MuJoCo, from the files of `sinew learn export PACKAGE|POLICY -o DIR` alone.

    python3 scripts/policy_in_mujoco.py DIR [--seconds SECS]

First observations, answers and PD targets of the first frames are computed again from sinew's states; then the character follows the motion in MuJoCo
until it falls, and its figures are printed beside those of sinew. docs/track.md says what the files hold, and what differs between the two simulators.
Exits with 1 where a number is off by more than 1e-5, or the character falls. Needs `pip install numpy mujoco onnxruntime`.
"""

import argparse
import json
import pathlib
import sys

import mujoco
import numpy as np

LARGEST_DIFFERENCE = 1e-5


def product(a, b):
    """Quaternions are [w, x, y, z]; any leading axes."""
    (p, q, r, s), (w, x, y, z) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([
        p * w - q * x - r * y - s * z, p * x + q * w + r * z - s * y, p * y - q * z + r * w + s * x, p * z + q * y - r * x + s * w
    ], axis=-1)


def inverse(q):
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def turned(q, v):
    return product(product(q, np.concatenate([[0.0], v])), inverse(q))[1:]


def rotation_vector(q):
    """Of the shorter turn: 2·atan2(|u|, |w|)·u/|u|."""
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    ratio = np.where(sine < 1e-9, 2.0, 2.0 * np.arctan2(sine, np.abs(q[..., :1])) / np.maximum(sine, 1e-9))
    return np.where(q[..., :1] < 0.0, -ratio, ratio) * q[..., 1:]


def quaternion(v):
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * v], axis=-1)


def in_heading(root, v):
    """A vector of the world in the axes of the root's turn about the vertical: the twist of its quaternion about z."""
    w, z = root[0], root[3]
    length = w * w + z * z
    cos, sin = ((w * w - z * z) / length, 2.0 * w * z / length) if length > 1e-12 else (1.0, 0.0)
    return np.array([cos * v[0] + sin * v[1], cos * v[1] - sin * v[0], v[2]])


class Tracker:
    """A character in MuJoCo under its policy."""

    def __init__(self, folder):
        self.about = json.loads((folder / "interface.json").read_text())
        self.model = mujoco.MjModel.from_xml_path(str(folder / "character.mjcf"))
        self.data, self.ghost = mujoco.MjData(self.model), mujoco.MjData(self.model)
        motion = np.load(folder / "motion.npz")
        self.motion_qpos, self.motion_qvel = motion["qpos"].astype(float), motion["qvel"].astype(float)
        joints = self.about["joints"]
        hinges, balls = ([joint for joint in joints if joint["kind"] == kind] for kind in ("hinge", "ball"))
        indices = lambda some, key, width: np.array([np.arange(j[key], j[key] + width) for j in some], int).reshape(-1, width)
        self.hinge_q, self.hinge_v, self.hinge_c = (indices(hinges, key, 1)[:, 0] for key in ("qpos", "qvel", "coordinate"))
        self.ball_q = indices(balls, "qpos", 4)
        self.ball_v, self.ball_c = indices(balls, "qvel", 3), indices(balls, "coordinate", 3)
        # In the order of `qvel` from the root on, which is that of the action.
        width = lambda joint: 3 if joint["kind"] == "ball" else 1
        spread = lambda key, other: np.concatenate([[joint.get(key, other)] * width(joint) for joint in joints])
        self.action_rad, self.kp, self.kd = (spread(key, 0.0) for key in ("action_rad", "kp", "kd"))
        self.limit = spread("torque_limit", np.inf)
        self.joint_of = np.concatenate([[index] * width(joint) for index, joint in enumerate(joints)])
        points = self.about["points"]
        self.bodies = np.array([self.model.body(point["body"]).id for point in points])
        self.offsets = np.array([point["position"] for point in points])
        self.kinds = np.array([point["kind"] for point in points])
        # Actuators are those of driven joints in the same order, a ball's about x, y and z.
        self.driven = np.flatnonzero((self.kp > 0.0) | (self.kd > 0.0))
        if self.driven.size != self.model.nu or self.model.nq != self.motion_qpos.shape[1]:
            raise SystemExit(f"{folder}: character.mjcf, motion.npz and interface.json are not of one character")

    def coordinates(self, qpos):
        """Rotation vectors of balls, angles of hinges."""
        values = np.zeros(len(self.joint_of))
        values[self.hinge_c], values[self.ball_c] = qpos[self.hinge_q], rotation_vector(qpos[self.ball_q])
        return values

    def points(self, qpos):
        """Places of the watched points in a pose."""
        self.ghost.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.ghost)
        turns = self.ghost.xmat[self.bodies].reshape(-1, 3, 3)
        return self.ghost.xpos[self.bodies] + np.einsum("nij,nj->ni", turns, self.offsets)

    def motion(self, frame, shift):
        """`qpos` and `qvel` of a frame of the motion, which has been moved along the ground."""
        qpos = self.motion_qpos[frame].copy()
        qpos[:2] += shift
        return qpos, self.motion_qvel[frame]

    def observe(self, frame, shift, qpos, qvel):
        """What the policy sees: the parts that the interface lists, in its order."""
        unit, slow = self.about["length_unit_m"], self.about["angular_velocity_scale"]
        root, ground, points = qpos[3:7], np.array([qpos[0], qpos[1], 0.0]), self.points(qpos)
        place = lambda point: in_heading(root, point - ground) / unit
        seen = {None: {
            "joint_coordinates": self.coordinates(qpos),
            "joint_velocities": slow * qvel[6:],
            "up": turned(inverse(root), np.array([0.0, 0.0, 1.0])),
            "root_height": qpos[2:3] / unit,
            "root_velocity": in_heading(root, qvel[:3]) / unit,
            "root_angular_velocity": slow * in_heading(root, turned(root, qvel[3:6])),
            "effectors": np.array([place(point) for point in points[self.kinds == "effector"]]),
            "sole_heights": points[self.kinds == "sole", 2] / unit,
        }}
        for ahead in {part["frames_ahead"] for part in self.about["observation"] if "frames_ahead" in part}:
            to_q, to_v = self.motion(frame + ahead, shift)
            seen[ahead] = {
                "motion_root_place": place(to_q[:3]),
                "motion_root_x_axis": in_heading(root, turned(to_q[3:7], np.array([1.0, 0.0, 0.0]))),
                "motion_root_z_axis": in_heading(root, turned(to_q[3:7], np.array([0.0, 0.0, 1.0]))),
                "motion_root_velocity": in_heading(root, to_v[:3]) / unit,
                "motion_joint_coordinates": self.coordinates(to_q),
                "motion_joint_velocities": slow * to_v[6:],
            }
        parts = [seen[part.get("frames_ahead")][part["name"]] for part in self.about["observation"]]
        return np.concatenate([np.ravel(part) for part in parts])

    def targets(self, frame, shift, action):
        """PD targets at both ends of a frame: the motion's, turned by the action; a ball's shift is about the child's axes."""
        most = self.about["most_action_rad"]
        turn = np.clip(self.action_rad * action, -most, most)
        ends = [self.motion(frame, shift)[0], self.motion(frame + 1, shift)[0]]
        for target in ends:
            target[self.hinge_q] += turn[self.hinge_c]
            target[self.ball_q] = product(target[self.ball_q], quaternion(turn[self.ball_c]))
        return ends

    def difference(self, start, end):
        """What turns every joint from one pose to another, in the order of the action: a ball's about the child's axes."""
        turn = np.zeros(len(self.joint_of))
        turn[self.hinge_c] = end[self.hinge_q] - start[self.hinge_q]
        turn[self.ball_c] = rotation_vector(product(inverse(start[self.ball_q]), end[self.ball_q]))
        return turn

    def control(self, target, velocity):
        """Controls with which MuJoCo's actuators exert τ = kp (q* ⊖ q − dt v') + kd (v* − v'), v' the velocity after the step.

        character.mjcf has kv = kd + dt·kp, and its `implicitfast` the v'. Beyond the limit, judged with v' = v, the target comes nearer.
        """
        q, v = self.data.qpos, self.data.qvel[6:]
        drive = self.kp * self.difference(q, target) + self.kd * velocity
        torque = drive - (self.kd + self.model.opt.timestep * self.kp) * v
        size = np.sqrt(np.bincount(self.joint_of, torque**2))[self.joint_of]
        drive -= torque * (1.0 - np.minimum(1.0, self.limit / np.maximum(size, 1e-12)))
        # A joint without stiffness has an actuator of its velocity, with the gain kd.
        gain = np.where(self.kp > 0.0, self.kp, self.kd)[self.driven]
        return (drive + self.kp * self.coordinates(q))[self.driven] / gain

    def simulate(self, start, end):
        """A frame: PD targets go from one pose to the other, a ball's straight and back to unit length."""
        steps = self.about["steps_per_frame"]
        moves = self.about["targets_move"]
        velocity = self.difference(start, end) / (steps * self.model.opt.timestep) * moves
        end = end.copy()
        end[self.ball_q] *= np.where((start[self.ball_q] * end[self.ball_q]).sum(1, keepdims=True) < 0.0, -1.0, 1.0)
        for step in range(1, steps + 1):
            target = start + (end - start) * (step / steps if moves else 1.0)
            target[self.ball_q] /= np.linalg.norm(target[self.ball_q], axis=1, keepdims=True)
            self.data.ctrl[:] = self.control(target, velocity)
            mujoco.mj_step(self.model, self.data)

    def judge(self, frame, shift):
        """Mean distance of bodies from a frame of the motion, m, and whether the character has fallen or lost it."""
        rule, own = self.about["fall"], self.data.qpos
        wanted = self.motion(frame, shift)[0]
        points, wanted_points = self.points(own), self.points(wanted)
        error = np.linalg.norm(points - wanted_points, axis=1)[self.kinds == "body"].mean()
        up = [turned(inverse(qpos[3:7]), np.array([0.0, 0.0, 1.0])) for qpos in (own, wanted)]
        top, wanted_top = points[rule["top_point"], 2], wanted_points[rule["top_point"], 2]
        has_fallen = (
            np.linalg.norm(own[:3] - wanted[:3]) > rule["root_distance_m"]
            or np.linalg.norm(rotation_vector(product(inverse(own[3:7]), wanted[3:7]))) > rule["root_turn_rad"]
            or up[0] @ up[1] < rule["least_upright"]
            or error > rule["body_distance_m"]
            or own[2] < rule["least_root_height"] * wanted[2]
            or wanted_top > rule["lying_top_m"] and top < rule["least_top_height"] * wanted_top
        )
        return error, has_fallen or not np.isfinite(error)

    def run(self, answer, frames):
        """Follows the motion. Returns the frames until it fell, the mean error of bodies and how often the motion was moved to the body."""
        first, beyond, shift = self.about["first_frame"], self.about["motion_follows_beyond_m"], np.zeros(2)
        self.place(*self.motion(first, shift))
        errors, moved = [], 0
        for frame in range(first, first + frames):
            action = answer(self.observe(frame, shift, self.data.qpos, self.data.qvel))
            self.simulate(*self.targets(frame, shift, action))
            error, has_fallen = self.judge(frame + 1, shift)
            if has_fallen:
                break
            errors.append(error)
            if 0.0 < beyond < error:
                shift, moved = self.data.qpos[:2] - self.motion_qpos[frame + 1, :2], moved + 1
        return len(errors), float(np.mean(errors)) if errors else float("nan"), moved

    def place(self, qpos, qvel):
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = qpos, qvel

    def check(self, answer, decided):
        """Largest differences of observations, answers and PD targets to sinew's in its own states, and how far a frame of MuJoCo leads away, m."""
        worst, away = dict.fromkeys(("observation", "answer", "target"), 0.0), []
        for index, frame in enumerate(range(self.about["first_frame"], self.about["first_frame"] + len(decided["qpos"]))):
            qpos, qvel, shift, action = (decided[key][index].astype(float) for key in ("qpos", "qvel", "shift", "action"))
            targets = self.targets(frame, shift, action)
            pairs = [
                ("observation", self.observe(frame, shift, qpos, qvel), decided["observation"][index]),
                ("answer", answer(decided["observation"][index]), decided["action"][index]),
                ("target", targets[0][7:], decided["target_from"][index, 7:]),
                ("target", targets[1][7:], decided["target_to"][index, 7:]),
            ]
            for name, found, wanted in pairs:
                worst[name] = max(worst[name], float(np.abs(found - wanted).max()))
            if index + 1 < len(decided["qpos"]):
                self.place(qpos, qvel)
                self.simulate(*targets)
                away.append(np.linalg.norm(self.points(self.data.qpos) - self.points(decided["qpos"][index + 1]), axis=1).mean())
        return worst, float(np.median(away)) if away else float("nan")


def network(path):
    """The policy: a row of numbers in, a row out."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda row: session.run(None, {name: np.asarray(row, np.float32)[None]})[0][0].astype(float)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR", help="what sinew learn export has written")
    parser.add_argument("--seconds", type=float, default=60.0, metavar="SECS", help="most seconds of the motion")
    options = parser.parse_args()
    tracker, answer = Tracker(options.folder), network(options.folder / "policy.onnx")
    about, own = tracker.about, tracker.about["own_run"]
    worst, away = tracker.check(answer, dict(np.load(options.folder / "decided.npz")))
    fine = all(difference <= LARGEST_DIFFERENCE for difference in worst.values())
    said = ", ".join(f"{name} {difference:.1e}" for name, difference in worst.items())
    print(f"{about['character']}: largest differences to sinew in its first frames: {said}{'' if fine else ', which is TOO MUCH'}")
    print(f"  after one frame from the same state and targets points are {1000 * away:.2f} mm apart (median)")
    frames = max(1, min(about["frames"], round(options.seconds * about["rate_hz"])))
    lasted, error, moved = tracker.run(answer, frames)
    stood = lasted == frames
    print(f"  MuJoCo {mujoco.__version__}: {'kept its feet for' if stood else 'FELL after'} {lasted / about['rate_hz']:.1f} of "
          f"{frames / about['rate_hz']:.1f} s, bodies {100 * error:.1f} cm off the motion, which was moved to the body {moved} times")
    fell = own["fell_at_secs"]
    print(f"  sinew: {'kept its feet for' if fell is None else 'fell after'} {own['seconds'] if fell is None else fell:.1f} of "
          f"{own['seconds']:.1f} s, bodies {100 * own['mean_body_error_m']:.1f} cm off the motion, moved {own['feedbacks']} times")
    sys.exit(0 if fine and stood else 1)


if __name__ == "__main__":
    main()
