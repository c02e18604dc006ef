"""Transfers, policies and fronts of jumps: the functions that make them, and what comes of them."""

from __future__ import annotations

import io
import json
import os
import pathlib
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _sinew
from ._sinew import Error, Progress

StrPath = Union[str, "os.PathLike[str]"]
Listener = Callable[[Progress], Any]


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion with a row for each moment, in MuJoCo's convention."""

    time: np.ndarray
    """Times, s: (T,)."""
    positions: np.ndarray
    """Where the joints are: (T, position_count)."""
    velocities: np.ndarray
    """How fast they move: (T, dof)."""
    targets: np.ndarray
    """PD targets of the driven joints, a ball's as a rotation vector: (T, n)."""
    torques: np.ndarray
    """PD torques of the driven joints, N·m: (T, n)."""
    controls: np.ndarray
    """Controls of the actuators in character.mjcf; row i leads from row i - 1 to row i: (T, n)."""

    @staticmethod
    def load(file: Union[StrPath, io.BytesIO]) -> "Motion":
        """Reads a motion from an NPZ file, such as the trajectory.npz of a transfer."""
        try:
            with np.load(file, allow_pickle=False) as arrays:
                names = ("time", "qpos", "qvel", "target", "torque", "ctrl")
                return Motion(*(arrays[name] for name in names))
        except (OSError, ValueError, KeyError) as error:
            raise Error(f"{file}: no motion can be read ({error}); name the trajectory.npz of a transfer") from error

    @property
    def duration(self) -> float:
        """Its length, s."""
        return float(self.time[-1] - self.time[0])

    def __repr__(self) -> str:
        return f"<sinew.Motion of {len(self.time)} moments, {self.duration:.2f} s>"


@dataclass(frozen=True, eq=False)
class Transfer:
    """A clip that the simulated character performs, as `transfer` leaves it in a folder."""

    folder: pathlib.Path
    """Where its files are: report.html, simulated.glb, trajectory.npz, character.toml and others."""
    character: str
    """Name of the character."""
    clip: str
    """Name of the clip."""
    verdict: str
    """What a person would say of the motion: "faithful", "loose" or "failed"."""
    sentence: str
    """The same in one sentence, with the worst moment and why."""
    completed: bool
    """Whether the character did not fall."""
    motion: Motion
    """Every step of it."""
    figures: Dict[str, Any] = field(repr=False)
    """All figures: what `sinew transfer --json` prints, or summary.json holds where it was loaded."""

    @staticmethod
    def load(folder: StrPath) -> "Transfer":
        """Reads a transfer from the folder that it was written to."""
        path = pathlib.Path(folder)
        controls = _json(path / "controls.json")
        return _transfer(path, {**_json(path / "summary.json"), "character": controls["character"], "clip": controls["clip"]})

    @property
    def film(self) -> bytes:
        """The simulation as a film strip: the bytes of a PNG."""
        return _bytes(self.folder / "simulated.png")

    def _repr_png_(self) -> bytes:
        return self.film


@dataclass(frozen=True)
class PushLimit:
    """The largest pushes that are survived in a direction."""

    direction: float
    """Towards where is pushed, degrees: 0 forwards, 90 to the left."""
    without: float
    """Without feedback, N."""
    feedback: float
    """With feedback, N."""
    limited_by: str
    """What ended the next larger push, in one sentence."""


@dataclass(frozen=True, eq=False)
class Feedback:
    """A policy that repeats a transferred cycle, as `feedback` leaves it in the transfer's folder."""

    folder: pathlib.Path
    """Where its files are: policy.json, feedback.json, feedback.html."""
    period: float
    """Length of the cycle, s."""
    repetitions: int
    """Whole cycles before the fall with feedback, at most `tested`."""
    repetitions_without: int
    """Whole cycles before the fall without feedback."""
    tested: int
    """Repetitions that were asked for."""
    pushes: List[PushLimit]
    """Largest pushes survived, for each direction."""
    motion: Motion = field(repr=False)
    """The cycle repeated under the policy: a row for each frame."""
    policy: Dict[str, Any] = field(repr=False)
    """The policy, as policy.json holds it."""
    figures: Dict[str, Any] = field(repr=False)
    """All figures, as `sinew feedback --json` prints them."""

    @property
    def film(self) -> bytes:
        """The last cycles as a film strip: the bytes of a PNG."""
        return _bytes(self.folder / "feedback.png")

    def _repr_png_(self) -> bytes:
        return self.film


@dataclass(frozen=True, eq=False)
class Jump:
    """A jump that was performed; a row for each moment."""

    height: float
    """Greatest height of the top of the head, m."""
    time: np.ndarray
    """Times, s: (T,)."""
    positions: np.ndarray
    """Where the joints are: (T, n)."""
    velocities: np.ndarray
    """How fast they move: (T, m)."""
    film: bytes = field(repr=False)
    """A film strip: the bytes of a PNG."""

    def _repr_png_(self) -> bytes:
        return self.film

    def __repr__(self) -> str:
        return f"<sinew.Jump to {self.height:.2f} m, {len(self.time)} moments>"


@dataclass(frozen=True, eq=False)
class Front:
    """Jumps none of which is better than another in effort and height, the lowest first: a number for each."""

    folder: pathlib.Path
    """Where its files are: front.html, front.json, samples.csv, controllers/NN.toml."""
    heights: np.ndarray
    """Greatest height of the top of the head, m."""
    efforts: np.ndarray
    """What a jump costs, without the help."""
    help: np.ndarray
    """What the help from outside costs; 0 for a natural jump."""
    flights: np.ndarray
    """Time in the air, s."""
    landings: np.ndarray
    """Where they land, from where they began, m."""
    parameters: np.ndarray
    """Their controllers: (jumps, 34)."""
    samples: np.ndarray
    """Every jump that was tried: height, effort, help, landing, and 1 where it failed: (tried, 5)."""
    hypervolume: float
    """How much of the plane of effort and height the front dominates."""
    _found: Any = field(repr=False)

    def perform(self, index: int) -> Jump:
        """Performs a jump of the front; a negative index counts from the highest."""
        count = len(self.heights)
        return _jump(self._found.perform(index % count if -count <= index < count else abs(index)))

    def jump_to(self, height: float) -> Jump:
        """Performs the jump whose head reaches a height, in m: one of the front, or one between two of them."""
        return _jump(self._found.jump_to(height))

    @property
    def film(self) -> bytes:
        """Four jumps of the front as a film strip: the bytes of a PNG."""
        return _bytes(self.folder / "jumps.png")

    def _repr_png_(self) -> bytes:
        return self.film

    def __len__(self) -> int:
        return len(self.heights)

    def __repr__(self) -> str:
        low, high = self.heights[0], self.heights[-1]
        return f"<sinew.Front of {len(self)} jumps, {low:.2f} to {high:.2f} m>"


def transfer(
    file: StrPath,
    clip: Optional[str] = None,
    *,
    preset: str = "default",
    config: Optional[StrPath] = None,
    character: Optional[StrPath] = None,
    cycles: Optional[int] = None,
    height: Optional[float] = None,
    motion: Sequence[StrPath] = (),
    from_rest: bool = False,
    seed: int = 0,
    threads: int = 0,
    out: Optional[StrPath] = None,
    resume: bool = False,
    progress: Optional[Listener] = None,
) -> Transfer:
    """Transfers a clip to a motion that the simulated character performs, and writes everything about it.

    `file` is a rigged file or "dinosaur", "human", "quadruped"; `clip` may be left out where there is only one. `preset` is "default", "quick" or "paper"; `config` is a
    file of settings on top of it, as `sinew transfer --print-config` writes it. `character` is a TOML file that was made of the rig before. `cycles` repeats the clip,
    `motion` adds clips of other files, `from_rest` starts standing still. `out` is the folder of the result, by default sinew-out/FILE-CLIP.

    `progress` is called after every piece of work. Ctrl-C, or an exception that `progress` raises, stops the work and leaves a checkpoint in the folder; the same call with
    `resume=True` goes on there and ends in the same bytes. The number of threads changes nothing.
    """
    folder, summary = _sinew.transfer(
        os.fspath(file),
        clip,
        preset=preset,
        config=_path(config),
        character=_path(character),
        cycles=cycles,
        height=height,
        motion=[os.fspath(path) for path in motion],
        from_rest=from_rest,
        seed=seed,
        threads=threads,
        out=_path(out),
        resume=resume,
        progress=progress,
    )
    return _transfer(pathlib.Path(folder), json.loads(summary))


def feedback(
    folder: Union[Transfer, StrPath],
    *,
    preset: str = "default",
    config: Optional[StrPath] = None,
    period: Optional[float] = None,
    repetitions: Optional[int] = None,
    seed: int = 0,
    threads: int = 0,
    resume: bool = False,
    progress: Optional[Listener] = None,
) -> Feedback:
    """Trains a policy that repeats the cycle of a transferred motion and keeps the balance; writes it into the folder of the transfer.

    `preset` is "default" or "paper"; `period` is the length of a cycle in s, which is found where it is left out; `repetitions`
    is how many cycles in a row the policy is tested with. Progress, Ctrl-C and `resume` are as in `transfer`.
    """
    path = folder.folder if isinstance(folder, Transfer) else pathlib.Path(folder)
    figures, npz = _sinew.feedback(
        os.fspath(path),
        preset=preset,
        config=_path(config),
        period=period,
        repetitions=repetitions,
        seed=seed,
        threads=threads,
        resume=resume,
        progress=progress,
    )
    found = json.loads(figures)
    pushes = [
        PushLimit(push["direction_deg"], push["newtons_open_loop"], push["newtons_feedback"], push.get("limited_by", ""))
        for push in found["pushes"]
    ]
    return Feedback(
        folder=path,
        period=found["period_secs"],
        repetitions=found["repetitions_feedback"],
        repetitions_without=found["repetitions_open_loop"],
        tested=found["tested_repetitions"],
        pushes=pushes,
        motion=Motion.load(io.BytesIO(npz)),
        policy=_json(path / "policy.json"),
        figures=found,
    )


def pareto(
    *,
    budget: str = "default",
    method: str = "rmoo",
    config: Optional[StrPath] = None,
    points: Optional[int] = None,
    generations: Optional[int] = None,
    start: Optional[StrPath] = None,
    seed: int = 0,
    threads: int = 0,
    out: StrPath = "sinew-out/jumps",
    resume: bool = False,
    progress: Optional[Listener] = None,
) -> Front:
    """Searches for jumps from a hop to beyond what a human can, each with the least effort for its height.

    `budget` is "default" or "paper", `method` "rmoo" or "bsoo"; `points` is how many jumps the front has, `generations` overrules the budget's. `start` is the folder of a
    transferred jump to begin with. Progress, Ctrl-C and `resume` are as in `transfer`.
    """
    found = _sinew.pareto(
        budget=budget,
        method=method,
        config=_path(config),
        points=points,
        generations=generations,
        start=_path(start),
        seed=seed,
        threads=threads,
        out=os.fspath(out),
        resume=resume,
        progress=progress,
    )
    figures = json.loads(found.figures())
    jumps = figures["points"]

    def column(name: str) -> np.ndarray:
        return np.array([jump[name] for jump in jumps])

    return Front(
        folder=pathlib.Path(out),
        heights=column("height"),
        efforts=column("effort"),
        help=column("assist"),
        flights=column("flight_secs"),
        landings=column("landing"),
        parameters=column("parameters"),
        samples=np.array(found.samples()).reshape(-1, 5),
        hypervolume=figures["hypervolume"],
        _found=found,
    )


def _path(path: Optional[StrPath]) -> Optional[str]:
    return None if path is None else os.fspath(path)


def _bytes(path: pathlib.Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Error(f"{path} cannot be read ({error.strerror}); name the folder of a result") from error


def _json(path: pathlib.Path) -> Dict[str, Any]:
    try:
        return json.loads(_bytes(path))
    except ValueError as error:
        raise Error(f"{path} is damaged ({error}); make the result again") from error


def _transfer(folder: pathlib.Path, figures: Dict[str, Any]) -> Transfer:
    return Transfer(
        folder=folder,
        character=figures["character"],
        clip=figures["clip"],
        verdict=figures["verdict"],
        sentence=figures["verdict_sentence"],
        completed=figures["completed"],
        motion=Motion.load(folder / "trajectory.npz"),
        figures=figures,
    )


def _jump(performed: Tuple[Any, ...]) -> Jump:
    times, positions, velocities, height, film = performed
    return Jump(height, np.array(times), np.array(positions), np.array(velocities), film)
