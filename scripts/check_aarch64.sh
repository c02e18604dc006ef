#!/usr/bin/env bash
# The same bits on AArch64 as here: simulations and small transfers, cross-built and run under qemu's user-mode emulation.
# Installs what is missing. Where that cannot be had, this is an error in CI (CI=true) and a sentence elsewhere.
#
#   scripts/check_aarch64.sh               builds the example same_bits for this machine, too
#   scripts/check_aarch64.sh SAME_BITS     takes a built one, of any profile: all give the same bits
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-gnu

give_up() {
  echo "AArch64 is not checked: $1 is missing and could not be installed" >&2
  if [ "${CI:-}" = true ]; then exit 1; else exit 0; fi
}

if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
  packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
  # shellcheck disable=SC2086
  (apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages) >/dev/null || give_up "one of $packages"
fi
rustup target list --installed | grep -qx "$target" || rustup target add "$target" || give_up "Rust's target $target"

if [ $# -gt 0 ]; then
  here=$("$1")
else
  here=$(cargo run --release --quiet -p sinew-transfer --example same_bits)
fi

# Optimised enough to run in seconds, and built sooner than a release.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=2 CARGO_PROFILE_RELEASE_DEBUG=false
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
there=$(cargo run --release --quiet -p sinew-transfer --example same_bits --target "$target")

if [ "$here" != "$there" ]; then
  printf 'AArch64 gives other bits.\nhere:\n%s\nAArch64:\n%s\n' "$here" "$there" >&2
  exit 1
fi
printf '%s\n' "$here"
