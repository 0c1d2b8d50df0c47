#!/usr/bin/env bash
# Builds PyStream and its load generator and measures: ./scripts/bench.sh [--quick] [--only NAME]... ; --help has all options, and
# docs/benchmark.md says what the figures mean. Settings of the server come from PYSTREAM_ variables.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -z ${BENCH_NO_BUILD:-} ]]; then scripts/build.sh release pystream pystream_bench; fi
exec /usr/bin/python3 tests/bench/bench.py "$@"
