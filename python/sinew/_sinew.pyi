"""Types of what is written in Rust; the descriptions are in the docstrings of `sinew`."""

import os
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union, final

import numpy as np
import numpy.typing as npt

_StrPath = Union[str, "os.PathLike[str]"]
_Listener = Callable[["Progress"], Any]
_Floats32 = npt.NDArray[np.float32]
_Floats64 = npt.NDArray[np.float64]

VERSION: str

class Error(Exception):
    """Something could not be done; the message is one sentence that says what to change."""

@final
class Joint:
    """A joint and its place in rows of positions and velocities."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str:
        """What it lets its body do: "free", "planar", "fixed", "hinge", "ball" or "weld"."""
    @property
    def position_index(self) -> int: ...
    @property
    def position_count(self) -> int: ...
    @property
    def velocity_index(self) -> int: ...
    @property
    def velocity_count(self) -> int: ...
    @property
    def limits(self) -> Optional[List[float]]:
        """Limits of a hinge's angle, rad."""
    @property
    def torque_limit(self) -> Optional[float]:
        """Largest torque of its drive, N·m."""

@final
class Character:
    """A body that can be simulated: rigid bodies with shapes, joints with gains and limits."""

    @staticmethod
    def load(
        file: _StrPath,
        *,
        height: Optional[float] = None,
        mass: Optional[float] = None,
        clips: Sequence[str] = ...,
        motion: Sequence[_StrPath] = ...,
    ) -> Character:
        """Makes a character of a rigged file or an embedded one; reads one from TOML."""
    @classmethod
    def from_toml(cls, text: str) -> Character: ...
    @property
    def name(self) -> str: ...
    @property
    def mass(self) -> float:
        """Mass of all bodies, kg."""
    @property
    def height(self) -> float:
        """From the lowest to the highest point of its shapes in the rest pose, m."""
    @property
    def dof(self) -> int:
        """Degrees of freedom, the root's included: the length of a row of velocities."""
    @property
    def position_count(self) -> int:
        """The length of a row of positions."""
    @property
    def bodies(self) -> List[str]: ...
    @property
    def end_effectors(self) -> List[str]: ...
    @property
    def joints(self) -> List[Joint]: ...
    @property
    def rest(self) -> _Floats64:
        """Positions of the rest pose."""
    @property
    def notes(self) -> List[str]:
        """What was guessed and repaired when it was made."""
    @property
    def problems(self) -> List[str]:
        """What is wrong with it: it does not stand, for instance."""
    def to_toml(self) -> str: ...
    def save(self, path: _StrPath) -> None: ...
    def to_mjcf(self, *, timestep: float = 0.002) -> str: ...
    def export_mjcf(self, path: _StrPath, *, timestep: float = 0.002) -> None: ...
    def _repr_png_(self) -> bytes: ...

@final
class Batch:
    """Many worlds of one character; NumPy looks at their rows without a copy.

    While another thread steps the batch, leave the arrays alone: their numbers change without the lock of the interpreter.
    """

    def __new__(cls, character: Character, worlds: int, threads: int = 0, *, timestep: float = 0.002) -> Batch: ...
    @property
    def character(self) -> Character: ...
    @property
    def worlds(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def timestep(self) -> float: ...
    @property
    def positions(self) -> _Floats32:
        """Where the joints are: (worlds, position_count), read-only."""
    @property
    def velocities(self) -> _Floats32:
        """How fast they move: (worlds, dof), read-only."""
    @property
    def torques(self) -> _Floats32:
        """PD torques of the last step, N·m: (worlds, dof), read-only."""
    @property
    def observations(self) -> _Floats32:
        """Centre of mass, its velocity, end effectors, their velocities: (worlds, 6 + 6·n), read-only."""
    @property
    def conditions(self) -> npt.NDArray[np.uint8]:
        """0 runs, 2 diverged: (worlds, 1), read-only."""
    @property
    def targets(self) -> _Floats32:
        """PD targets of the next step: (worlds, position_count), to be written."""
    def step(self, steps: int = 1, *, path: str = "held") -> None:
        """Takes steps in all worlds; targets go "held", "ramped" or "followed"."""
    def reset(
        self,
        worlds: Optional[npt.ArrayLike] = None,
        positions: Optional[npt.ArrayLike] = None,
        velocities: Optional[npt.ArrayLike] = None,
    ) -> None:
        """Begins again in some worlds, in all by default, from the rest pose by default."""
    def push(self, world: int, body: str, force: Sequence[float], point: Optional[Sequence[float]] = None) -> None: ...
    def clear_forces(self, world: int) -> None: ...
    def set_gain(self, world: int, gain: float) -> None: ...
    def set_gravity(self, world: int, gravity: Sequence[float]) -> None: ...
    def status(self, world: int) -> str: ...
    def picture(self, world: int = 0) -> bytes: ...
    def __len__(self) -> int: ...

@final
class Progress:
    """How far long work is."""

    @property
    def doing(self) -> str: ...
    @property
    def share(self) -> float: ...
    @property
    def best(self) -> Optional[Tuple[str, float]]: ...
    @property
    def steps(self) -> int: ...
    @property
    def elapsed(self) -> float: ...
    @property
    def left(self) -> Optional[float]: ...
    @property
    def line(self) -> str: ...

@final
class Action:
    """What a character can be told to do."""

    @property
    def name(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def about(self) -> str: ...

@final
class Event:
    """What happened to a character in a frame."""

    @property
    def time(self) -> float: ...
    @property
    def what(self) -> str: ...
    @property
    def action(self) -> Optional[str]: ...

@final
class Package:
    """A character with all that it needs to be played."""

    @staticmethod
    def load(folder: _StrPath) -> Package: ...
    @property
    def name(self) -> str: ...
    @property
    def actions(self) -> List[Action]: ...
    @property
    def is_simulated(self) -> bool: ...

@final
class Player:
    """One character in a world of its own, with balls; a frame is 1/30 s."""

    def __new__(cls, package: Package, *, seed: int = 1, foresight: float = 3.5) -> Player: ...
    def step(
        self,
        *,
        stick: Optional[Sequence[float]] = None,
        target: Optional[Sequence[float]] = None,
        action: Optional[str] = None,
        push: Optional[Tuple[str, Sequence[float], float]] = None,
        ball: Optional[Sequence[float]] = None,
    ) -> List[Event]:
        """A frame of 1/30 s; returns what happened in it."""
    @property
    def position(self) -> _Floats64: ...
    @property
    def velocity(self) -> _Floats64: ...
    @property
    def body_positions(self) -> _Floats64: ...
    @property
    def body_orientations(self) -> _Floats64: ...
    @property
    def bodies(self) -> List[str]: ...
    @property
    def time(self) -> float: ...
    @property
    def action(self) -> Optional[str]: ...
    @property
    def is_limp(self) -> bool: ...
    @property
    def falls(self) -> int: ...
    @property
    def stand_ups(self) -> int: ...
    @property
    def hash(self) -> str: ...
    def _repr_png_(self) -> bytes: ...

@final
class Front:
    """A front that was found, whose jumps can be performed; `sinew.Front` is the one to use."""

    def figures(self) -> str: ...
    def samples(self) -> List[List[float]]: ...
    def perform(self, index: int) -> Tuple[Any, ...]: ...
    def jump_to(self, height: float) -> Tuple[Any, ...]: ...

def transfer(
    file: _StrPath,
    clip: Optional[str],
    *,
    preset: str,
    config: Optional[_StrPath],
    character: Optional[_StrPath],
    cycles: Optional[int],
    height: Optional[float],
    motion: Sequence[_StrPath],
    from_rest: bool,
    seed: int,
    threads: int,
    out: Optional[_StrPath],
    resume: bool,
    progress: Optional[_Listener],
) -> Tuple[str, str]: ...
def feedback(
    folder: _StrPath,
    *,
    preset: str,
    config: Optional[_StrPath],
    period: Optional[float],
    repetitions: Optional[int],
    seed: int,
    threads: int,
    resume: bool,
    progress: Optional[_Listener],
) -> Tuple[str, bytes]: ...
def pareto(
    *,
    budget: str,
    method: str,
    config: Optional[_StrPath],
    points: Optional[int],
    generations: Optional[int],
    start: Optional[_StrPath],
    seed: int,
    threads: int,
    out: _StrPath,
    resume: bool,
    progress: Optional[_Listener],
) -> Front: ...
