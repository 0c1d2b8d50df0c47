#!/usr/bin/env bash
# Makes .venv with schemathesis, which Debian does not package. Fails, and leaves none, when PyPI cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=schemathesis==4.32.5
stamp=.venv/${wanted//=/-}
if [[ -e $stamp ]]; then exit 0; fi
rm -rf .venv
trap 'if [[ ! -e $stamp ]]; then rm -rf .venv; fi' EXIT
/usr/bin/python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 "$wanted"
touch "$stamp"
