"""Batches: views, steps, resets, threads, errors."""

import gc
import multiprocessing
import threading
import weakref

import numpy as np
import pytest
import sinew

WORLDS = 37


@pytest.fixture(scope="module")
def dinosaur():
    return sinew.Character.load("dinosaur", clips=["walk"])


def bend(batch):
    """Every world has targets of its own."""
    hinge = next(joint for joint in batch.character.joints if joint.kind == "hinge")
    batch.targets[:, hinge.position_index] += np.linspace(-0.3, 0.3, len(batch), dtype=np.float32)


def test_views_have_a_row_for_each_world_and_show_the_rest_pose(dinosaur):
    batch = sinew.Batch(dinosaur, WORLDS, threads=1)
    assert batch.positions.shape == batch.targets.shape == (WORLDS, dinosaur.position_count)
    assert batch.velocities.shape == batch.torques.shape == (WORLDS, dinosaur.dof)
    assert batch.observations.shape == (WORLDS, 6 + 6 * len(dinosaur.end_effectors))
    assert batch.conditions.shape == (WORLDS, 1) and not batch.conditions.any()
    assert np.array_equal(batch.positions, np.tile(dinosaur.rest.astype(np.float32), (WORLDS, 1)))
    assert np.array_equal(batch.positions, batch.targets) and not batch.velocities.any()
    assert (len(batch), batch.worlds, batch.threads, batch.timestep) == (WORLDS, WORLDS, 1, 0.002)
    assert batch.character.name == "dinosaur"


def test_views_are_no_copies_and_follow_every_step(dinosaur):
    batch = sinew.Batch(dinosaur, WORLDS, threads=1)
    positions, velocities = batch.positions, batch.velocities
    assert np.shares_memory(positions, batch.positions)
    before = positions.copy()
    bend(batch)
    batch.step(5)
    assert not np.array_equal(before, positions) and velocities.any() and batch.torques.any()
    assert np.array_equal(positions, batch.positions)


def test_a_view_keeps_the_batch_alive(dinosaur):
    batch = sinew.Batch(dinosaur, WORLDS, threads=2)
    bend(batch)
    batch.step(3)
    row, expected = batch.positions[WORLDS - 1], batch.positions[WORLDS - 1].copy()
    part = batch.targets[3:5, 2:4]
    owner = row
    while isinstance(owner, np.ndarray):
        owner = owner.base
    assert owner is batch
    del owner, batch
    gc.collect()
    # Memory that was freed would be used by these.
    others = [sinew.Batch(dinosaur, WORLDS, threads=1) for _ in range(8)]
    assert np.array_equal(row, expected) and part.shape == (2, 2)
    del others, row, part


def test_a_batch_that_nobody_looks_at_goes_away(dinosaur):
    batch = sinew.Batch(dinosaur, 1, threads=1)
    view = batch.positions
    died = []
    weakref.finalize(view, died.append, True)
    del view, batch
    gc.collect()
    assert died == [True]


def test_what_is_read_cannot_be_written(dinosaur):
    batch = sinew.Batch(dinosaur, 2, threads=1)
    for name in ("positions", "velocities", "torques", "observations", "conditions"):
        view = getattr(batch, name)
        with pytest.raises(ValueError):
            view[0, 0] = 1
        with pytest.raises(ValueError):
            view.flags.writeable = True
        with pytest.raises(AttributeError):
            setattr(batch, name, view)
    with pytest.raises(ValueError):
        batch.targets.resize((1, 1), refcheck=False)


def test_the_same_targets_give_the_same_bits_on_all_threads_and_in_one_step_or_many(dinosaur):
    seen = []
    for threads, parts in ((1, (40,)), (2, (40,)), (0, (13, 27)), (3, (1,) * 40)):
        batch = sinew.Batch(dinosaur, WORLDS, threads=threads)
        bend(batch)
        for steps in parts:
            batch.step(steps)
        seen.append([batch.positions.copy(), batch.velocities.copy(), batch.torques.copy(), batch.observations.copy()])
    for other in seen[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(seen[0], other))
    assert len(np.unique(seen[0][0], axis=0)) == WORLDS


def test_paths_of_targets_differ(dinosaur):
    ends = []
    for path in ("held", "ramped", "followed"):
        batch = sinew.Batch(dinosaur, 2, threads=1)
        bend(batch)
        batch.step(20, path=path)
        ends.append(batch.positions[0].copy())
    assert not np.array_equal(ends[0], ends[1]) and not np.array_equal(ends[1], ends[2])


def test_a_reset_begins_again_in_the_worlds_that_are_meant(dinosaur):
    batch = sinew.Batch(dinosaur, WORLDS, threads=2)
    start = batch.positions.copy()
    bend(batch)
    batch.step(20)
    moved = batch.positions.copy()
    batch.reset([3, 1])
    assert np.array_equal(batch.positions[[1, 3]], start[[1, 3]]) and not batch.velocities[[1, 3]].any()
    assert np.array_equal(batch.targets[[1, 3]], start[[1, 3]])
    others = np.setdiff1d(np.arange(WORLDS), [1, 3])
    assert np.array_equal(batch.positions[others], moved[others])

    raised = start[0].copy()
    raised[2] += 0.5
    mask = np.arange(WORLDS) % 2 == 0
    batch.reset(mask, raised, np.full(dinosaur.dof, 0.25))
    assert np.array_equal(batch.positions[mask], np.tile(raised, (mask.sum(), 1))) and (batch.velocities[mask] == 0.25).all()
    assert batch.observations[0, 2] == pytest.approx(batch.observations[1, 2] + 0.5, abs=0.2)

    batch.reset()
    assert np.array_equal(batch.positions, start)
    batch.reset([])
    batch.reset(np.zeros(WORLDS, dtype=bool))
    batch.reset(5, start[5] * 2.0)
    # Quaternions are normalised.
    assert np.linalg.norm(batch.positions[5, 3:7]) == pytest.approx(1.0, abs=1e-6)


def test_worlds_are_pushed_float_and_go_limp(dinosaur):
    batch = sinew.Batch(dinosaur, 4, threads=1)
    batch.push(1, dinosaur.bodies[0], [0.0, 400.0, 0.0])
    batch.set_gravity(2, [0.0, 0.0, 0.0])
    batch.set_gain(3, 0.0)
    batch.step(50)
    centers = batch.observations
    assert centers[1, 4] > centers[0, 4] + 0.05
    assert not np.array_equal(batch.positions[0], batch.positions[2])
    assert not batch.torques[3].any() and batch.torques[0].any()
    batch.clear_forces(1)
    assert batch.picture(1).startswith(b"\x89PNG")
    assert batch.status(0) == "running"


def test_a_world_whose_numbers_leave_all_reason_is_told_and_others_go_on(dinosaur):
    batch = sinew.Batch(dinosaur, 5, threads=1)
    batch.targets[2] = np.nan
    batch.step(20)
    assert batch.conditions[:, 0].tolist() == [0, 0, 2, 0, 0]
    assert "diverged at" in batch.status(2)
    assert np.isfinite(batch.positions).all()
    batch.reset(2)
    batch.step(20)
    assert not batch.conditions.any()


def test_other_threads_of_python_run_while_worlds_step(dinosaur):
    batch = sinew.Batch(dinosaur, 256, threads=1)
    errors, counted = [], 0
    steps = threading.Thread(target=lambda: batch.step(400))
    steps.start()
    while steps.is_alive():
        counted += 1
        try:
            batch.status(0)
        except sinew.Error as error:
            errors.append(str(error))
    steps.join()
    assert counted > 1000
    assert errors and all("another thread steps this batch" in error for error in errors)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda batch: batch.step(0), "give it at least 1"),
        (lambda batch: batch.step(path="jumped"), "choose held, ramped or followed"),
        (lambda batch: batch.reset([0, 0]), "name it once"),
        (lambda batch: batch.reset([4]), "there is no world 4"),
        (lambda batch: batch.reset([-1]), "there is no world -1"),
        (lambda batch: batch.reset([0.5]), "by their numbers"),
        (lambda batch: batch.reset([[0, 1]]), "not by a table"),
        (lambda batch: batch.reset([True]), "give one for each"),
        (lambda batch: batch.reset([0], [1.0, 2.0]), "give 1 rows of"),
        (lambda batch: batch.reset([0], "many"), "positions does not fit"),
        (lambda batch: batch.reset([0], None, np.zeros((2, 3))), "velocities does not fit"),
        (lambda batch: batch.push(0, "wing", [0.0, 0.0, 1.0]), "there is no body"),
        (lambda batch: batch.push(9, batch.character.bodies[0], [0.0, 0.0, 1.0]), "there is no world 9"),
        (lambda batch: batch.push(0, batch.character.bodies[0], [0.0, 0.0, np.inf]), "finite"),
        (lambda batch: batch.set_gain(0, np.nan), "finite"),
        (lambda batch: batch.picture(4), "there is no world 4"),
        (lambda batch: batch.status(4), "there is no world 4"),
        (lambda batch: sinew.Batch(batch.character, 0), "from 1 to"),
        (lambda batch: sinew.Batch(batch.character, 1 << 40), "from 1 to"),
        (lambda batch: sinew.Batch(batch.character, 1, timestep=-0.1), "step"),
        (lambda batch: sinew.Batch(batch.character, 1, timestep=float("nan")), "step"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(dinosaur, call, sentence):
    batch = sinew.Batch(dinosaur, 4, threads=1)
    before = batch.positions.copy()
    with pytest.raises(sinew.Error, match=sentence):
        call(batch)
    assert np.array_equal(batch.positions, before)


def in_child(batch):
    """A child that was forked is told that the batch is not its own, and makes another."""
    try:
        batch.step()
    except sinew.Error as error:
        assert "before this process was forked" in str(error)
    else:
        raise AssertionError("it stepped threads that are not there")
    own = sinew.Batch(batch.character, len(batch), threads=2)
    own.step(5)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_makes_batches_of_its_own(dinosaur):
    batch = sinew.Batch(dinosaur, WORLDS, threads=2)
    batch.step()
    child = multiprocessing.get_context("fork").Process(target=in_child, args=(batch,))
    child.start()
    child.join(60)
    assert child.exitcode == 0


def test_numbers_that_are_none_stop_only_their_world(dinosaur):
    batch = sinew.Batch(dinosaur, 3, threads=1)
    batch.reset(1, np.full(dinosaur.position_count, np.nan))
    batch.step(3)
    assert batch.conditions[:, 0].tolist() == [0, 2, 0]
    batch.reset(1)
    batch.step(3)
    assert not batch.conditions.any() and np.isfinite(batch.positions).all()
