#!/usr/bin/env python3
"""How many transitions and minutes a single clip takes until it is tracked, beside what others report.

    scripts/measure_clips.py CLIP|FOLDER... --out FOLDER [--character BODY] [--millions 60 | --minutes 60] [--jobs 2] [--sinew target/release/sinew]
    scripts/measure_clips.py CLIP|FOLDER... --out OTHER_FOLDER --performed [--gaits walk,run] [--millions 4]

Trains one policy for each clip with one thread, tests it from other starts, and prints a table. A folder stands for all motions of DeepMimic in it. Cycles are
repeated for episodes of 10 s; an episode of any other clip ends with the clip. A training that is already in --out is not made again, and one that
was interrupted goes on where it was.

With --performed each clip is transferred first, gaits get feedback that repeats them for a minute, and the policy tracks that motion with its own controls.

"First successful" is the first test of the training (64 episodes of 5 s, every million transitions) in which at least --success of the episodes
stay within PHC's limit (Luo et al. 2023): bodies never more than 0.5 m off on average, nor fallen. Its minutes are its share of the transitions of the training's time.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import time

# Samples that others report for one clip: name, millions, what it took.
PUBLISHED = [
    ("DeepMimic (Peng et al. 2018)", 60, "about a day, 16 workers"),
    ("MimicKit (Peng 2025)", 182, "0.7 h on an RTX 4090 (AMP)"),
]


def clips_in(words):
    """Files of motions; a folder stands for those of DeepMimic in it."""
    found = []
    for word in map(pathlib.Path, words):
        inside = [path for path in sorted(word.glob("*.txt")) if '"Frames"' in path.read_text()] if word.is_dir() else [word]
        found += inside
    return found


def said(command, output):
    """What a command prints as JSON, kept in a file; its last line of errors where it cannot."""
    if not output.exists():
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            return {"error": (done.stderr.strip().splitlines() or ["no reason was given"])[-1]}
        part = output.with_suffix(".part")
        part.write_text(done.stdout)
        part.rename(output)
    return json.loads(output.read_text())


def measured(options, clip):
    """Training and test of one clip."""
    folder = options.out / clip.stem
    common = ["--threads", "1", "--json"] + (["--character", options.character] if options.character else [])
    inspected = said([options.sinew, "inspect", clip, "--json"], options.out / f"{clip.stem}.inspect.json")
    made = performed(options, clip) if options.performed else {"input": clip}
    if "error" in made:
        return {"clip": clip.stem, "error": made["error"]}
    length = ["--minutes", options.minutes] if options.minutes else ["--transitions", options.millions]
    train = [options.sinew, "learn", "tracker", made["input"], "--device", "cpu", "--resume", "-o", folder] + length + common
    training = said(train, options.out / f"{clip.stem}.training.json")
    if "error" in training:
        return {"clip": clip.stem, "error": training["error"]}
    test = [options.sinew, "learn", "test", folder, made["input"], "--seconds", "10", "--episodes", "256"] + common
    tested = said(test, options.out / f"{clip.stem}.test.json")
    if "error" in tested:
        return {"clip": clip.stem, "error": tested["error"]}
    print(f"{clip.stem}: done", file=sys.stderr)
    return {"clip": clip.stem, "training": training, "test": tested, "inspected": inspected, "made": made}


def performed(options, clip):
    """The clip as a simulated character performs it: its folder, the verdict and the seconds that took."""
    folder = options.out / f"{clip.stem}.transfer"
    is_gait = any(name and name in clip.stem for name in options.gaits.split(","))
    common = ["--resume", "--threads", "1", "--json"]
    transfer = [options.sinew, "transfer", clip, "--out", folder] + (["--cycles", "6"] if is_gait else []) + common
    began = time.monotonic()
    result = said(transfer, options.out / f"{clip.stem}.transfer.json")
    if "error" in result or not is_gait:
        return result if "error" in result else {"input": folder, "verdict": result["verdict"], "secs": result["wall_secs"]}
    feedback = said([options.sinew, "feedback", folder] + common, options.out / f"{clip.stem}.feedback.json")
    secs = result["wall_secs"] + feedback.get("wall_secs", time.monotonic() - began)
    return feedback if "error" in feedback else {"input": folder, "verdict": result["verdict"], "secs": secs}


def row(options, result):
    """A line of the table."""
    clip = result["clip"].removeprefix("humanoid3d_").replace("_", " ")
    if "error" in result:
        return f"| {clip} | cannot be tracked: {result['error']} |" + " |" * 8
    training, test = result["training"], result["test"]
    first = next((point["transitions"] for point in training["curve"] if point["falls_share"] <= 1 - options.success), None)
    rate = training["transitions_per_sec"]
    minutes = lambda transitions: f"{transitions / rate / 60:.1f} min"
    when = f"{first / 1e6:.0f} M, {minutes(first)}" if first else "never"
    repeats = "repeated" if test["period_secs"] else "once"
    if "verdict" in result["made"]:
        repeats += f"; {result['made']['verdict']} after {result['made']['secs']:.0f} s"
    return (
        f"| {clip} | {result['inspected']['clips'][0]['duration_secs']:.1f} s, {repeats} | {when} | {training['transitions'] / 1e6:.0f} M, {minutes(training['transitions'])} "
        f"| {100 * test['within_half_metre']:.0f} % | {100 * test['within_quarter_metre']:.0f} % | {test['falls']} of {test['episodes']} "
        f"| {100 * test['mean_body_error_m']:.1f} cm | {test['reward_per_frame']:.3f} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", help="files of clips, or folders with motions of DeepMimic")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--character", type=pathlib.Path, help="the body; by default that of each clip")
    parser.add_argument("--millions", type=float, default=60, help="transitions of each training")
    parser.add_argument("--minutes", type=float, help="minutes of each training, instead of transitions")
    parser.add_argument("--performed", action="store_true", help="tracks each clip as a simulated character performs it")
    parser.add_argument("--gaits", default="walk,run", help="with --performed: parts of the names of clips that are repeated")
    parser.add_argument("--success", type=float, default=0.95, help="share of episodes that makes a test successful")
    parser.add_argument("--sinew", default="target/release/sinew")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time, each on one thread")
    options = parser.parse_args()
    if options.performed and options.character:
        parser.error("--performed takes the body of each clip; leave --character out")
    options.out.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda clip: measured(options, clip), clips_in(options.clips)))
    success = f"first test with {100 * options.success:.0f} % successful"
    print(f"| clip | length | {success} | trained | within 0.5 m on average | every body within 0.25 m | 10 s episodes that fall | bodies off | reward |")
    print("|---|---|---|---|---|---|---|---|---|")
    print("\n".join(row(options, result) for result in results))
    print("\nOthers, a clip: " + "; ".join(f"{name} {millions} M samples, {took}" for name, millions, took in PUBLISHED) + ".")


if __name__ == "__main__":
    main()
