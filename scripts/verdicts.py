#!/usr/bin/env python3
"""Compares the verdicts of transferred motions with what people say who see their film strips.

    scripts/verdicts.py docs/results/verdicts.tsv RESULTS [RESULTS …]

Each line of the list is a motion (a folder under RESULTS, as scripts/measure_transfers.py names them), what a person said of its film strip
beside the drawing's (faithful, loose or failed), and what was seen. Figures and verdicts are made anew by the present build:
cargo build --release -p sinew --example fidelity
"""

import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path

VERDICTS = ("faithful", "loose", "failed")


def labels(path):
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 3 or fields[1] not in VERDICTS:
            sys.exit(f"{path}, line {number}: give a motion, one of {', '.join(VERDICTS)}, and what was seen, with tabs between them")
        yield fields


def table(pairs):
    """The confusion table as lines of Markdown: a row for what people say, a column for the verdict."""
    count = collections.Counter(pairs)
    yield "| people say | " + " | ".join(f"verdict {verdict}" for verdict in VERDICTS) + " |"
    yield "|---|" + len(VERDICTS) * "---|"
    for said in VERDICTS:
        yield f"| {said} | " + " | ".join(str(count[said, verdict]) for verdict in VERDICTS) + " |"
    agree = sum(count[verdict, verdict] for verdict in VERDICTS)
    yield ""
    yield f"They agree on {agree} of {sum(count.values())}."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels")
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--each", action="store_true", help="also the motions on which they differ")
    parser.add_argument("--program", default="target/release/examples/fidelity")
    options = parser.parse_args()
    told = list(labels(options.labels))
    folders = {name: next((top / name for top in options.results if (top / name).exists()), None) for name, _, _ in told}
    missing = [name for name, folder in folders.items() if folder is None]
    if missing:
        print(f"{len(missing)} motions are not there, {missing[0]} first; they are left out", file=sys.stderr)
    there = [str(folder) for folder in folders.values() if folder is not None]
    run = subprocess.run([options.program, *there], capture_output=True, text=True, check=True)
    found = {Path(row["folder"]).name: row for row in map(json.loads, run.stdout.splitlines())}
    pairs = []
    for name, said, seen in told:
        if name in found:
            judgement = found[name]["judgement"]
            pairs.append((said, judgement["verdict"]))
            if options.each and said != judgement["verdict"]:
                print(f"{name}: {said} ({seen}), verdict {judgement['verdict']} because of {', '.join(judgement['because']) or 'nothing'}")
    print("\n".join(table(pairs)))


if __name__ == "__main__":
    main()
