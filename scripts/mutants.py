#!/usr/bin/env python3
"""How many deliberate faults the tests of a crate notice.

    scripts/mutants.py sinew-optim
    scripts/mutants.py sinew-sim --only 'src/measure*' --every 3 --jobs 2

The faults are those that `cargo mutants --list` names (cargo install cargo-mutants). All of them are compiled at once: the body of a
function that has faults becomes a `match` on the number of the fault that is switched on, read from SINEW_MUTANT, so that the crate is built
once and not once for each. Faults that do not compile are left out, as are those in `const fn`. A test that fails, or that takes ten times as
long as without a fault, has noticed it.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWITCH = "SINEW_MUTANT"
SWITCH_FUNCTION = """
/// Which fault is switched on.
pub(crate) fn switched_on() -> usize {
    static NUMBER: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *NUMBER.get_or_init(|| std::env::var("SINEW_MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0))
}
"""


class Mutant:
    """One fault: a piece of a function's text that is replaced."""

    def __init__(self, number, listed, crate):
        self.number, self.name = number, listed["name"]
        self.file = pathlib.Path(listed["file"])
        self.inside = str(self.file.relative_to(crate))
        self.span, self.replacement = listed["span"], listed["replacement"]
        self.function = (listed.get("function") or {}).get("span")


def offset(lines, place):
    """Where a line and a column, both from 1, lie in a text whose lines begin at `lines`."""
    return lines[place["line"] - 1] + place["column"] - 1


def body_start(text):
    """Where the body of a function begins: the first brace that is not inside brackets of its signature."""
    depth = 0
    for at, letter in enumerate(text):
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == "{" and depth == 0:
            return at
    return None


def switched(source, mutants):
    """The text of a file with all faults behind switches, and the lines that each of them takes up."""
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    functions = collections.defaultdict(list)
    for mutant in mutants:
        begin, end = offset(lines, mutant.function["start"]), offset(lines, mutant.function["end"])
        functions[(begin, end)].append(mutant)
    pieces, done, places = [], 0, {}
    for (begin, end), of_function in sorted(functions.items()):
        text = source[begin:end]
        brace = body_start(text)
        if begin < done or brace is None or re.search(r"\bconst\s+(unsafe\s+)?fn\b", text[:brace]):
            continue
        pieces.append(source[done:begin] + text[:brace] + "{ match crate::switched_on() {\n")
        for mutant in of_function:
            first, last = offset(lines, mutant.span["start"]) - begin, offset(lines, mutant.span["end"]) - begin
            if first < brace:
                continue
            replacement = mutant.replacement
            if first == brace and not replacement.strip().startswith("{"):
                replacement = "{ " + replacement + " }"
            arm = text[brace:first] + replacement + text[last:]
            if first > brace and text[brace:first].strip() == "{" and text[last:].strip() == "}":
                arm = "{ " + replacement + " }"
            before = sum(piece.count("\n") for piece in pieces) + 1
            pieces.append(f"{mutant.number} => {arm}\n")
            places[mutant.number] = (before, before + arm.count("\n"))
        pieces.append("_ => " + text[brace:] + "\n} }")
        done = end
    pieces.append(source[done:])
    return "".join(pieces), places


def write_tree(tree, mutants, files):
    """Writes the switched files, and those without a fault as they are; the lines that each fault takes up, by file."""
    places = {}
    by_file = {file: [] for file in files}
    for mutant in mutants:
        by_file[mutant.file].append(mutant)
    for file, of_file in by_file.items():
        text, places[str(file)] = switched((ROOT / file).read_text(), of_file)
        (tree / file).write_text(text)
    return places


def build(tree, crate, mutants):
    """Compiles the tests; faults that do not compile are dropped. Returns the test binaries and the faults that are left."""
    root_file = tree / crate / "src/lib.rs"
    files = {mutant.file for mutant in mutants}
    while True:
        places = write_tree(tree, mutants, files)
        original = root_file.read_text()
        if "fn switched_on" not in original:
            root_file.write_text(original + SWITCH_FUNCTION)
        tried = {number for of_file in places.values() for number in of_file}
        mutants = [mutant for mutant in mutants if mutant.number in tried]
        manifest = str(tree / crate / "Cargo.toml")
        # In the tree's own target folder: crates of two trees have the same names in a shared one, and one would be taken for the other.
        command = ["cargo", "test", "--no-run", "--lib", "--tests", "--message-format", "json", "--manifest-path", manifest]
        environment = {**os.environ, "CARGO_TARGET_DIR": str(tree / "target")}
        found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        messages = [json.loads(line) for line in found.stdout.splitlines() if line.startswith("{")]
        if found.returncode == 0:
            tests = [m["executable"] for m in messages if m.get("executable") and m["profile"]["test"]]
            return tests, mutants
        wrong = set()
        for message in messages:
            if message.get("reason") != "compiler-message" or message["message"]["level"] != "error":
                continue
            for span in message["message"]["spans"]:
                for number, (first, last) in places.get(span["file_name"], {}).items():
                    if first <= span["line_start"] and span["line_end"] <= last:
                        wrong.add(number)
        if not wrong:
            rendered = [m["message"]["rendered"] for m in messages if m.get("reason") == "compiler-message" and m["message"]["level"] == "error"]
            sys.exit("the crate does not compile, and no fault is to blame:\n" + "\n".join(rendered[:3]))
        print(f"{len(wrong)} faults do not compile", flush=True)
        mutants = [mutant for mutant in mutants if mutant.number not in wrong]


def notices(tests, directory, number, limits, skip):
    """Whether some test fails with the fault."""
    environment = {**os.environ, SWITCH: str(number)}
    for test, limit in zip(tests, limits):
        command = [test, "--quiet", "--test-threads", "1"] + [word for name in skip for word in ("--skip", name)]
        try:
            quiet = subprocess.DEVNULL
            done = subprocess.run(command, cwd=directory, env=environment, stdout=quiet, stderr=quiet, timeout=limit)
        except subprocess.TimeoutExpired:
            return True
        if done.returncode != 0:
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", help="crate, as sinew-optim")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="files of the crate, as 'src/ik*'")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth fault only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--skip", action="append", default=[], metavar="TEST", help="tests whose name holds this are left out")
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT / "target/mutants", help="where the changed copy is built")
    options = parser.parse_args()

    crate = pathlib.Path("crates") / options.package.removeprefix("sinew-")
    listed = subprocess.run(["cargo", "mutants", "--list", "--json", "-p", options.package], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    mutants = [Mutant(number, one, crate) for number, one in enumerate(json.loads(listed.stdout), 1)]
    named = [m for m in mutants if not options.only or any(fnmatch.fnmatch(m.inside, glob) for glob in options.only)]
    chosen = [m for m in named[:: options.every] if m.function]

    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    for name in files.stdout.split("\n"):
        if (ROOT / name).is_file() and not name.startswith("docs/"):
            (options.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, options.tree / name)
    tests, viable = build(options.tree, crate, chosen)
    directory = options.tree / crate

    seconds = []
    for test in tests:
        began = time.monotonic()
        command = [test, "--quiet", "--test-threads", "1"] + [word for name in options.skip for word in ("--skip", name)]
        if subprocess.run(command, cwd=directory, stdout=subprocess.DEVNULL).returncode:
            sys.exit(f"{test} fails without a fault")
        seconds.append(time.monotonic() - began)
    order = sorted(range(len(tests)), key=lambda at: seconds[at])
    tests, limits = [tests[at] for at in order], [10 * seconds[at] + 5 for at in order]
    print(f"{len(named)} faults, {len(viable)} of {len(chosen)} tried compile; tests take {sum(seconds):.1f} s", flush=True)

    caught = collections.Counter()
    all_of = collections.Counter(m.inside for m in viable)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        verdicts = pool.map(lambda m: (m, notices(tests, directory, m.number, limits, options.skip)), viable)
        for mutant, noticed in verdicts:
            caught[mutant.inside] += noticed
            if not noticed:
                print("not noticed:", mutant.name, flush=True)
    print("\n| file | faults | noticed | share |\n|---|---|---|---|")
    rows = [(inside, count, caught[inside]) for inside, count in sorted(all_of.items())]
    for inside, count, found in rows + [("all", len(viable), sum(caught.values()))]:
        print(f"| `{inside}` | {count} | {found} | {100 * found / max(count, 1):.0f} % |")


if __name__ == "__main__":
    main()
