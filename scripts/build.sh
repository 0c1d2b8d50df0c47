#!/usr/bin/env bash
# Installs what is missing and builds: ./scripts/build.sh PRESET [TARGET...]. Presets: dev, release, asan, tsan, fuzz.
# VIEWER=OFF leaves the API viewer out, and then needs neither Node nor the npm registry; JOBS=n sets the parallel jobs.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: scripts/build.sh PRESET [TARGET...]}
shift

scripts/install.sh build

# A job takes up to 2 GB.
memory_gb=$(awk '/^MemTotal/ { print int($2 / 1048576) }' /proc/meminfo)
jobs=${JOBS:-$(nproc)}
if ((jobs > memory_gb / 2)); then jobs=$((memory_gb / 2)); fi
if ((jobs < 1)); then jobs=1; fi

options=()
case $preset in dev | release) options+=("-DPYSTREAM_VIEWER=${VIEWER:-ON}") ;; esac
if [[ ${options[*]:-} == *=ON ]]; then scripts/npm-install.sh api/viewer; fi

# CMake runs again by itself when one of its inputs changes; only the first time and a changed switch need it here.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
targets=(all)
if (($# > 0)); then targets=("$@"); fi
quiet=(--quiet)
if [[ -t 1 ]]; then quiet=(); fi
ninja -C "build/$preset" -j "$jobs" "${quiet[@]}" "${targets[@]}" >&2
