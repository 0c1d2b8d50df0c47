#!/usr/bin/env bash
# Builds PyStream and its load generator and measures: ./scripts/bench.sh [--quick] [--only NAME]... ; --help has all options, and
# docs/benchmark.md says what the figures mean. Settings of the server come from PYSTREAM_ variables.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=bench
targets=(pystream pystream_bench)
for argument in "$@"; do
    case $argument in
        --peers) packages=peers ;;
        --instructions) targets+=(bare_beast) ;;
    esac
done
scripts/install.sh "$packages"
scripts/build.sh release "${targets[@]}"
exec /usr/bin/python3 tests/bench/bench.py "$@"
