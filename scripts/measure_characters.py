#!/usr/bin/env python3
"""Trackers of walks of several characters: ten minutes without a break, and the largest pushes beside those of `sinew feedback` on the same clip.

    scripts/measure_characters.py CHARACTER:CLIP... --out FOLDER [--millions 20] [--jobs 2] [--sinew target/release/sinew]
    scripts/measure_characters.py dinosaur:walk quadruped:walk --out OTHER_FOLDER --performed --millions 4
    scripts/measure_characters.py dinosaur:walk quadruped:walk KayKit_Barbarian.glb:Walking_A Wolf.glb:Walk --out characters

Each step runs on one thread: `sinew learn tracker` of the clip, `sinew learn test` of its policy with --track and --pushes; `sinew transfer` of the clip and
`sinew feedback` of what came of it; with --performed the policy tracks that, with its own controls. A step that is already in --out is not made
again, and one that was interrupted goes on where it was. Pushes are on the root for 0.2 s, in parts of the character's weight: what the weakest of eight directions bears, their mean, and the strongest.
"""

import argparse
import concurrent.futures
import pathlib
import sys

from measure_clips import said


def measured(options, word):
    """All that was found for one character."""
    character, _, clip = word.rpartition(":")
    if not character:
        return {"name": word, "tracker": {"error": "name a character and its clip, such as dinosaur:walk"}, "feedback": {"error": ""}}
    name = f"{pathlib.Path(character).stem}_{clip}"
    folders = {step: options.out / f"{name}.{step}" for step in ("policy", "transfer")}
    answer = lambda step: options.out / f"{name}.{step}.json"
    common = ["--threads", "1", "--json"]

    transfer = [options.sinew, "transfer", character, "--clip", clip, "--cycles", 6, "--preset", options.preset, "--resume", "--out", folders["transfer"]]
    feedback = said(transfer + common, answer("transfer"))
    if "error" not in feedback:
        feedback = said([options.sinew, "feedback", folders["transfer"], "--resume"] + common, answer("feedback"))
    print(f"{name}: with feedback", file=sys.stderr)
    if options.performed and "error" in feedback:
        return {"name": name, "training": feedback, "tracker": feedback, "feedback": feedback}

    tracked = [folders["transfer"]] if options.performed else [character, "--clip", clip]
    learn = [options.sinew, "learn", "tracker"] + tracked + ["--device", "cpu", "--transitions", options.millions, "--resume", "-o", folders["policy"]]
    training = said(learn + common, answer("training"))
    test = [options.sinew, "learn", "test", folders["policy"]] + tracked + ["--track", options.seconds, "--pushes"]
    tracker = training if "error" in training else said(test + common, answer("test"))
    print(f"{name}: tracked", file=sys.stderr)
    return {"name": name, "training": training, "tracker": tracker, "feedback": feedback}


def parts(pushes):
    """Weakest, mean and strongest of forces over the weight."""
    return f"{min(pushes):.2f} / {sum(pushes) / len(pushes):.2f} / {max(pushes):.2f}" if pushes else "none"


def row(result):
    """A line of the table."""
    tracker, feedback = result["tracker"], result["feedback"]
    if "error" in tracker:
        tracked = f"refused: {tracker['error']} |" + " |" * 4
    else:
        training, track = result["training"], tracker["track"]
        minutes = training["transitions"] / training["transitions_per_sec"] / 60
        tracked = (
            f"{training['transitions'] / 1e6:.0f} M, {minutes:.1f} min | {tracker['reward_per_frame']:.3f} "
            f"| {track['falls']} in {track['seconds'] / 60:.0f} min | {100 * track['mean_body_error_m']:.1f} cm "
            f"| {parts([push['weights'] for push in tracker['pushes']['pushes']])}"
        )
    if "error" in feedback:
        balanced = f"refused: {feedback['error']} |"
    else:
        pushes = [push["weight_secs_feedback"] / feedback["push_secs"] for push in feedback["pushes"]]
        balanced = f"{feedback['repetitions_feedback']} of {feedback['tested_repetitions']} | {parts(pushes)}"
    return f"| {result['name'].replace('_', ' ')} | {tracked} | {balanced} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("characters", nargs="+", metavar="CHARACTER:CLIP", help="an embedded character or a rigged file, and its clip")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--millions", type=float, default=20, help="transitions of each training")
    parser.add_argument("--performed", action="store_true", help="tracks what a simulated character performs under feedback")
    parser.add_argument("--seconds", type=float, default=600, help="length of the track")
    parser.add_argument("--preset", default="quick", help="of the transfer")
    parser.add_argument("--sinew", default="target/release/sinew")
    parser.add_argument("--jobs", type=int, default=2, help="characters at a time, each on one thread")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda word: measured(options, word), options.characters))
    print("| character | trained | reward | falls of the tracker | bodies off | its pushes, of the weight | cycles with feedback | its pushes, of the weight |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join(map(row, results)))


if __name__ == "__main__":
    main()
