#!/usr/bin/env python3
"""How large the network of a tracker should be: the same training with networks of five sizes.

    scripts/measure_sizes.py SET|CLIP... --out FOLDER [--millions 20] [--clip NAME] [--jobs 2] [--sinew target/release/sinew]

All networks see equally many transitions; the time that these took is in the table. The value's layers are half as wide as the policy's, as in
the preset. A training that is already in --out is not made again, and one that was interrupted goes on where it was. Times are comparable
where --jobs leaves a core to each training.
"""

import argparse
import concurrent.futures
import pathlib
import sys

from measure_clips import said

# Layers and their width; the preset's are 2 × 256.
SIZES = [(2, 64), (2, 128), (2, 256), (2, 512), (4, 1024)]


def measured(options, path, size):
    """Training and test with networks of one size."""
    layers, width = size
    name = f"{pathlib.Path(path).stem}_{layers}x{width}"
    config, folder = options.out / f"{name}.toml", options.out / name
    config.write_text(f"policy_layers = {[width] * layers}\nvalue_layers = {[width // 2] * layers}\n")
    clip = ["--clip", options.clip] if options.clip else []
    train = [options.sinew, "learn", "tracker", path, "--config", config, "--device", options.device, "--transitions", options.millions, "--resume", "-o", folder]
    training = said(train + clip + ["--threads", "1", "--json"], options.out / f"{name}.training.json")
    test = [options.sinew, "learn", "test", folder, path, "--threads", "1", "--json"]
    tested = training if "error" in training else said(test + clip, options.out / f"{name}.test.json")
    print(f"{name}: done", file=sys.stderr)
    return {"path": path, "size": size, "training": training, "test": tested}


def row(result):
    """A line of the table."""
    layers, width = result["size"]
    training, test = result["training"], result["test"]
    start = f"| {pathlib.Path(result['path']).stem} | {layers} × {width} |"
    if "error" in test:
        return f"{start} refused: {test['error']} |" + " |" * 7
    minutes = training["transitions"] / training["transitions_per_sec"] / 60
    return (
        f"{start} {training['parameters']:,} | {training['transitions'] / 1e6:.0f} M | {minutes:.1f} min | {test['reward_per_frame']:.3f} "
        f"| {test['completion']:.3f} | {test['falls']} of {test['episodes']} | {100 * test['mean_body_error_m']:.1f} cm | {test['micros_per_frame']:.0f} µs |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", metavar="SET|CLIP", help="what is tracked, as in sinew learn tracker")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--clip", help="of files with several clips the one of this name")
    parser.add_argument("--millions", type=float, default=20, help="transitions of each training")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--sinew", default="target/release/sinew")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time, each on one thread")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    runs = [(path, size) for path in options.inputs for size in SIZES]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda run: measured(options, *run), runs))
    print("| motion | policy's layers | numbers learnt | transitions | time | reward | completion | 10 s episodes that fall | bodies off | a decision |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    print("\n".join(map(row, results)))


if __name__ == "__main__":
    main()
