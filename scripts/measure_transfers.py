#!/usr/bin/env python3
"""Transfers a list of motions and prints what came of them; `scripts/results.py transfer` writes it to docs/results/transfer.md.

    scripts/measure_transfers.py --data FOLDER [--list scripts/motions.tsv] [--seeds 0] [--preset default] [--config FILE] [--jobs 2] [--out DIR]
                                 [--shuffle SEED]
    scripts/measure_transfers.py --data FOLDER --list scripts/few_motions.tsv --seeds 0,1,2 --each

Each line of the list is a file, a clip, a number of cycles and a kind, with tabs between them and `-` for what is left out. Files that are not
under FOLDER are named and left out. Every run keeps its folder under DIR, with film strips to look at, and is not made again. `--each` prints a
row for each motion; otherwise there is one for each rig. `--shuffle` takes the motions in a random order, so that those which were made when it
is broken off are a sample of all. Times are those of the CPU: each run has one thread, and other programs do not count.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EMBEDDED = ("dinosaur", "human", "quadruped")


def motions(path, data):
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) not in (3, 4):
            sys.exit(f"{path}, line {number}: {len(fields)} fields; give file, clip, cycles and kind with tabs between them")
        file, clip, cycles, kind = [*fields, "-"][:4]
        source = file if file in EMBEDDED else str(Path(data) / file)
        if file in EMBEDDED or Path(source).exists():
            yield source, clip, cycles, kind
        else:
            print(f"{source} is not there; its motion is left out", file=sys.stderr)


def transfer(sinew, preset, config, out, motion, seed):
    source, clip, cycles, _ = motion
    # The kind of file too: a rig may come as glTF and as FBX.
    folder = Path(out) / f"{Path(source).stem}{Path(source).suffix.replace('.', '-')}-{clip.replace('|', '_').replace('/', '_')}-{seed}"
    if not (folder / "result.json").exists():
        command = [sinew, "transfer", source, "--preset", preset, "--seed", str(seed), "--threads", "1"]
        command += ["--out", str(folder), "--json"]
        command += [] if clip == "-" else ["--clip", clip]
        command += [] if cycles == "-" else ["--cycles", cycles]
        command += ["--config", config] if config else []
        status, output, errors, cpu_secs = run(command)
        folder.mkdir(parents=True, exist_ok=True)
        if status == 101 or status < 0:
            sys.exit(f"{' '.join(command)}\n{errors}")
        result = json.loads(output) | {"cpu_secs": cpu_secs} if status == 0 else {"refused": errors.strip().splitlines()[-1:]}
        (folder / "result.json").write_text(json.dumps(result))
    result = json.loads((folder / "result.json").read_text())
    said = f"refused, {result['refused']}" if "refused" in result else result["verdict_sentence"]
    print(f"{folder.name}: {said}", file=sys.stderr, flush=True)
    return result


def run(command):
    """Exit status, output, errors and time on the CPU of a command."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0), errors.seek(0)
        return process.returncode, output.read(), errors.read(), used.ru_utime + used.ru_stime


def name(motion):
    stem, clip = Path(motion[0]).stem, motion[1]
    return stem.replace("cmu_", "CMU ") if clip == "-" else f"{stem} {clip}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=".")
    parser.add_argument("--list", default=Path(__file__).with_name("motions.tsv"))
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="takes the motions in a random order")
    parser.add_argument("--each", action="store_true", help="a row for each motion")
    parser.add_argument("--preset", default="default")
    parser.add_argument("--config", help="settings on top of the preset, as sinew transfer --config takes them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="sinew-out/measured")
    parser.add_argument("--sinew", default="target/release/sinew")
    options = parser.parse_args()
    Path(options.out).mkdir(parents=True, exist_ok=True)

    chosen = list(motions(options.list, options.data))
    if options.shuffle is not None:
        random.Random(options.shuffle).shuffle(chosen)
    pairs = [(motion, seed) for motion in chosen for seed in options.seeds.split(",")]
    with ThreadPoolExecutor(options.jobs) as pool:
        made = lambda pair: transfer(options.sinew, options.preset, options.config, options.out, *pair)
        results = dict(zip(pairs, pool.map(made, pairs)))

    done = {pair: result for pair, result in results.items() if "refused" not in result}
    group = name if options.each else lambda motion: Path(motion[0]).stem if motion[3] != "captured" else "captured people"
    table("motion" if options.each else "rig", done, group)
    print()
    table("kind", done, lambda motion: motion[3])
    for (motion, seed), result in results.items():
        if "refused" in result:
            print(f"\nrefused: {name(motion)}, seed {seed}: {' '.join(result['refused'])}")
    slow = {pair: result["cpu_secs"] / max(result["duration_secs"], 1e-9) for pair, result in done.items()}
    worst = max(slow, key=slow.get)
    print(
        f"\nCPU seconds for a second of motion: median {statistics.median(slow.values()):.1f}, "
        f"most {slow[worst]:.0f} ({name(worst[0])}, {done[worst]['verdict']})."
    )


def table(what, results, group):
    """Prints how the motions of each group came out, and all of them."""
    groups = {}
    for (motion, _), result in results.items():
        groups.setdefault(group(motion), []).append(result)
    print(f"| {what} | runs | faithful | loose | failed | effectors off, % | joints off, ° | skate, % | depth, % | jerk | cost |")
    print("|---|" + 10 * "---|")
    rows = sorted(groups.items(), key=lambda item: item[0].lower()) + [("all", list(results.values()))]
    for label, own in rows:
        count = lambda verdict: sum(result["verdict"] == verdict for result in own)
        median = lambda field: statistics.median(result[field] for result in own)
        print(
            f"| {label} | {len(own)} | {count('faithful')} | {count('loose')} | {count('failed')} | {median('effectors_off_percent'):.1f} "
            f"| {median('joints_off_deg'):.1f} | {median('skate_percent'):.1f} | {median('depth_percent'):.1f} | {median('jerk_ratio'):.2f} "
            f"| {median('cost_mean'):.2f} |"
        )


if __name__ == "__main__":
    main()
