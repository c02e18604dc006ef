#!/usr/bin/env python3
"""Models every rigged file under a folder and prints a table: python3 scripts/model_folder.py FOLDER [sinew binary]"""

import json
import subprocess
import sys
import time
from pathlib import Path

SUFFIXES = {".glb", ".gltf", ".fbx", ".bvh", ".txt"}


def call(binary, command, path):
    began = time.time()
    done = subprocess.run([binary, command, str(path), "--json"], capture_output=True, text=True)
    return done, 1000 * (time.time() - began)


def row(binary, path):
    done, _ = call(binary, "inspect", path)
    if done.returncode != 0:
        return done.returncode, done.stderr.strip()
    seen = json.loads(done.stdout)
    kept = f"{seen['joints']} -{len(seen['dropped'])} ~{len(seen['reattached'])} ={len(seen['merged'])}"
    done, wall_ms = call(binary, "model", path)
    if done.returncode != 0:
        return done.returncode, f"{kept} | {done.stderr.strip()}"
    made = json.loads(done.stdout)
    height = made["height_m"]
    frames = sum(fit["frames"] for fit in made["ik"])
    mean = sum(fit["mean_error_m"] * fit["frames"] for fit in made["ik"]) / max(frames, 1)
    worst = max((fit["mean_error_m"] for fit in made["ik"]), default=0.0)
    most = max((fit["max_error_m"] for fit in made["ik"]), default=0.0)
    speed = max((fit["joint_speed"][0] / max(fit["joint_speed"][1], 1.0) for fit in made["ik"]), default=0.0)
    flight = made["preflight"]
    cover = made["cover"]
    centers = sum(body["center_outside"] for body in cover["bodies"]) if cover else 0
    skin = f"{100 * cover['covered']:.0f} / {100 * cover['outside']:.0f} / {centers}" if cover else ""
    cells = [
        kept, f"{height:.2f}", made["bodies"], made["dof"], f"{made['mass_kg']:.0f}", len(made["ik"]), frames,
        f"{100 * mean / height:.2f}", f"{100 * worst / height:.2f}", f"{100 * most / height:.1f}", f"{speed:.2f}",
        f"{100 * flight['height_kept']:.0f}", skin, f"{wall_ms:.0f}", "ok" if flight["ok"] else "; ".join(flight["problems"]),
    ]
    return 0, " | ".join(map(str, cells))


def main():
    folder = Path(sys.argv[1])
    binary = sys.argv[2] if len(sys.argv) > 2 else "target/release/sinew"
    print("| file | joints -dropped ~re-attached =merged | height m | bodies | DoF | kg | clips | frames | effectors off, mean % of height "
          "| worst clip % | max % | joint speed / source | height kept % "
          "| skin: covered % / outside % / centres outside | ms | pre-flight |")
    print("|" + "---|" * 16)
    failed = 0
    for path in sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.name != "README.md"):
        code, text = row(binary, path)
        failed += code not in (0, 1)
        print(f"| {path.name} | {text} |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
