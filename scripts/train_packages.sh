#!/usr/bin/env bash
# Brings the embedded characters to life, from their own clips, as packages that the program carries: assets/packages/NAME.
# About 15 minutes each. How far a training comes in a time depends on the machine, so that transitions are fixed: those after which the
# packages of the repository were taken. The same program gives the same bytes each time. Those of the repository are older than the tasks of play and
# the forecasts that policies practise on now (docs/track.md), so that the script makes others.
set -euo pipefail
cd "$(dirname "$0")/.."
sinew=${SINEW:-target/release/sinew}
work=${1:-target/packages}
declare -A millions=([dinosaur]=29.433856 [human]=50.855936 [quadruped]=20.709376)
for name in ${NAMES:-dinosaur human quadruped}; do
  "$sinew" bring "$name" -o "$work/$name" --transitions "${MILLIONS:-${millions[$name]}}" --resume
  mkdir -p "assets/packages/$name"
  # The artist's file is embedded already.
  for file in package.toml character.toml motion.generator policy.safetensors; do
    cp "$work/$name/$file" "assets/packages/$name/$file"
  done
  sed -i '/^rig = /d; /^"rig.glb" = /d' "assets/packages/$name/package.toml"
done
