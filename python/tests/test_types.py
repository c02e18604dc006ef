"""The stubs name what is there, and everything has a description."""

import ast
import inspect
import pathlib
import subprocess
import sys

import sinew
from sinew import _sinew

STUB = pathlib.Path(__file__).parent.parent / "sinew" / "_sinew.pyi"


def named_in_stub():
    names = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = node
    return names


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_the_stub_names_every_class_and_member():
    stub = named_in_stub()
    there = {name for name in public(vars(_sinew)) if name != "VERSION"}
    assert there == set(stub)
    for name, members in stub.items():
        if isinstance(members, dict) and name != "Error":
            assert public(members) == public(vars(getattr(_sinew, name))), name


def test_arguments_have_the_same_names():
    for name, node in named_in_stub().items():
        functions = node.items() if isinstance(node, dict) else [(None, node)]
        for member, function in functions:
            if any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list) or (member or "").startswith("_"):
                continue
            found = getattr(getattr(_sinew, name), member) if member else getattr(_sinew, name)
            given = [argument.arg for argument in function.args.args + function.args.kwonlyargs if argument.arg not in ("self", "cls")]
            real = [argument for argument in inspect.signature(found).parameters if argument not in ("self", "cls")]
            assert given == real, (name, member)


def test_everything_public_is_described():
    for name in sinew.__all__:
        described = getattr(sinew, name)
        if name == "__version__":
            continue
        assert described.__doc__, name
        if inspect.isclass(described) and described.__module__ == "sinew":
            for member in public(vars(described)) - set(dir(Exception)):
                assert getattr(described, member).__doc__, (name, member)


def test_examples_of_the_documentation_run():
    for module in ("sinew", "sinew.gym"):
        ran = subprocess.run([sys.executable, "-c", f"import doctest, {module}; r = doctest.testmod({module}); assert r.attempted > 2 and not r.failed"], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_importing_it_imports_no_learner():
    code = "import sys, sinew; assert not {'gymnasium', 'mujoco', 'torch'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
