#!/usr/bin/env python3
"""What prediction and adaptive starts are worth (Park et al. 2019, section 6.4 and figure 6).

    scripts/ablation.py SET --out FOLDER [--millions 8] [--frames 200,800,3200,12800] [--sinew target/release/sinew] [--jobs 2]

Trains twelve policies on frames of a data set: four numbers of frames, each with the phase alone (baseline), with the prediction of the motion, and with
prediction and adaptive starts. Writes FOLDER/ablation.svg, completion against transitions as in the paper, and prints a table. A training that is
already in FOLDER is not made again, so that an interrupted run goes on where it was.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess

METHODS = {
    "baseline": 'preview = []\nsees_phase = true\nadaptive_starts = false\n',
    "prediction": "adaptive_starts = false\n",
    "prediction and adaptive starts": "",
}
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")


def trained(options, frames, method):
    """The summary of a training."""
    name = f"{method.replace(' ', '_')}_{frames}"
    folder = options.out / name
    summary = options.out / f"{name}.json"
    if not summary.exists():
        config = options.out / f"{name}.toml"
        config.write_text(METHODS[method])
        command = [options.sinew, "learn", "tracker", options.set, "--frames", str(frames), "--config", config, "--transitions", str(options.millions)]
        command += ["--threads", str(options.threads), "--resume", "-o", folder, "--json"]
        done = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True)
        summary.write_text(done.stdout)
    return json.loads(summary.read_text())


def plot(results, all_frames, millions):
    """Three diagrams side by side, one curve for each number of frames."""
    width, height, gap = 260, 200, 50
    parts = []
    for column, method in enumerate(METHODS):
        left = gap + column * (width + gap)
        place = lambda m, c: f"{left + width * m / millions:.1f},{30 + height * (1 - c):.1f}"
        parts.append(f'<rect x="{left}" y="30" width="{width}" height="{height}" fill="none" stroke="#999"/>')
        parts.append(f'<text x="{left}" y="20">{method}</text>')
        for tick in (0, 0.2, 0.4, 0.6, 0.8, 1):
            y = 30 + height * (1 - tick)
            parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y}" y2="{y}" stroke="#ddd"/><text x="{left - 6}" y="{y + 4}" text-anchor="end">{tick}</text>')
        for part in range(5):
            x, at = left + width * part / 4, millions * part / 4
            parts.append(f'<text x="{x}" y="{height + 46}" text-anchor="middle">{at:g} M</text>')
        for colour, frames in zip(COLOURS, all_frames):
            points = " ".join(["%s" % place(0, 0)] + [place(row["transitions"] / 1e6, row["completion"]) for row in results[method, frames]["curve"]])
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    for row, (colour, frames) in enumerate(zip(COLOURS, all_frames)):
        parts.append(f'<text x="{gap + row * 150}" y="{height + 72}" fill="{colour}">{frames} frames</text>')
    size = (3 * (width + gap) + gap, height + 84)
    style = "text { font: 12px sans-serif }"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}"><style>{style}</style><rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=pathlib.Path, help="a data set of sinew learn data")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--millions", type=float, default=8, help="transitions of each training")
    parser.add_argument("--frames", default="200,800,3200,12800")
    parser.add_argument("--sinew", default="target/release/sinew")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time")
    parser.add_argument("--threads", type=int, default=1, help="threads of each")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    all_frames = [int(word) for word in options.frames.split(",")]
    runs = [(method, frames) for frames in all_frames for method in METHODS]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(runs, pool.map(lambda run: trained(options, run[1], run[0]), runs)))
    (options.out / "ablation.svg").write_text(plot(results, all_frames, options.millions))
    print("| frames | " + " | ".join(METHODS) + " |\n|---|" + "---|" * len(METHODS))
    for frames in all_frames:
        print(f"| {frames} | " + " | ".join(f"{results[method, frames]['completion']:.2f}" for method in METHODS) + " |")


if __name__ == "__main__":
    main()
