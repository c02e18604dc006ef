#!/usr/bin/env python3
"""Compares our networks with ONNX Runtime: the models, inputs and outputs in FOLDER come from `cargo run -p sinew-nn --example write_onnx -- FOLDER`.

    scripts/check_onnx.py FOLDER

Needs `pip install numpy onnx onnxruntime safetensors`. Exits with 1 where an output differs by more than 1e-5.
"""

import pathlib
import sys

import numpy
import onnx
import onnxruntime
from safetensors.numpy import load_file

LARGEST_DIFFERENCE = 1e-5


def check(model):
    onnx.checker.check_model(str(model), full_check=True)
    tensors = load_file(model.with_suffix(".safetensors"))
    inputs = {name.removeprefix("in."): value for name, value in tensors.items() if name.startswith("in.")}
    expected = {name.removeprefix("out."): value for name, value in tensors.items() if name.startswith("out.")}
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    found = dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs)))
    if found.keys() != expected.keys():
        return f"outputs {sorted(found)}, not {sorted(expected)}", False
    worst = max(float(numpy.abs(found[name] - expected[name]).max()) for name in expected)
    fits = all(found[name].shape == expected[name].shape for name in expected)
    return f"largest difference {worst:.1e} in {len(expected)} outputs", fits and worst <= LARGEST_DIFFERENCE


def main():
    models = sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")) if len(sys.argv) == 2 else []
    if not models:
        sys.exit(__doc__)
    good = True
    for model in models:
        text, is_good = check(model)
        print(f"{model.stem}: {text}{'' if is_good else ', which is too much'}")
        good &= is_good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
