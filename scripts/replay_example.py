import sys

import mujoco
import numpy

folder = sys.argv[1]  # what `sinew transfer --out FOLDER` has written
model = mujoco.MjModel.from_xml_path(f"{folder}/character.mjcf")
data = mujoco.MjData(model)
motion = numpy.load(f"{folder}/trajectory.npz")
start = len(motion["time"]) // 3
end = start + round(0.2 / model.opt.timestep)
data.qpos, data.qvel = motion["qpos"][start], motion["qvel"][start]
for row in range(start + 1, end + 1):
    data.ctrl = motion["ctrl"][row]  # takes MuJoCo from row - 1 to row
    mujoco.mj_step(model, data)
print(f"after 0.2 s at most {abs(data.qpos - motion['qpos'][end]).max():.3f} rad or m from the recorded motion")
