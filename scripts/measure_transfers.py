#!/usr/bin/env python3
"""Transfers a list of motions with several seeds and prints a table; `scripts/results.py transfer` writes it to docs/results/transfer.md.

    scripts/measure_transfers.py --data FOLDER [--list scripts/motions.tsv] [--seeds 0,1,2] [--preset default] [--config FILE] [--jobs 2] [--out DIR]

Each line of the list is a file, a clip and a number of cycles, with tabs between them and `-` for what is left out. Files that are not
under FOLDER are named and left out. Every run keeps its folder under DIR, with film strips to look at, and is not made again.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EMBEDDED = ("dinosaur", "human", "quadruped")


def motions(path, data):
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 3:
            sys.exit(f"{path}, line {number}: {len(fields)} fields; give file, clip and cycles with tabs between them")
        file, clip, cycles = fields
        source = file if file in EMBEDDED else str(Path(data) / file)
        if file in EMBEDDED or Path(source).exists():
            yield source, clip, cycles
        else:
            print(f"{source} is not there; its motion is left out", file=sys.stderr)


def transfer(sinew, preset, config, out, motion, seed):
    source, clip, cycles = motion
    folder = Path(out) / f"{Path(source).stem}-{clip.replace('|', '_')}-{seed}"
    if not (folder / "result.json").exists():
        command = [sinew, "transfer", source, "--preset", preset, "--seed", str(seed), "--threads", "1"]
        command += ["--out", str(folder), "--json"]
        command += [] if clip == "-" else ["--clip", clip]
        command += [] if cycles == "-" else ["--cycles", cycles]
        command += ["--config", config] if config else []
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{run.stderr}")
        (folder / "result.json").write_text(run.stdout)
    result = json.loads((folder / "result.json").read_text())
    print(f"{folder.name}: {'completed' if result['completed'] else 'fell'}, {result['cost_mean']:.3f}", file=sys.stderr)
    return result


def name(motion):
    stem, clip = Path(motion[0]).stem, motion[1]
    return stem.replace("cmu_", "CMU ") if clip == "-" else f"{stem} {clip}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=".")
    parser.add_argument("--list", default=Path(__file__).with_name("motions.tsv"))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--preset", default="default")
    parser.add_argument("--config", help="settings on top of the preset, as sinew transfer --config takes them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="sinew-out/measured")
    parser.add_argument("--sinew", default="target/release/sinew")
    options = parser.parse_args()
    Path(options.out).mkdir(parents=True, exist_ok=True)

    chosen = list(motions(options.list, options.data))
    pairs = [(motion, seed) for motion in chosen for seed in options.seeds.split(",")]
    with ThreadPoolExecutor(options.jobs) as pool:
        run = lambda pair: transfer(options.sinew, options.preset, options.config, options.out, *pair)
        results = dict(zip(pairs, pool.map(run, pairs)))

    print("| motion | complete | cost | jerk | skate | depth |\n|---|---|---|---|---|---|")
    for motion in sorted(chosen, key=lambda motion: name(motion).lower()):
        own = [result for (other, _), result in results.items() if other == motion]
        median = lambda field: statistics.median(result[field] for result in own)
        print(
            f"| {name(motion)} | {sum(r['completed'] for r in own)} of {len(own)} | {median('cost_mean'):.2f} | {median('jerk_ratio'):.2f} "
            f"| {100 * median('foot_skate'):.1f} | {1000 * median('max_penetration'):.0f} |"
        )
    every = list(results.values())
    print(
        f"\n{sum(r['completed'] for r in every)} of {len(every)} complete; medians: "
        f"jerk ratio {statistics.median(r['jerk_ratio'] for r in every):.2f}, "
        f"skate {100 * statistics.median(r['foot_skate'] for r in every):.2f} cm ({sum(r['foot_skate'] <= 0.02 for r in every)} at most 2 cm), "
        f"depth {1000 * statistics.median(r['max_penetration'] for r in every):.1f} mm ({sum(r['max_penetration'] <= 0.01 for r in every)} at most 1 cm)"
    )


if __name__ == "__main__":
    main()
