#!/usr/bin/env bash
# What the studio costs, in a real browser: first view, stream, draw calls, bundle, 50 watchers. Takes about two minutes; wants a machine that does nothing else.
#   scripts/measure_studio.sh [path of the sinew program]        PAIRS=5 for more runs with and without watchers
set -euo pipefail
cd "$(dirname "$0")/.."
binary="$(realpath "${1:-target/release/sinew}")"
test -x "$binary" || { echo "there is no program $binary; build it with cargo build --release -p sinew-cli" >&2; exit 1; }
command -v chromium >/dev/null || { echo "chromium is missing; install it, for instance with apt-get install chromium" >&2; exit 1; }
cd crates/studio/web/tests
test -d node_modules/playwright-core || npm ci --silent --no-fund --no-audit
SINEW_BINARY="$binary" node measure.mjs
