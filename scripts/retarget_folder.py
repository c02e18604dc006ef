#!/usr/bin/env python3
"""Moves the clips of files to a character and prints a table of how well that went.

    python3 scripts/retarget_folder.py CHARACTER FILE... [--sinew target/release/sinew] [--clip NAME] [--films FOLDER]
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

HEAD = ["file and clip", "s", "travel", "stands", "slide cm, median", "most", "in the source", "under ground cm",
        "knees wrong", "elbows wrong", "in the source ", "hands and feet off %", "most %", "roughness"]


def call(options, path):
    """Returns the report of one file, or the sentence with which it was refused."""
    command = [options.sinew, "retarget", options.character, str(path), "--json"]
    if options.clip:
        command += ["--clip", options.clip]
    if options.films:
        pathlib.Path(options.films).mkdir(parents=True, exist_ok=True)
        command += ["--film", str(pathlib.Path(options.films, f"{path.stem}-on-{pathlib.Path(options.character).stem}.png"))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip().removeprefix("error: ")
    return json.loads(done.stdout), None


def row(path, report, clip):
    slide, source = clip["foot_slide"], clip["source_slide"]
    bends, before = clip["bends"], clip["source_bends"]
    many = len(report["clips"]) > 1
    return [
        f"{path.stem}, {clip['clip']}" if many else path.stem, f"{clip['duration_secs']:.1f}", f"{clip['scale']:.2f}", slide["contacts"],
        f"{slide['median_cm']:.2f}", f"{slide['max_cm']:.2f}", f"{source['median_cm']:.1f}", f"{clip['deepest_cm']:.1f}",
        bends["knees_wrong"], bends["elbows_wrong"], before["knees_wrong"] + before["elbows_wrong"],
        f"{clip['effectors_off_percent']:.1f}", f"{clip['effectors_off_max_percent']:.1f}", f"{clip['roughness']:.1f}",
    ]


def line(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def summary(clips):
    """Figures over all clips, as lines of a list."""
    stands = [clip for clip in clips if clip["foot_slide"]["contacts"]]
    medians = [clip["foot_slide"]["median_cm"] for clip in stands]
    wrong = sum(clip["bends"]["knees_wrong"] + clip["bends"]["elbows_wrong"] for clip in clips)
    before = sum(clip["source_bends"]["knees_wrong"] + clip["source_bends"]["elbows_wrong"] for clip in clips)
    return [
        f"- {len(clips)} clips, {sum(clip['duration_secs'] for clip in clips):.0f} s, {sum(clip['frames'] for clip in clips)} frames",
        f"- feet stand {sum(clip['foot_slide']['contacts'] for clip in stands)} times; slide, median of a clip: {statistics.median(medians or [0]):.2f} cm "
        f"(median over the clips), {max(medians or [0]):.2f} cm (worst clip); most in any stand {max([clip['foot_slide']['max_cm'] for clip in stands] or [0]):.2f} cm",
        f"- in the sources: {statistics.median([clip['source_slide']['median_cm'] for clip in stands] or [0]):.2f} cm (median over the clips)",
        f"- knees and elbows bent the wrong way: {wrong} frames times joints (in the sources: {before})",
        f"- hands and feet off: {statistics.mean(clip['effectors_off_percent'] for clip in clips):.2f} % of the height (mean)",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("character")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--sinew", default="target/release/sinew")
    parser.add_argument("--clip")
    parser.add_argument("--films")
    parser.add_argument("--short", action="store_true", help="the summary alone")
    options = parser.parse_args()
    rows, clips, refused = [], [], []
    for path in options.files:
        report, sentence = call(options, path)
        if report is None:
            refused.append(f"- {path.name}: {sentence}")
            continue
        clips += report["clips"]
        rows += [row(path, report, clip) for clip in report["clips"]]
    if clips:
        print("\n".join(summary(clips)))
    if refused:
        print("\n".join(refused))
    if rows and not options.short:
        print("\n".join(["", line(HEAD), "|" + "---|" * len(HEAD), *map(line, rows)]))
    sys.exit(0 if rows else 1)


if __name__ == "__main__":
    main()
