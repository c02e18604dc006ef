#!/usr/bin/env python3
"""PyTorch's side of the bench of networks: answers each line of JSON on standard input with the seconds of each repetition.

    {"kind": "mlp" | "lstm", "train": true, "inputs": 256, "hidden": [1024, 1024], "outputs": 64, "rows": 1024, "steps": 1, "threads": 1, "repeat": 5}

Started by `cargo run --release -p sinew-nn --example bench_networks`; by `bench_cuda` with three more fields: "device": "cuda", "graph" (whether the step
is captured once as a CUDA graph and replayed) and "tf32" (whether factors of products are rounded to TF32, in cuBLAS and cuDNN). Steps on a GPU are timed together, and
the answer is one time for a step. A training step is a forward pass, the mean squared error, a backward pass,
the gradient's norm bounded, and Adam (the fused one). PyTorch runs as it comes from PyPI, in its default, eager mode.
"""

import json
import sys
import time

import torch


def network(job):
    if job["kind"] == "lstm":
        return torch.nn.LSTM(job["inputs"], job["hidden"][0], len(job["hidden"]))
    layers, inputs = [], job["inputs"]
    for hidden in job["hidden"]:
        layers += [torch.nn.Linear(inputs, hidden), torch.nn.ReLU()]
        inputs = hidden
    return torch.nn.Sequential(*layers, torch.nn.Linear(inputs, job["outputs"]))


def prepare(job):
    """Returns a function that does the work once."""
    torch.manual_seed(0)
    device, is_graph = job.get("device", "cpu"), job.get("graph", False)
    model = network(job).to(device)
    shape = (job["rows"],) if job["kind"] == "mlp" else (job["steps"], job["rows"])
    inputs, target = (torch.rand(*shape, job[columns], device=device) for columns in ("inputs", "outputs"))
    output = lambda: model(inputs)[0] if job["kind"] == "lstm" else model(inputs)
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True, **({"capturable": True} if is_graph else {}))

    def infer():
        with torch.inference_mode():
            output()

    def train():
        adam.zero_grad()
        torch.nn.functional.mse_loss(output(), target).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()

    work = train if job["train"] else infer
    return as_graph(work) if is_graph else work


def as_graph(work):
    """Captures work as a CUDA graph, as PyTorch's documentation does it: after three warm-ups on another stream."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def main():
    print(json.dumps({"version": torch.__version__}), flush=True)
    prepared = {}
    for line in sys.stdin:
        job = json.loads(line)
        torch.set_num_threads(job["threads"])
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = job.get("tf32", False)
        key = json.dumps({name: value for name, value in job.items() if name not in ("threads", "repeat")})
        if key not in prepared:
            prepared[key] = prepare(job)
            prepared[key]()
        if job.get("device") == "cuda":
            torch.cuda.synchronize()
            began = time.perf_counter()
            for _ in range(job["repeat"]):
                prepared[key]()
            torch.cuda.synchronize()
            print(json.dumps([(time.perf_counter() - began) / job["repeat"]]), flush=True)
            continue
        # One thread is measured in time on the CPU, which others that use the machine change little.
        clock = time.process_time if job["threads"] == 1 else time.perf_counter
        times = []
        for _ in range(job["repeat"]):
            began = clock()
            prepared[key]()
            times.append(clock() - began)
        print(json.dumps(times), flush=True)


if __name__ == "__main__":
    main()
