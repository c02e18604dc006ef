"""Transfers, policies and fronts: results, progress, Ctrl-C, checkpoints, errors."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import sinew

# A search of moments: what is tested is not how well it finds.
SETTINGS = 'starts = 2\nsamples = 8\npopulation = 7\niterations = 5\npolish = "none"\n'


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    path = tmp_path_factory.mktemp("settings") / "moments.toml"
    path.write_text(SETTINGS)
    return path


def jump(settings, folder, **more):
    return sinew.transfer("human", "jump", preset="quick", config=settings, seed=5, out=folder, **more)


@pytest.fixture(scope="module")
def transferred(settings, tmp_path_factory):
    heard = []
    folder = tmp_path_factory.mktemp("transfer") / "jump"
    return jump(settings, folder, progress=heard.append), heard


def test_a_transfer_is_figures_arrays_files_and_a_film(transferred):
    result, heard = transferred
    assert (result.character, result.clip) == ("human", "jump")
    assert result.verdict in ("faithful", "loose", "failed") and len(result.sentence) > 10
    rows = len(result.motion.time)
    character = sinew.Character.load(result.folder / "character.toml")
    assert result.motion.positions.shape == (rows, character.position_count)
    assert result.motion.velocities.shape == (rows, character.dof)
    assert result.motion.torques.shape == result.motion.targets.shape == result.motion.controls.shape
    assert result.motion.duration == pytest.approx(result.figures["duration_secs"], abs=0.03)
    assert result._repr_png_() == (result.folder / "simulated.png").read_bytes()
    assert result.film.startswith(b"\x89PNG")
    assert (result.folder / "simulated.glb").exists() and not (result.folder / "checkpoint.bin").exists()
    assert heard[0].doing == "reading and modelling" and heard[-1].doing == "drawing and writing"
    shares = [progress.share for progress in heard[1:-1]]
    assert len(shares) > 3 and shares[0] < shares[-1] and heard[-2].steps > 1000
    assert str(heard[1]) == heard[1].line and "%" in repr(heard[1])


def test_the_program_finds_the_same(program, transferred, settings, tmp_path):
    arguments = ("--clip", "jump", "--preset", "quick", "--config", settings, "--seed", 5, "--out", tmp_path / "jump")
    assert program("transfer", "human", *arguments)["hash"] == transferred[0].figures["hash"]


def test_a_transfer_is_read_again_from_its_folder(transferred):
    result, _ = transferred
    again = sinew.Transfer.load(result.folder)
    assert (again.verdict, again.sentence, again.completed) == (result.verdict, result.sentence, result.completed)
    assert (again.character, again.clip) == (result.character, result.clip)
    assert np.array_equal(again.motion.positions, result.motion.positions)


def test_an_exception_of_the_listener_stops_and_resuming_ends_in_the_same_bytes(transferred, settings, tmp_path):
    class Enough(Exception):
        pass

    def listen(progress):
        if progress.share > 0.3:
            raise Enough(progress.doing)

    with pytest.raises(Enough):
        jump(settings, tmp_path, progress=listen)
    assert (tmp_path / "checkpoint.bin").exists() and not (tmp_path / "summary.json").exists()
    with pytest.raises(sinew.Error, match="seed"):
        sinew.transfer("human", "jump", preset="quick", config=settings, seed=6, out=tmp_path, resume=True)
    shares = []
    again = jump(settings, tmp_path, resume=True, threads=1, progress=lambda progress: shares.append(progress.share))
    assert max(shares[1:2]) > 0.2, "it began where it was stopped"
    assert again.figures["hash"] == transferred[0].figures["hash"]
    assert np.array_equal(again.motion.positions, transferred[0].motion.positions)


# Without a listener, in which Python would look for signals by itself.
CTRL_C = """
import signal, sys, sinew
# A shell that starts its work in the background lets it ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    sinew.transfer("human", "jump", preset="default", out=sys.argv[1], threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_a_transfer_within_seconds_and_leaves_a_checkpoint(tmp_path):
    folder = tmp_path / "jump"
    child = subprocess.Popen([sys.executable, "-c", CTRL_C, folder], stdout=subprocess.PIPE, text=True)
    while not (folder / "checkpoint.bin").exists() and child.poll() is None:
        time.sleep(0.05)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    output, _ = child.communicate(timeout=60)
    assert output.splitlines()[-1] == "interrupted" and child.returncode == 0
    assert time.monotonic() - began < 20
    assert (folder / "checkpoint.bin").exists() and not (folder / "summary.json").exists()


def test_python_goes_on_while_a_transfer_searches(settings, tmp_path):
    counted, done = 0, threading.Event()
    work = threading.Thread(target=lambda: (jump(settings, tmp_path / "jump"), done.set()))
    work.start()
    while work.is_alive():
        counted += 1
        time.sleep(0.001)
    assert done.is_set() and counted > 100


@pytest.fixture(scope="module")
def front(tmp_path_factory):
    return sinew.pareto(generations=6, points=4, out=tmp_path_factory.mktemp("pareto") / "jumps", threads=2)


def test_a_front_is_arrays_and_its_jumps_are_performed(front):
    assert len(front) == len(front.heights) == len(front.efforts) and len(front) >= 1
    assert (np.diff(front.heights) >= 0).all() and front.parameters.shape == (len(front), 34)
    assert front.samples.shape[1] == 5 and len(front.samples) > len(front)
    assert front._repr_png_().startswith(b"\x89PNG") and front.hypervolume > 0
    highest = front.perform(-1)
    assert highest.height == pytest.approx(front.heights[-1]) and highest.film.startswith(b"\x89PNG")
    assert highest.positions.shape[0] == len(highest.time) == len(highest.velocities)
    assert front.perform(len(front) - 1).height == highest.height
    assert front.jump_to(float(front.heights[0])).height == pytest.approx(front.heights[0], abs=0.02)
    for index in (len(front), -len(front) - 1):
        with pytest.raises(sinew.Error, match="there is no jump"):
            front.perform(index)
    with pytest.raises(sinew.Error, match="height"):
        front.jump_to(float("nan"))


def test_a_front_is_the_same_on_other_threads(front, tmp_path):
    again = sinew.pareto(generations=6, points=4, out=tmp_path / "jumps", threads=1)
    assert np.array_equal(again.parameters, front.parameters) and np.array_equal(again.samples, front.samples)


TINY = "population = 6\niterations = 4\nstages = [1, 2]\ntries = 2\ntry_stages = 1\ntracking = \"none\"\n[trouble]\nruns = 1\n"


def test_feedback_repeats_a_cycle(settings, tmp_path):
    walk = sinew.transfer("dinosaur", "walk", cycles=2, preset="quick", config=settings, out=tmp_path / "walk")
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    policy = sinew.feedback(walk, config=path, repetitions=6)
    assert policy.tested == 6 and 0 <= policy.repetitions <= 6 and policy.folder == walk.folder
    assert 0.2 < policy.period < 60 and policy.policy and len(policy.pushes) == 8
    assert {push.direction for push in policy.pushes} >= {0.0, 90.0}
    assert policy.motion.positions.shape[1] == walk.motion.positions.shape[1]
    assert policy._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda out: sinew.transfer("no/such.glb", out=out), "no/such.glb"),
        (lambda out: sinew.transfer("human", "swim", out=out), "swim"),
        (lambda out: sinew.transfer("human", out=out), "clip"),
        (lambda out: sinew.transfer("human", "jump", preset="slow", out=out), "choose paper, default or quick"),
        (lambda out: sinew.transfer("human", "jump", cycles=0, out=out), "cycle"),
        (lambda out: sinew.transfer("human", "jump", config="no.toml", out=out), "no.toml"),
        (lambda out: sinew.transfer("human", "jump", threads=99999, out=out), "threads"),
        (lambda out: sinew.transfer("hero.toml", "jump", out=out), "give the rigged file first"),
        (lambda out: sinew.transfer("human", "jump", character="no.toml", out=out), "no.toml"),
        (lambda out: sinew.feedback(out), "controls.json"),
        (lambda out: sinew.feedback(out, preset="quick"), "choose paper or default"),
        (lambda out: sinew.feedback(out, repetitions=0), "0 repetitions are asked for"),
        (lambda out: sinew.pareto(method="greedy", out=out), "choose rmoo or bsoo"),
        (lambda out: sinew.pareto(points=0, out=out), "points"),
        (lambda out: sinew.Transfer.load(out), "controls.json cannot be read"),
        (lambda out: sinew.Motion.load(out / "trajectory.npz"), "trajectory.npz"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(call, sentence, tmp_path: pathlib.Path):
    with pytest.raises(sinew.Error, match=sentence):
        call(tmp_path / "out")
