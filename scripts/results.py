#!/usr/bin/env python3
"""Measures a subject on this machine and writes it to docs/results/SUBJECT.md, with date, commit, CPU and command.

    scripts/results.py SUBJECT... [--data FOLDER] [--sinew target/release/sinew] [--out docs/results] [--commit HASH]
    scripts/results.py --list

A file is a title with what is measured, then sections. The script replaces the section of this machine ("## CPU, N cores"), or, where results do not
depend on the machine, the sections that the subject names; all others stay as they are. Measure on a machine that does nothing else.
`--data` is a folder with the rigs of scripts/motions.tsv; without it only embedded characters are measured. Where there is no Git repository,
`--commit` says which build it is. Exits with 1 where a command fails; the file is then as it was.
"""

import argparse
import csv
import datetime
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Characters whose clips are timed: embedded ones, and files under --data.
RIGS = ("dinosaur", "human", "quadruped", "gltf/KayKit_Barbarian.glb", "gltf/Trex.glb")


class Measurement:
    """Runs commands, and keeps what they give as sections."""

    def __init__(self, sinew, data, commit, folder, kept=ROOT / "sinew-out"):
        self.sinew, self.data, self.commit, self.folder, self.kept = sinew, data, commit, folder, kept
        self.cores, self.commands, self.sections = os.cpu_count(), [], {}

    def section(self, heading, body):
        """Ends a section, with all commands since the last one; where `heading` is none, it is the machine's."""
        self.sections[heading or machine()] = (self.commands, body)
        self.commands = []

    def run(self, *command, shown=None):
        """Returns what a command prints."""
        self.commands.append(shown or " ".join(command))
        actual = [self.sinew if word == "sinew" else word for word in command]
        print("+", " ".join(actual), file=sys.stderr)
        done = subprocess.run(actual, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(actual)} ended with {done.returncode}; nothing was written")
        return done.stdout.strip()

    def json(self, *command, shown=None):
        return json.loads(self.run(*command, "--json", shown=shown))


def text(output):
    return f"```text\n{output}\n```"


def table(head, rows):
    line = lambda cells: "| " + " | ".join(str(cell) for cell in cells) + " |"
    return "\n".join([line(head), "|" + "---|" * len(head), *map(line, rows)])


def simulator(m):
    outputs = [m.run("sinew", "bench", "sim")]
    if "avx512" in outputs[0].split(maxsplit=1)[0].replace("-", "").lower():
        outputs.append(m.run("sinew", "bench", "sim", "--isa", "avx2"))
    if m.cores > 1:
        outputs.append(m.run("sinew", "bench", "sim", "--no-peer", "--threads", str(m.cores)))
    for worlds in ("64", "65536"):
        outputs.append(m.run("sinew", "bench", "sim", "--no-peer", "--worlds", worlds))
    m.section(None, text("\n\n".join(outputs)))


def control(m):
    m.section(None, text(m.run("sinew", "bench", "control")))


def scaling(m):
    m.section(None, text(m.run("sinew", "bench", "scaling")))


def networks(m):
    # The interpreter that runs this script has to have PyTorch.
    command = ("cargo", "run", "--release", "--quiet", "-p", "sinew-nn", "--example", "bench_networks", "--")
    printed = m.run(*command, sys.executable, shown=" ".join(command) + " python3")
    head, _, rows = printed.partition("\n")
    m.section(None, f"{head}.\n\n{rows}")


def mujoco(m):
    m.section("Equations and contact", text(m.run("python3", "scripts/compare_mujoco.py")))
    motions = []
    for name, clip, cycles in (("human", "jump", ()), ("dinosaur", "walk", ("--cycles", "3")), ("dinosaur", "boxing", ())):
        out, words = f"{m.folder}/{name}-{clip}", ("sinew", "transfer", name, "--clip", clip, *cycles, "--preset", "quick")
        m.json(*words, "--out", out, shown=" ".join(words))
        motions.append(out)
    for script, heading in (("check_physics.py", "Newton's law"), ("replay_mujoco.py", "Motions played in MuJoCo")):
        output = m.run("python3", f"scripts/{script}", *motions, shown=f"python3 scripts/{script} FOLDER...")
        m.section(heading, text(output.replace(f"{m.folder}/", "")))


def motions(m, name, seeds, settings="", listed="few_motions.tsv", each=True):
    """Transfers the motions of a list in scripts/, with settings in TOML; returns the table and the result of each run by its name."""
    # Hours of work: kept, so that an interrupted measurement goes on.
    kept = pathlib.Path(m.kept, f"{name}-{m.commit}")
    words = ["scripts/measure_transfers.py", "--list", f"scripts/{listed}", "--seeds", seeds, *(["--each"] if each else [])]
    command, shown = ["python3", *words, "--sinew", m.sinew, "--out", str(kept)], " ".join(words)
    if m.data:
        command, shown = [*command, "--data", m.data], f"{shown} --data FOLDER"
    if settings:
        path = pathlib.Path(m.folder, f"{name}.toml")
        path.write_text(settings)
        command, shown = [*command, "--config", str(path)], f"{shown} --config {name}.toml"
    printed = m.run(*command, shown=shown)
    return printed, {path.parent.name: json.loads(path.read_text()) for path in sorted(kept.glob("*/result.json"))}


def transfer(m):
    m.section("Every clip of every rig", motions(m, "every", "0", listed="motions.tsv", each=False)[0])
    m.section("Three seeds", motions(m, "measured", "0,1,2")[0])


def greedy(m):
    both = 'polish = "none"\nsecond_tries = 0\nstops_below = "none"\n'
    of = {"wide": both + "starts = 4\niterations = 48\n", "greedy": both + "starts = 1\niterations = 192\n"}
    wide, greedy = (motions(m, name, "0", settings)[1] for name, settings in of.items())
    stand = [run for run in wide if run in greedy and wide[run]["completed"] and greedy[run]["completed"]]
    ratios = {run: greedy[run]["cost_mean"] / wide[run]["cost_mean"] for run in stand}
    mean = math.exp(statistics.mean(map(math.log, ratios.values())))
    falls = lambda runs: ", ".join(run for run in runs if not runs[run]["completed"]) or "none"
    rows = [
        ("falls", falls(wide), falls(greedy)),
        (f"closer to the target, of {len(stand)} that complete", sum(x > 1 for x in ratios.values()), sum(x < 1 for x in ratios.values())),
        ("geometric mean of cost, relative to the wide band", 1, f"{mean:.2f}"),
    ]
    body = table(("what", "wide band (4 start states)", "greedy (1 start state)"), rows)
    each = table(("motion", "cost, greedy over wide band"), ((run, f"{ratios[run]:.2f}") for run in sorted(ratios, key=ratios.get)))
    settings = "\n\n".join(f"# {name}.toml\n{text.strip()}" for name, text in of.items())
    m.section("Wide band against greedy search", f"Both searches have the same budget.\n\n```toml\n{settings}\n```\n\n{body}\n\n{each}")


def paper(m):
    rows = []
    for name, clip, cycles in (("dinosaur", "walk", "3"), ("human", "walk", "2"), ("human", "jump", None), ("human", "punch", None)):
        words = ("sinew", "transfer", name, "--clip", clip, *(("--cycles", cycles) if cycles else ()))
        row = [f"{name} {clip}"]
        for seeds, flags in ((1, ("--preset", "paper")), (3, ()), (3, ("--from-rest",))):
            run = lambda seed: m.json(*words, *flags, "--seed", str(seed), "--out", f"{m.folder}/run", shown=" ".join((*words, *flags)))
            got = [run(seed) for seed in range(seeds)]
            median = lambda field: statistics.median(result[field] for result in got)
            row.append(f"{median('cost_mean'):.3f}, {median('jerk_ratio'):.1f}, {100 * median('foot_skate'):.1f}, {median('steps') / 1e6:,.0f} M")
        rows.append(row)
    head = ("motion", "`paper`, seed 0: cost, jerk, skate (cm), steps", "`default`, median of seeds 0 to 2", "`default --from-rest`, the same")
    m.section("Preset `default` against preset `paper`", table(head, rows))


def speed(m):
    rows = []
    for preset in ("quick", "default"):
        for clip, cycles in (("walk", ("--cycles", "6")), ("boxing", ())):
            words = ("sinew", "transfer", "dinosaur", "--clip", clip, *cycles, "--preset", preset)
            got = m.json(*words, "--out", f"{m.folder}/{preset}-{clip}", shown=" ".join(words))
            each = got["wall_secs"] / got["duration_secs"]
            rows.append((f"`{preset}`", clip, got["threads"], f"{got['duration_secs']:.1f}", f"{got['wall_secs']:.1f}", f"{each:.2f}"))
    m.section(None, table(("preset", "motion of the dinosaur", "threads", "length, s", "time, s", "time for each second of motion, s"), rows))


def assist(m):
    words = ("sinew", "transfer", "human", "--clip", "jump", "--preset", "quick", "--assist")
    points = m.json(*words, "--out", f"{m.folder}/jump", shown=" ".join(words))["assist"]
    row = lambda p: (
        f"{100 * p['mean_help']:.1f} %",
        f"{100 * p['share_of_time']:.0f} %",
        f"{p['cost_mean']:.3f}",
        f"{100 * p['effectors_off_m']:.1f} cm",
        "yes" if p["completed"] else "no",
    )
    head = ("mean help, of the weight", "share of time", "cost", "effectors off", "completed")
    m.section("The human's jump", table(head, map(row, points)))


def feedback(m):
    walk = ("sinew", "transfer", "dinosaur", "--clip", "walk", "--cycles", "6")
    m.json(*walk, "--out", f"{m.folder}/walk", shown=" ".join((*walk, "--out w")))
    got = m.json("sinew", "feedback", f"{m.folder}/walk", shown="sinew feedback w")
    rows = [(f"repetitions of {got['tested_repetitions']}", got["repetitions_open_loop"], got["repetitions_feedback"])]
    for push in got["pushes"]:
        rows.append((f"largest push survived at {push['direction_deg']:.0f}°, N", f"{push['newtons_open_loop']:.0f}", f"{push['newtons_feedback']:.0f} ({push['weight_secs_feedback']:.3f} s of the weight)"))
    head = ("what", "without feedback", "with feedback")
    m.section(None, f"{table(head, rows)}\n\nThe training and its test take {got['wall_secs']:.0f} s on {got['threads']} threads.")


def pareto(m):
    m.run("sinew", "pareto", "figures", "--seed", "1", "--seeds", "5", "--out", f"{m.folder}/figures", shown="sinew pareto figures --seed 1 --seeds 5")
    with open(f"{m.folder}/figures/searches.csv", newline="") as file:
        head, *rows = csv.reader(file)
    m.section("Searches over five seeds", table(head, rows))
    m.section("The dial", text(m.run("cargo", "run", "--quiet", "--release", "-p", "sinew-pareto", "--example", "dial_table")))


def characters(m):
    files = [rig for rig in RIGS if "/" not in rig]
    files += [f"{m.data}/{rig}" for rig in RIGS if m.data and "/" in rig and pathlib.Path(m.data, rig).exists()]
    outputs = [m.run("sinew", "bench", "rig", file, shown=f"sinew bench rig {pathlib.Path(file).name}") for file in files]
    m.section(None, text("\n\n".join(outputs)))


def retarget(m):
    def moved(heading, character, files, *more):
        command = ["scripts/retarget_folder.py", character, *(f"{m.data}/{file}" for file in files), "--sinew", m.sinew, *more]
        shown = " ".join(["scripts/retarget_folder.py", pathlib.Path(character).name, *(pathlib.Path(f).name for f in files[:3]), *(["…"] if files[3:] else []), *more])
        m.section(heading, m.run(*command, shown=shown))

    captured = sorted(f"bvh/{path.name}" for path in pathlib.Path(m.data, "bvh").glob("cmu_*.bvh"))
    moved("Captured people on the embedded human", "human", captured)
    people = ["bvh/cmu_02_01.bvh", "bvh/cmu_49_02.bvh", "bvh/makehuman_walk1.bvh", "bvh/pymo_AV_8Walk_Meredith.bvh", "deepmimic/humanoid3d_walk.txt",
              "deepmimic/humanoid3d_cartwheel.txt", "fbx/Zombie.fbx", "gltf/KayKit_Med_MovementBasic.glb", "gltf/RobotExpressive.glb"]
    for character in ("King", "Worker", "Suit", "Stan", "Trex"):
        moved(f"People on {character}", f"{m.data}/gltf/{character}.glb", people, "--short")
    for source, character in (("Wolf", "Fox"), ("Husky", "Alpaca"), ("Husky", "Bull"), ("Alpaca", "ShibaInu")):
        moved(f"{source} on {character}", f"{m.data}/gltf/{character}.glb", [f"gltf/{source}.glb"], "--short")
    clips = ["02_01", "16_17", "35_01", "118_01", "13_11", "49_02", "06_14", "13_18", "90_17", "140_03", "139_18", "104_41", "137_12", "74_03", "91_03"]
    m.section("Beside mink", m.run("python3", "scripts/retarget_peer.py", "--data", f"{m.data}/bvh", "--sinew", m.sinew, *(f"cmu_{clip}" for clip in clips), shown=f"python3 scripts/retarget_peer.py cmu_{clips[0]} …"))


def track(m):
    """The hop that the authors of Park et al. 2019 released, with their own body, beside their log; then the embedded characters."""
    park = pathlib.Path(m.data or ".", "park")
    if (park / "chicken_log.csv").exists():
        log = [{name: float(value) for name, value in row.items()} for row in csv.DictReader((park / "chicken_log.csv").open())]
        made = m.json("sinew", "learn", "tracker", f"{park}/chicken_reference.npy", "--character", f"{park}/humanoid.xml", "-o", f"{m.folder}/hop",
                      shown="sinew learn tracker chicken_reference.npy --character humanoid.xml -o hop --json")
        per_minute = 60 * made["transitions_per_sec"]
        rows = []
        for wanted in (5e6, 10e6, 20e6, 27e6, 40e6, 51e6, 60e6):
            if wanted > 1.02 * made["transitions"]:
                break
            ours = min(made["curve"], key=lambda row: abs(row["transitions"] - wanted))
            theirs = min(log, key=lambda row: abs(row["transitions"] - wanted))
            rows.append([f"{wanted / 1e6:.0f} M", f"{ours['transitions'] / per_minute:.1f} min", f"{ours['training_reward_per_frame']:.2f}",
                         f"{ours['reward_per_frame']:.2f}", f"{100 * ours['falls_share']:.0f} %", f"{theirs['elapsed_secs'] / 3600:.1f} h", f"{theirs['reward_per_frame']:.2f}"])
        figures = table(["transitions", "time", "in training", "without noise", "of 5 s episodes fall", "their time", "theirs, in training"], rows)
        m.section(f"The released hop, {machine()}", figures + "\n\n" + figures_of(made))
    rows = []
    for name in ("dinosaur", "human", "quadruped"):
        made = m.json("sinew", "learn", "tracker", name, "--minutes", "3", "-o", f"{m.folder}/{name}", shown=f"sinew learn tracker {name} --minutes 3 --json")
        rows.append([name, *row_of(made)])
    m.section(f"Clips of the embedded characters, {machine()}", table(["clips of", *ROW_OF_POLICY], rows))


ROW_OF_POLICY = ("transitions", "reward", "completion", "10 s episodes that fall", "bodies off", "within 0.25 m")


# Rigs of --data that are to walk or to stand live, with their clips.
LIVE_RIGS = (
    ("gltf/KayKit_Barbarian.glb", "Walking_A"), ("gltf/RobotExpressive.glb", "Walking"), ("gltf/Astronaut_FinnTheFrog_draco.glb", "Walk"),
    ("gltf/PlatformerCharacter.glb", "Walk"), ("gltf/greenman.glb", "2_move"), ("gltf/Stan.glb", "Walk"), ("gltf/Enemy_Large.glb", "Walk"),
    ("gltf/Trex.glb", "TRex_Walk"), ("gltf/Dino.gltf", "Walk"), ("gltf/Triceratops.glb", "Triceratops_Walk"), ("gltf/Stegosaurus.glb", "Stegosaurus_Walk"),
    ("gltf/Husky.glb", "Walk"), ("gltf/Wolf.glb", "Walk"), ("gltf/Bull.glb", "Walk"), ("gltf/Alpaca.glb", "Walk"), ("gltf/Fox.glb", "Walk"),
    ("gltf/Frog.glb", "Frog_Idle"), ("gltf/Spider.glb", "Spider_Walk"), ("deepmimic/humanoid3d_walk.txt", None), ("fbx/Zombie.fbx", "Walk"),
)


def live(m):
    head = ("motion", "method", "rollouts in a plan", "CPU time of a plan, ms (99 of 100)", "times real time, one core", "falls", "joints off", "root off", "pace")

    def performed(file, clip, *more):
        command = ("sinew", "live", file, *(("--clip", clip) if clip else ()), *more)
        return m.json(*command, "--threads", "1", shown=" ".join(("sinew", "live", pathlib.Path(file).name, *command[3:])))

    def row(file, clip, method, *more):
        got = performed(file, clip, "--method", method, *more)
        pace = "–" if got["pace"] is None else f"{100 * got['pace']:.0f} %"
        name = f"{pathlib.Path(file).stem}, {got['clip']}"
        return (name, method, got["rollouts_per_plan"], f"{got['plan_ms_p50']:.1f} ({got['plan_ms_p99']:.1f})", f"{got['real_time_factor']:.1f}", got["falls"],
                f"{got['joints_off_deg']:.1f}°", f"{got['root_off_deg']:.1f}°", pace)

    rigs = (("dinosaur", "walk"), ("human", "walk"), ("human", "idle"), ("quadruped", "walk"))
    m.section(None, table(head, [row(*rig, method, "--seconds", "60") for rig in rigs for method in ("gauss-newton", "sampling")]))

    rows = []
    for name in ("dinosaur", "human"):
        walk = ("sinew", "transfer", name, "--clip", "walk", "--cycles", "6", "--preset", "quick")
        m.json(*walk, "--out", f"{m.folder}/{name}", shown=" ".join((*walk, "--out w")))
        before = m.json("sinew", "feedback", f"{m.folder}/{name}", shown="sinew feedback w")["pushes"]
        limits = {method: m.json("sinew", "live", f"{m.folder}/{name}", "--push-limits", "--method", method, shown=f"sinew live w --push-limits --method {method}") for method in ("gauss-newton", "sampling")}
        weight = performed(f"{m.folder}/{name}", None, "--seconds", "1")["weight_n"]
        for index, push in enumerate(before):
            least = [f"{min(rows[index]['first_half'], rows[index]['second_half']):.2f}" for rows in limits.values()]
            rows.append((f"{name}, {push['direction_deg']:.0f}°", f"{push['newtons_open_loop'] / weight:.2f}", f"{push['newtons_feedback'] / weight:.2f}", *least))
    m.section("Pushes", table(("walk, direction", "open loop", "sinew feedback", "live, gauss-newton", "live, sampling"), rows))

    changes = (("nothing",), ("mass × 0.7", "--mass", "0.7"), ("mass × 1.3", "--mass", "1.3"), ("friction 0.4", "--friction", "0.4"), ("step of 10 cm", "--step", "0.1"), ("slope of 5°", "--slope", "5"))
    falls = lambda rig, more: performed(*rig, "--seconds", "20", *more)["falls"]
    m.section("Another world", table(("world", *(" ".join(rig) for rig in rigs)), [(what, *(falls(rig, more) for rig in rigs)) for what, *more in changes]))

    if m.data:
        listed = [(f"{m.data}/{file}", clip) for file, clip in LIVE_RIGS if pathlib.Path(m.data, file).exists()]
        m.section("Rigs", table(head, [row(*rig, "gauss-newton", "--seconds", "60") for rig in listed]))


def row_of(made):
    return [f"{made['transitions'] / 1e6:.0f} M", f"{made['reward_per_frame']:.3f}", f"{made['completion']:.3f}", f"{made['falls']} of {made['episodes']}",
            f"{100 * made['mean_body_error_m']:.1f} cm", f"{100 * made['within_quarter_metre']:.0f} %"]


def figures_of(made):
    figures = ", ".join(f"{name} {value}" for name, value in zip(ROW_OF_POLICY, row_of(made)))
    return f"At the end: {figures}; {made['transitions_per_sec']:,.0f} transitions a second, {made['wall_secs'] / 60:.1f} min in all, {made['parameters']:,} numbers learnt."


def studio(m):
    m.section(None, text(m.run("scripts/measure_studio.sh", m.sinew, shown="scripts/measure_studio.sh")))


SUBJECTS = {
    measure.__name__: measure
    for measure in (simulator, control, scaling, networks, mujoco, transfer, greedy, paper, speed, assist, feedback, pareto, characters, retarget, track, live, studio)
}
# Subjects that have no file of their own.
FILE_OF = {"greedy": "transfer", "paper": "transfer"}


def cpu_name():
    try:
        names = re.findall(r"^model name\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        names = []
    return re.sub(r"\((R|TM)\)", "", names[0] if names else platform.processor() or platform.machine()).strip()


def commit_of_build(sinew):
    """Short hash of the present commit, with a plus where files differ from it. The program must be newer than the last change of its sources."""
    git = lambda *words: subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    sources = ("--", "crates", "assets", "Cargo.lock")
    head = git("rev-parse", "--short=7", "HEAD")
    if head.returncode != 0:
        sys.exit("there is no Git repository here; say which build this is with --commit HASH")
    if not sinew.exists() or sinew.stat().st_mtime < int(git("log", "-1", "--format=%ct", *sources).stdout):
        sys.exit(f"{sinew} is missing or older than its sources; build it with cargo build --release, or say which build it is with --commit HASH")
    changed = git("status", "--porcelain", "--untracked-files=no", *sources).stdout
    return head.stdout.strip() + ("+" if changed.strip() else "")


def machine():
    return f"{cpu_name()}, {os.cpu_count()} cores"


def written(heading, commit, commands, body):
    """A section as text: heading, where the figures come from, figures."""
    cell = "<br>".join(f"`{command}`" for command in dict.fromkeys(commands))
    head = table(("date", "commit", "CPU", "command"), [(datetime.date.today().isoformat(), commit, machine(), cell)])
    return f"## {heading}\n\n{head}\n\n{body}\n"


def replaced(document, heading, new):
    """The document with the section of this heading replaced, or added at its end."""
    parts = re.split(r"(?m)^(?=## )", document)
    same = [index for index, part in enumerate(parts) if part.split("\n", 1)[0] == f"## {heading}"]
    if same:
        parts[same[0]] = new
    else:
        parts.append(new)
    return "\n\n".join(part.strip() for part in parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT")
    parser.add_argument("--list", action="store_true", help="names all subjects")
    parser.add_argument("--data", help="folder with the rigs of scripts/motions.tsv")
    parser.add_argument("--sinew", default=str(ROOT / "target/release/sinew"), help="the program")
    parser.add_argument("--out", default=str(ROOT / "docs/results"), help="folder of the files")
    parser.add_argument("--commit", help="commit of the build; by default the present one")
    options = parser.parse_args()
    if options.list:
        print("\n".join(SUBJECTS))
        return
    unknown = [subject for subject in options.subjects if subject not in SUBJECTS]
    if unknown or not options.subjects:
        parser.error(f"name subjects out of {', '.join(SUBJECTS)}")
    sinew, data = pathlib.Path(options.sinew).resolve(), options.data and str(pathlib.Path(options.data).resolve())
    commit = options.commit or commit_of_build(sinew)
    pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)
    for subject in options.subjects:
        with tempfile.TemporaryDirectory() as folder:
            measurement = Measurement(str(sinew), data, commit, folder)
            SUBJECTS[subject](measurement)
        name = FILE_OF.get(subject, subject)
        path = pathlib.Path(options.out, f"{name}.md")
        # Other sections come from the repository, also where the file goes elsewhere.
        known = next((p for p in (path, ROOT / "docs/results" / f"{name}.md") if p.exists()), None)
        document = known.read_text() if known else f"# {name.capitalize()}\n"
        for heading, (commands, body) in measurement.sections.items():
            document = replaced(document, heading, written(heading, commit, commands, body))
        path.write_text(document)
        print(path)


if __name__ == "__main__":
    main()
