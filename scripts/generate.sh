#!/usr/bin/env bash
# Puts what config/settings_table.cpp generates into docs/configuration.md and config/pystream.env.example.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh dev pystream_print_settings
print=build/dev/pystream_print_settings
"$print" env >config/pystream.env.example
"$print" markdown >build/dev/settings.md
sed -i -e '/^<!-- table -->$/,/^<!-- end of table -->$/{//!d}' -e '/^<!-- table -->$/r build/dev/settings.md' docs/configuration.md
