"""Characters that are played."""

import numpy as np
import pytest
import sinew


@pytest.fixture(scope="module")
def dinosaur():
    return sinew.Package.load("dinosaur")


def play(package, frames, **options):
    player = sinew.Player(package, foresight=0.0, **options)
    for frame in range(frames):
        player.step(stick=[1.0, 0.0], action=package.actions[0].name if frame == 20 else None)
    return player


def test_a_package_says_what_it_can(dinosaur):
    assert dinosaur.name == "dinosaur" and dinosaur.is_simulated
    assert all(action.name and action.key and action.about for action in dinosaur.actions)
    assert dinosaur.actions[0].name in repr(dinosaur)


def test_a_player_walks_and_shows_its_state(dinosaur):
    player = sinew.Player(dinosaur)
    start = player.position
    places = []
    for _ in range(150):
        player.step(stick=[1.0, 0.0])
        places.append(player.position)
    assert player.time == pytest.approx(5.0)
    # It has turned round by now.
    assert places[-1].shape == start.shape and places[-1][0] > places[-31][0] + 0.5
    assert player.velocity.any()
    assert player.body_positions.shape == (len(player.bodies), 3)
    lengths = np.linalg.norm(player.body_orientations, axis=1)
    assert lengths.shape == (len(player.bodies),) and np.allclose(lengths, 1.0, atol=1e-4)
    assert (player.falls, player.stand_ups, player.is_limp) == (0, 0, False)
    assert player._repr_png_().startswith(b"\x89PNG")


def test_the_same_inputs_give_the_same_bits(dinosaur):
    first, second, other = play(dinosaur, 45), play(dinosaur, 45), play(dinosaur, 45, seed=2)
    assert first.hash == second.hash != other.hash
    assert np.array_equal(first.position, second.position)


SCRIPT = """
seconds = 3.0
seed = 1
[[input]]
at = 0.0
stick = [1.0, 0.0]
[[input]]
at = 1.0
action = "Boxing"
"""


def test_the_program_plays_the_same(program, dinosaur, tmp_path):
    path = tmp_path / "moves.toml"
    path.write_text(SCRIPT)
    player = sinew.Player(dinosaur, seed=1)
    for frame in range(90):
        player.step(stick=[1.0, 0.0], action="Boxing" if frame == 30 else None)
    assert program("play", "dinosaur", "--script", path)["hash"] == player.hash


def test_actions_pushes_and_balls_do_something(dinosaur):
    player, events = sinew.Player(dinosaur, foresight=0.0), []
    name = dinosaur.actions[0].name
    for frame in range(90):
        events += player.step(action=name if frame == 5 else None)
    assert ("began", name) in [(event.what, event.action) for event in events]
    assert all(0.0 <= event.time <= 3.0 for event in events)

    plain, pushed, hit = (sinew.Player(dinosaur, foresight=0.0) for _ in range(3))
    for frame in range(20):
        plain.step()
        pushed.step(push=(pushed.bodies[0], [0.0, 300.0, 0.0], 0.2) if frame == 3 else None)
        hit.step(ball=[5.0, 9.0, 90.0] if frame == 3 else None)
    assert plain.hash != pushed.hash != hit.hash
    assert pushed.position[1] > plain.position[1]


def test_a_target_is_gone_to(dinosaur):
    player = sinew.Player(dinosaur)
    goal = player.position[:2] + [1.0, 0.5]
    before = np.linalg.norm(player.position[:2] - goal)
    for _ in range(75):
        player.step(target=list(goal))
    assert np.linalg.norm(player.position[:2] - goal) < 0.6 * before


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda player: player.step(stick=[1.0, float("nan")]), "finite"),
        (lambda player: player.step(target=[float("inf"), 0.0]), "finite"),
        (lambda player: player.step(stick=[1.0, 0.0], target=[1.0, 0.0]), "give one of them"),
        (lambda player: player.step(action="fly"), "there is no action"),
        (lambda player: player.step(push=("wing", [1.0, 0.0, 0.0], 0.1)), "there is no body"),
        (lambda player: player.step(push=(player.bodies[0], [1.0, 0.0, 0.0], float("nan"))), "finite"),
        (lambda player: player.step(ball=[5.0, float("nan"), 0.0]), "finite"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(dinosaur, call, sentence):
    player = sinew.Player(dinosaur, foresight=0.0)
    before = player.hash
    with pytest.raises(sinew.Error, match=sentence):
        call(player)
    assert player.hash == before
    player.step()


def test_packages_and_players_that_cannot_be(dinosaur, tmp_path):
    with pytest.raises(sinew.Error, match="no package of a character"):
        sinew.Package.load(tmp_path)
    with pytest.raises(sinew.Error, match="give 0 to"):
        sinew.Player(dinosaur, foresight=-1.0)
