#!/usr/bin/env bash
# Builds PyStream and serves it on 127.0.0.1:8000 with its data in ./data. Arguments go to the server: ./scripts/run.sh --port=9000
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release pystream
exec build/release/pystream "$@"
