#!/usr/bin/env bash
# Installs the pinned npm packages of a folder unless they are there already. No package script is ever run.
set -euo pipefail
cd "$(dirname "$0")/../${1:?usage: scripts/npm-install.sh FOLDER}"
if cmp -s package-lock.json node_modules/.installed; then exit 0; fi
echo "installing the npm packages of $1" >&2
if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2; then
    echo "npm could not install the packages of $1; VIEWER=OFF builds without the API viewer" >&2
    exit 1
fi
cp package-lock.json node_modules/.installed
