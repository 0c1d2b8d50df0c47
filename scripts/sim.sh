#!/usr/bin/env bash
# The simulation with new seeds for as long as you like: ./scripts/sim.sh [SECONDS | Nh] [FIRST_SEED]. A failure prints the line that plays it again.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
if [[ $seconds == *h ]]; then seconds=$((${seconds%h} * 3600)); fi
seed=${2:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
scripts/build.sh release pystream_sim_tests
exec build/release/tests/pystream_sim_tests --seed "$seed" --seconds "$seconds"
