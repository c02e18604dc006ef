#!/usr/bin/env python3
"""Transfers the gaits of a list, finds feedback for those that are not failed, and prints what came of them.

    scripts/measure_gaits.py --data FOLDER [--list scripts/motions.tsv] [--preset quick] [--cycles 6] [--jobs 2] [--shuffle SEED] [--out DIR]

A gait is a motion of the list whose clip says so (walk, run, gallop) and which is no captured person, as those are no cycles; a jump within it is
none. Every run keeps its folder under DIR and is not made again. A policy counts where it repeats the cycle in all repetitions of the test.
"""

import argparse
import json
import os
import random
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from measure_transfers import motions, name, run, transfer


def is_gait(motion):
    what = f"{Path(motion[0]).stem if motion[1] == '-' else ''} {motion[1]}"
    return motion[3] != "captured" and re.search("walk|run|gallop", what, re.I) and not re.search("jump|zombie_walk|running_jump", what, re.I)


def feedback(options, motion):
    source, clip, _, kind = motion
    made = transfer(options.sinew, options.preset, None, options.out, (source, clip, options.cycles, kind), 0)
    if "refused" in made:
        return {"motion": motion, "refused": " ".join(made["refused"])}
    row = {"motion": motion, "verdict": made["verdict"]}
    if made["verdict"] == "failed":
        return row
    folder = Path(made["out"])
    answer = folder / "feedback-answer.json"
    if not answer.exists():
        status, output, errors, _ = run([options.sinew, "feedback", str(folder), "--threads", "1", "--json"])
        answer.write_text(output if status == 0 else json.dumps({"refused": errors.strip().splitlines()[-1:]}))
    found = json.loads(answer.read_text())
    print(f"{folder.name}: {found.get('repetitions_feedback', found.get('refused'))}", file=sys.stderr, flush=True)
    return row | {"feedback": found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=".")
    parser.add_argument("--list", default=Path(__file__).with_name("motions.tsv"))
    parser.add_argument("--preset", default="quick")
    parser.add_argument("--cycles", default="6")
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="takes the gaits in a random order")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="sinew-out/gaits")
    parser.add_argument("--sinew", default="target/release/sinew")
    options = parser.parse_args()
    Path(options.out).mkdir(parents=True, exist_ok=True)
    gaits = [motion for motion in motions(options.list, options.data) if is_gait(motion)]
    if options.shuffle is not None:
        random.Random(options.shuffle).shuffle(gaits)
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda motion: feedback(options, motion), gaits))

    print("| gait | verdict | repetitions without | with feedback | weakest push, N | strongest, N |\n|---|---|---|---|---|---|")
    count = {"transferred": 0, "policy": 0}
    for row in sorted(rows, key=lambda row: name(row["motion"]).lower()):
        # A bar would end the table's field.
        gait = name(row["motion"]).replace("|", "\\|")
        said = row.get("verdict", "refused")
        found = row.get("feedback")
        if found is None:
            print(f"| {gait} | {said} | – | – | – | – |")
            continue
        count["transferred"] += 1
        if "refused" in found:
            print(f"| {gait} | {said} | – | refused: {' '.join(found['refused'])} | – | – |")
            continue
        count["policy"] += found["repetitions_feedback"] >= found["tested_repetitions"]
        pushes = [push["newtons_feedback"] for push in found["pushes"]] or [0.0]
        print(
            f"| {gait} | {said} | {found['repetitions_open_loop']} | {found['repetitions_feedback']} "
            f"| {min(pushes):.0f} | {max(pushes):.0f} |"
        )
    print(f"\n{count['policy']} of the {count['transferred']} gaits that transferred, of {len(rows)}, are repeated in every repetition of the test.")


if __name__ == "__main__":
    main()
