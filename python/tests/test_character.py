"""Characters: loading, properties, files, errors."""

import pathlib
import pickle

import numpy as np
import pytest
import sinew


@pytest.fixture(scope="module")
def human():
    return sinew.Character.load("human", clips=["walk"])


def test_it_has_the_figures_of_the_compiled_character(human):
    assert human.name == "human"
    assert 40 < human.mass < 150 and 1.5 < human.height < 2.1
    assert human.dof == sum(joint.velocity_count for joint in human.joints)
    assert human.position_count == sum(joint.position_count for joint in human.joints) == len(human.rest)
    assert len(set(human.bodies)) == len(human.bodies) > 10
    assert human.joints[0].kind == "free" and {joint.kind for joint in human.joints} <= {"free", "ball", "hinge", "fixed", "weld"}
    assert human.problems == [] and any("human" in note or len(note) > 10 for note in human.notes)
    assert f"{human.mass:.1f} kg" in repr(human)
    assert human._repr_png_().startswith(b"\x89PNG")


def test_height_and_mass_are_as_asked_for():
    small = sinew.Character.load("human", height=0.9, mass=12.5, clips=["walk"])
    assert small.height == pytest.approx(0.9, rel=0.08)
    assert small.mass == pytest.approx(12.5)


def test_toml_gives_the_same_character_back(human, tmp_path: pathlib.Path):
    path = tmp_path / "hero.toml"
    human.save(path)
    again = sinew.Character.load(path)
    assert again.to_toml() == human.to_toml() == path.read_text()
    assert (again.mass, again.height, again.bodies) == (human.mass, human.height, human.bodies)
    assert np.array_equal(again.rest, human.rest)
    assert pickle.loads(pickle.dumps(human)).to_toml() == human.to_toml()


def test_mujoco_reads_the_mjcf(human, tmp_path: pathlib.Path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "hero.xml"
    human.export_mjcf(path, timestep=0.004)
    model = mujoco.MjModel.from_xml_path(str(path))
    assert (model.nq, model.nv) == (human.position_count, human.dof)
    assert model.opt.timestep == 0.004
    assert sum(model.body_mass) == pytest.approx(human.mass, rel=1e-6)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: sinew.Character.load("no/such.glb"), "no/such.glb"),
        (lambda: sinew.Character.load("no/such.toml"), "does not exist; check the path"),
        (lambda: sinew.Character.load("human", height=-1.0), "height"),
        (lambda: sinew.Character.load("human", height=float("nan")), "height"),
        (lambda: sinew.Character.load("human", mass=-3.0), "mass"),
        (lambda: sinew.Character.load("human", clips=["swim"]), "swim"),
        (lambda: sinew.Character.load("hero.toml", height=1.8), "give height, mass, clips and motion with the rigged file"),
        (lambda: sinew.Character.from_toml("name = 3"), "line 1"),
        (lambda: sinew.Character.from_toml(""), "line 1"),
        (lambda: sinew.Character.load(__file__), "neither BVH"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(call, sentence):
    with pytest.raises(sinew.Error, match=sentence):
        call()


def test_files_that_cannot_be_written_are_named(human, tmp_path: pathlib.Path):
    for write in (human.save, human.export_mjcf):
        with pytest.raises(sinew.Error, match="missing"):
            write(tmp_path / "missing" / "hero")
    with pytest.raises(sinew.Error):
        human.to_mjcf(timestep=0.0)
