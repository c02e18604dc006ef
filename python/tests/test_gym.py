"""Gymnasium's environments: its own checker, and both against each other."""

import numpy as np
import pytest
import sinew

gymnasium = pytest.importorskip("gymnasium")
import sinew.gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import SyncVectorEnv  # noqa: E402


@pytest.fixture(scope="module")
def human():
    return sinew.Character.load("human", clips=["walk"])


@pytest.mark.filterwarnings("ignore:.*infinity.*", "ignore:.*render.*", "ignore:.*spec.*")
def test_gymnasiums_checker_passes(human):
    check_env(sinew.gym.LocomotionEnv(human))


def test_many_worlds_are_spaced_as_gymnasiums_own(human):
    ours = sinew.gym.LocomotionVectorEnv(3, human, threads=1)
    theirs = SyncVectorEnv([lambda: sinew.gym.LocomotionEnv(human)] * 3)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    ours.action_space.seed(7)
    for env in (ours, theirs):
        observations, _ = env.reset(seed=3)
        assert observations in env.observation_space
    actions = ours.action_space.sample()
    for mine, other in zip(ours.step(actions)[:4], theirs.step(actions)[:4]):
        assert mine.shape == other.shape and mine.dtype == other.dtype


def test_a_world_among_many_does_as_one_alone(human):
    one, many = sinew.gym.LocomotionEnv(human), sinew.gym.LocomotionVectorEnv(1, human)
    assert np.array_equal(one.reset(seed=5)[0], many.reset(seed=5)[0][0])
    one.action_space.seed(1)
    ended = 0
    for _ in range(150):
        action = one.action_space.sample()
        observation, reward, terminated, truncated, _ = one.step(action)
        observations, rewards, terminations, truncations, _ = many.step(action[None])
        assert np.array_equal(observation, observations[0]) and reward == rewards[0]
        assert (terminated, truncated) == (terminations[0], truncations[0])
        if terminated:
            ended += 1
            before = many.step(action[None])
            assert before[1][0] == 0.0 and not before[2][0]
            assert np.array_equal(one.reset()[0], before[0][0])
    assert ended >= 1, "random actions make it fall"


def test_standing_still_is_worth_more_than_falling_and_time_ends(human):
    env = sinew.gym.LocomotionVectorEnv(4, human, max_episode_steps=30)
    env.reset(seed=0)
    returns = np.zeros(4)
    for step in range(30):
        _, rewards, terminated, truncated, _ = env.step(np.zeros(env.action_space.shape, np.float32))
        returns += rewards
        assert truncated.all() == (step == 29) and not terminated.any()
    assert (returns > 20).all()
    observations, rewards, _, truncated, _ = env.step(np.zeros(env.action_space.shape, np.float32))
    assert not rewards.any() and not truncated.any() and abs(observations[:, 0] - env._task.rest[2]).max() < 0.02


def test_what_is_returned_is_not_used_again(human):
    env = sinew.gym.LocomotionVectorEnv(2, human)
    first, _ = env.reset(seed=0)
    kept = first.copy()
    env.step(env.action_space.sample())
    assert np.array_equal(first, kept)


def test_what_cannot_be_done_is_said_in_a_sentence(human):
    env = sinew.gym.LocomotionVectorEnv(2, human)
    env.reset(seed=0)
    with pytest.raises(sinew.Error, match="the actions have the shape"):
        env.step(np.zeros(3))
    with pytest.raises(sinew.Error, match="at least 1"):
        sinew.gym.LocomotionEnv(human, steps=0)
