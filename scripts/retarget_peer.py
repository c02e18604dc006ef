#!/usr/bin/env python3
"""Clips of the CMU database on the embedded human, by sinew and by inverse kinematics with mink, measured alike.

    python3 scripts/retarget_peer.py [--data FOLDER] [--sinew target/release/sinew] cmu_02_01 ...

Needs numpy, mujoco, mink and qpsolvers[daqp]. The peer does what GMR (Araujo et al. 2025, "Retargeting Matters") does, with the engine that GMR
uses: rest poses aligned, positions of key bodies scaled by the lengths of legs and arms, and two rounds of differential inverse kinematics a frame, the
first for orientations and feet, the second for all positions; hinge limits of the character hold. GMR itself is not on PyPI.

Slide: how far the joint of the toes strays while the source's is low (3 cm) and slow (0.25 m/s); median over the stands, and most, cm.
Off: distance of hands and feet from the source's, relative to shoulders and hips and scaled by the limbs, % of the height.
Range: frames times knees and elbows bent more than the character's own joints allow. Jerkiness: largest acceleration of hands and feet, m/s².
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

import mink
import mujoco
import numpy as np

CMU_UNIT_M = 0.0564444
HEIGHT_M = 1.72
TOES_IN_FOOT = np.array([0.134, 0.006, -0.059])
TO_Z_UP = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], float)
STEP = 4  # every fourth frame: 30 Hz
SIDES = (("l", "Left"), ("r", "Right"))
SOURCE_OF = {"hips": "Hips", "spine3": "Spine1", "head": "Head"}
for s, side in SIDES:
    SOURCE_OF |= {f"thigh_{s}": f"{side}UpLeg", f"shin_{s}": f"{side}Leg", f"foot_{s}": f"{side}Foot",
                  f"upper_arm_{s}": f"{side}Arm", f"forearm_{s}": f"{side}ForeArm", f"hand_{s}": f"{side}Hand"}
# Costs of position and orientation, first and second round.
FIRST = {body: (0, 10) for body in SOURCE_OF} | {"hips": (100, 10), "foot_l": (50, 50), "foot_r": (50, 50)}
SECOND = {body: (10, 5) for body in SOURCE_OF} | {"hips": (100, 5), "spine3": (0, 5), "head": (0, 5), "foot_l": (100, 50), "foot_r": (100, 50),
                                                  "hand_l": (50, 5), "hand_r": (50, 5)}


def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return {"X": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), "Y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
            "Z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])}[axis]


def read_bvh(path):
    words = pathlib.Path(path).read_text().split()
    joints, stack, current, i = [], [], None, 0
    while words[i] != "MOTION":
        if words[i] in ("ROOT", "JOINT"):
            joints.append({"name": words[i + 1], "parent": stack[-1] if stack else None, "channels": []})
            current, i = len(joints) - 1, i + 2
        elif words[i] == "End":
            current, i = "end", i + 2
        elif words[i] == "{":
            stack.append(current)
            i += 1
        elif words[i] == "}":
            stack.pop()
            i += 1
        elif words[i] == "OFFSET":
            if current != "end":
                joints[current]["offset"] = np.array(words[i + 1:i + 4], float)
            i += 4
        elif words[i] == "CHANNELS":
            count = int(words[i + 1])
            joints[current]["channels"] = words[i + 2:i + 2 + count]
            i += 2 + count
        else:
            i += 1
    frames = int(words[words.index("Frames:", i) + 1])
    at = words.index("Time:", i)
    return joints, float(words[at + 1]), np.array(words[at + 2:], float).reshape(frames, -1)


def forward(joints, row):
    """Places and orientations of all joints, in the file's axes."""
    places, turns, c = [], [], 0
    for joint in joints:
        place, own, moved = joint["offset"], np.eye(3), np.zeros(3)
        has_place = False
        for channel in joint["channels"]:
            if channel.endswith("position"):
                moved["XYZ".index(channel[0])], has_place = row[c], True
            else:
                own = own @ turn(channel[0], np.radians(row[c]))
            c += 1
        place = moved if has_place else place
        if joint["parent"] is None:
            places.append(place)
            turns.append(own)
        else:
            places.append(places[joint["parent"]] + turns[joint["parent"]] @ place)
            turns.append(turns[joint["parent"]] @ own)
    return np.array(places), turns


def arc(a, b):
    """The least rotation from one direction to another."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    v = np.cross(a, b)
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + k + k @ k / (1 + a @ b)


class Source:
    """A captured clip at 30 Hz in metres, `z` up, and how its rest pose becomes the character's."""

    def __init__(self, path, rest):
        self.joints, dt, rows = read_bvh(path)
        self.rate = 1 / dt / STEP
        self.index = {joint["name"]: i for i, joint in enumerate(self.joints)}
        poses = [forward(self.joints, row) for row in rows[1::STEP]]  # the first frame is a T-pose
        self.places = np.array([(TO_Z_UP @ places.T).T * CMU_UNIT_M for places, _ in poses])
        self.turns = [[TO_Z_UP @ t @ TO_Z_UP.T for t in turns] for _, turns in poses]
        zero = (TO_Z_UP @ forward(self.joints, np.zeros(rows.shape[1]))[0].T).T * CMU_UNIT_M
        self.zero = {body: zero[self.index[name]] for body, name in SOURCE_OF.items()}
        self.aligned = {body: np.eye(3) for body in SOURCE_OF}
        for s, _ in SIDES:
            for upper, lower, end in ((f"thigh_{s}", f"shin_{s}", f"foot_{s}"), (f"upper_arm_{s}", f"forearm_{s}", f"hand_{s}")):
                bone = lambda a, b: self.zero[b] - self.zero[a]
                self.aligned[upper] = arc(bone(upper, lower), rest[lower] - rest[upper])
                self.aligned[lower] = arc(self.aligned[upper] @ bone(lower, end), rest[end] - rest[lower]) @ self.aligned[upper]
                self.aligned[end] = self.aligned[lower]
        length = lambda at, *chain: sum(np.linalg.norm(at[b] - at[a]) for a, b in zip(chain, chain[1:]))
        ratio = lambda *chain: length(rest, *chain) / length(self.zero, *chain)
        self.leg, self.arm = ratio("thigh_l", "shin_l", "foot_l"), ratio("upper_arm_l", "forearm_l", "hand_l")
        self.reach = ratio("hips", "upper_arm_l", "forearm_l", "hand_l")

    def of(self, name):
        return self.places[:, self.index[name]]


def by_peer(model, source, rest):
    """Places of the bodies by mink, and milliseconds a frame."""
    hips = source.of("Hips")
    scale = lambda body: source.leg if body.startswith(("thigh", "shin", "foot")) else source.reach
    goals = {body: source.leg * hips + scale(body) * (source.of(name) - hips) for body, name in SOURCE_OF.items()}
    low = np.percentile(np.minimum(goals["foot_l"][:, 2], goals["foot_r"][:, 2]), 5)
    for goal in goals.values():
        goal[:, 2] += rest["foot_l"][2] - low
    pose, limits = mink.Configuration(model), [mink.ConfigurationLimit(model)]
    pose.update(model.qpos0)
    rounds = [{body: mink.FrameTask(body, "body", position_cost=float(p), orientation_cost=float(r), lm_damping=1.0) for body, (p, r) in costs.items()}
              for costs in (FIRST, SECOND)]
    found = {body: [] for body in [*SOURCE_OF, "toe_l", "toe_r"]}
    began, dt = time.time(), model.opt.timestep
    for frame in range(len(hips)):
        for body, name in SOURCE_OF.items():
            quaternion = np.zeros(4)
            mujoco.mju_mat2Quat(quaternion, (source.turns[frame][source.index[name]] @ source.aligned[body].T).flatten())
            goal = mink.SE3.from_rotation_and_translation(mink.SO3(quaternion), goals[body][frame])
            for tasks in rounds:
                tasks[body].set_target(goal)
        for tasks in rounds:
            tasks, last = list(tasks.values()), np.inf
            for _ in range(10 if frame else 100):
                pose.integrate_inplace(mink.solve_ik(pose, tasks, dt, "daqp", damping=0.5, limits=limits), dt)
                error = np.linalg.norm(np.concatenate([task.compute_error(pose) for task in tasks]))
                if last - error < 1e-3:
                    break
                last = error
        for body in SOURCE_OF:
            found[body].append(pose.data.body(body).xpos.copy())
        for s, _ in SIDES:
            foot = pose.data.body(f"foot_{s}")
            found[f"toe_{s}"].append(foot.xpos + foot.xmat.reshape(3, 3) @ TOES_IN_FOOT)
    spent = time.time() - began
    return {body: np.array(places) for body, places in found.items()}, 1000 * spent / len(hips)


def by_sinew(sinew, path, folder):
    out = pathlib.Path(folder, "moved.bvh")
    began = time.time()
    subprocess.run([sinew, "retarget", "human", path, "-o", out, "--json"], check=True, capture_output=True)
    spent = time.time() - began
    joints, _, rows = read_bvh(out)
    index = {joint["name"]: i for i, joint in enumerate(joints)}
    poses = [(TO_Z_UP @ forward(joints, row)[0].T).T for row in rows[::STEP]]
    return {body: np.array([pose[index[body]] for pose in poses]) for body in [*SOURCE_OF, "toe_l", "toe_r"]}, 1000 * spent / len(rows)


def stands(source, side):
    toes = source.of(f"{side}ToeBase")
    low = toes[:, 2] - np.percentile(toes[:, 2], 10) < 0.03
    slow = np.append(np.linalg.norm(np.diff(toes, axis=0), axis=1) * source.rate < 0.25, False)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], (low & slow).astype(int), [0]))))
    return [(first, end) for first, end in zip(edges[::2], edges[1::2]) if end - first >= 3]


def measure(source, found, model, rest):
    frames = min(len(source.places), len(found["hips"]))
    slides, off, beyond, acceleration = [], [], 0, 0.0
    for s, side in SIDES:
        for first, end in stands(source, side):
            path = found[f"toe_{s}"][first:min(end, frames), :2]
            slides.append(100 * np.max(np.linalg.norm(path - path[0], axis=1)))
        for upper, lower, tip, scale in ((f"thigh_{s}", f"shin_{s}", f"foot_{s}", source.leg), (f"upper_arm_{s}", f"forearm_{s}", f"hand_{s}", source.arm)):
            wanted = scale * (source.of(SOURCE_OF[tip]) - source.of(SOURCE_OF[upper]))[:frames]
            off.append(np.linalg.norm(found[tip][:frames] - found[upper][:frames] - wanted, axis=1))
            angle = lambda u, l: np.arccos(np.clip(np.sum(u * l, -1) / np.linalg.norm(u, axis=-1) / np.linalg.norm(l, axis=-1), -1, 1))
            bent = angle(found[lower] - found[upper], found[tip] - found[lower])
            most = np.max(np.abs(model.joint(lower).range)) + angle(rest[lower] - rest[upper], rest[tip] - rest[lower])
            beyond += int(np.sum(bent[:frames] > most + 0.035))
            moved = np.linalg.norm(np.diff(found[tip][:frames], 2, axis=0), axis=1) * source.rate**2
            acceleration = max(acceleration, np.max(moved))
    return [f"{np.median(slides or [0]):.1f}", f"{max(slides or [0]):.1f}", f"{100 * np.mean(off) / HEIGHT_M:.1f}", beyond, f"{acceleration:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--data", default=".")
    parser.add_argument("--sinew", default="target/release/sinew")
    options = parser.parse_args()
    head = ["clip", "stands"] + [f"{who}: {what}" for who in ("mink", "sinew") for what in ("slide cm", "most", "off %", "range", "m/s²", "ms a frame")]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    with tempfile.TemporaryDirectory() as folder:
        xml = pathlib.Path(folder, "human.xml")
        subprocess.run([options.sinew, "model", "human", "--mjcf", xml], check=True, capture_output=True)
        model = mujoco.MjModel.from_xml_path(str(xml))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        rest = {body: data.body(body).xpos.copy() for body in SOURCE_OF}
        for clip in options.clips:
            path = pathlib.Path(options.data, f"{clip}.bvh")
            source = Source(path, rest)
            count = sum(len(stands(source, side)) for _, side in SIDES)
            cells = [clip, count]
            for found, spent in (by_peer(model, source, rest), by_sinew(options.sinew, path, folder)):
                cells += [*measure(source, found, model, rest), f"{spent:.2f}"]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
