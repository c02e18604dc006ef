"""Plain locomotion for learners that speak Gymnasium: many worlds in one call, and one world alone.

>>> import sinew.gym
>>> worlds = sinew.gym.LocomotionVectorEnv(num_envs=64, character="human")
>>> observations, _ = worlds.reset(seed=1)
>>> observations, rewards, terminated, truncated, _ = worlds.step(worlds.action_space.sample())
"""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, Tuple, Union

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._sinew import Batch, Character, Error

__all__ = ["LocomotionEnv", "LocomotionVectorEnv"]

CharacterLike = Union[Character, str, "os.PathLike[str]"]


class _Task:
    """What both environments share: from actions to targets, from worlds to observations and rewards.

    An observation is a row of positions without x and y, then a row of velocities. An action has a number from -1 to 1 for each degree of freedom of the joints: how far the
    PD target is turned from the rest pose, in units of `reach`; within the limits of hinges. The reward is the speed of the centre of mass along the x axis in heights a
    second, plus 1 for staying up, minus a tenth of the mean squared action. An episode ends where the centre of mass sinks below 60 % of its height at rest, or the world
    diverges.
    """

    FALLEN = 0.6
    NOISE = 0.01

    def __init__(self, worlds: int, character: CharacterLike, threads: int, steps: int, timestep: float, reach: float):
        character = character if isinstance(character, Character) else Character.load(character)
        if not character.joints or character.joints[0].kind != "free":
            raise Error(f"{character.name}: locomotion needs a free root; load a character that is not held by the world")
        if steps < 1:
            raise Error(f"a decision for {steps} steps was asked for; give at least 1")
        self.batch = Batch(character, worlds, threads, timestep=timestep)
        self.steps, self.reach, self.height = steps, reach, character.height
        self.rest = character.rest.astype(np.float32)
        batch = self.batch
        self.positions, self.velocities, self.targets = batch.positions, batch.velocities, batch.targets
        self.centers, self.conditions = batch.observations[:, :6], batch.conditions[:, 0]
        self.least_height = self.FALLEN * float(self.centers[0, 2])
        hinges = [joint for joint in character.joints if joint.kind == "hinge"]
        balls = [joint for joint in character.joints if joint.kind == "ball"]
        self.hinge_positions = np.array([joint.position_index for joint in hinges], dtype=int)
        self.hinge_actions = np.array([joint.velocity_index - 6 for joint in hinges], dtype=int)
        limits = [joint.limits or (-np.inf, np.inf) for joint in hinges]
        self.hinge_limits = np.array(limits, dtype=np.float32).reshape(-1, 2)
        self.ball_positions = np.array([joint.position_index for joint in balls], dtype=int)[:, None] + np.arange(4)
        self.ball_actions = np.array([joint.velocity_index - 6 for joint in balls], dtype=int)[:, None] + np.arange(3)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (character.dof - 6,), np.float32)
        size = character.position_count - 2 + character.dof
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float32)

    def act(self, actions: np.ndarray) -> None:
        """Sets the targets and takes the steps of a decision."""
        turned = self.reach * np.clip(actions, -1.0, 1.0)
        low, high = self.hinge_limits[:, 0], self.hinge_limits[:, 1]
        hinges = self.rest[self.hinge_positions] + turned[:, self.hinge_actions]
        self.targets[:, self.hinge_positions] = np.clip(hinges, low, high)
        self.targets[:, self.ball_positions] = _turned(self.rest[self.ball_positions], turned[:, self.ball_actions])
        self.batch.step(self.steps, path="followed")

    def begin(self, worlds: np.ndarray, random: np.random.Generator) -> None:
        """Begins again in some worlds, near the rest pose."""
        positions = self.rest + random.uniform(-self.NOISE, self.NOISE, (len(worlds), len(self.rest)))
        velocities = random.uniform(-self.NOISE, self.NOISE, (len(worlds), self.velocities.shape[1]))
        self.batch.reset(worlds, positions, velocities)

    def observations(self) -> np.ndarray:
        return np.concatenate([self.positions[:, 2:], self.velocities], axis=1)

    def rewards(self, actions: np.ndarray) -> np.ndarray:
        effort = np.mean(np.square(np.clip(actions, -1.0, 1.0)), axis=1, dtype=np.float64)
        return 1.0 + self.centers[:, 3] / self.height - 0.1 * effort

    def terminated(self) -> np.ndarray:
        return (self.centers[:, 2] < self.least_height) | (self.conditions != 0)


def _turned(rest: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Quaternions `rest · exp(turn)`; `turn` are rotation vectors."""
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    scale = np.where(angle > 1e-6, np.sin(0.5 * angle) / np.maximum(angle, 1e-6), 0.5)
    (w, x, y, z), (a, b, c) = np.moveaxis(rest, -1, 0), np.moveaxis(scale * turn, -1, 0)
    s = np.cos(0.5 * angle[..., 0])
    product = [w * s - x * a - y * b - z * c, w * a + x * s + y * c - z * b, w * b - x * c + y * s + z * a, w * c + x * b - y * a + z * s]
    return np.stack(product, axis=-1)


class LocomotionVectorEnv(VectorEnv):
    """Many worlds in which a character is to go along the x axis, stepped in one call.

    A world that has ended begins again with the next step, as Gymnasium's own do (`AutoresetMode.NEXT_STEP`). The rest is described in `LocomotionEnv`.
    """

    metadata: Dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 64,
        character: CharacterLike = "human",
        *,
        threads: int = 0,
        steps: int = 10,
        timestep: float = 0.002,
        reach: float = 1.0,
        max_episode_steps: int = 1000,
    ):
        self._task = _Task(num_envs, character, threads, steps, timestep, reach)
        self.num_envs, self.max_episode_steps = num_envs, max_episode_steps
        self.single_action_space = self._task.action_space
        self.single_observation_space = self._task.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._taken = np.zeros(num_envs, dtype=int)
        self._ended = np.ones(num_envs, dtype=bool)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[np.ndarray, Dict[str, Any]]:
        super().reset(seed=seed)
        self._begin(np.arange(self.num_envs))
        return self._task.observations(), {}

    def step(self, actions: np.ndarray) -> Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Dict[str, Any]]:
        actions = np.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise Error(f"the actions have the shape {actions.shape}; give {self.action_space.shape}")
        begins = np.flatnonzero(self._ended)
        self._task.act(actions)
        self._taken += 1
        rewards, terminated = self._task.rewards(actions), self._task.terminated()
        truncated = self._taken >= self.max_episode_steps
        # A world that had ended begins instead of taking a step.
        self._begin(begins)
        rewards[begins], terminated[begins], truncated[begins] = 0.0, False, False
        self._ended = terminated | truncated
        return self._task.observations(), rewards, terminated, truncated, {}

    def _begin(self, worlds: np.ndarray) -> None:
        if len(worlds):
            self._task.begin(worlds, self.np_random)
        self._taken[worlds], self._ended[worlds] = 0, False


class LocomotionEnv(gymnasium.Env):
    """One world in which a character is to go along the x axis.

    An observation is a row of positions without x and y, then a row of velocities. An action has a number from -1 to 1 for each degree of freedom of the joints: how far the
    PD target is turned from the rest pose, in units of `reach` rad. A decision takes `steps` steps of `timestep` s. The reward is the speed along the x axis in heights a second,
    plus 1, minus a tenth of the mean squared action. An episode ends where the centre of mass sinks below 60 % of its height at rest.
    """

    metadata: Dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        character: CharacterLike = "human",
        *,
        steps: int = 10,
        timestep: float = 0.002,
        reach: float = 1.0,
        max_episode_steps: int = 1000,
    ):
        self._task = _Task(1, character, 1, steps, timestep, reach)
        self.max_episode_steps = max_episode_steps
        self.action_space, self.observation_space = self._task.action_space, self._task.observation_space
        self._taken = 0

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[np.ndarray, Dict[str, Any]]:
        super().reset(seed=seed)
        self._task.begin(np.zeros(1, dtype=int), self.np_random)
        self._taken = 0
        return self._task.observations()[0], {}

    def step(self, action: np.ndarray) -> Tuple[np.ndarray, float, bool, bool, Dict[str, Any]]:
        actions = np.asarray(action)[None]
        if actions[0].shape != self.action_space.shape:
            raise Error(f"the action has the shape {actions[0].shape}; give {self.action_space.shape}")
        self._task.act(actions)
        self._taken += 1
        reward, terminated = float(self._task.rewards(actions)[0]), bool(self._task.terminated()[0])
        return self._task.observations()[0], reward, terminated, self._taken >= self.max_episode_steps, {}
