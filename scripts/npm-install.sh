#!/usr/bin/env bash
# Installs the pinned npm packages of a folder when its lock file is newer than what is there. No package script is ever run.
set -euo pipefail
cd "$(dirname "$0")/../${1:?usage: scripts/npm-install.sh FOLDER}"
if [[ node_modules/.package-lock.json -nt package-lock.json ]]; then exit 0; fi
echo "installing the npm packages of $1" >&2
if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2; then
    echo "npm could not install the packages of $1; VIEWER=OFF builds without the API viewer" >&2
    exit 1
fi
