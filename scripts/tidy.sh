#!/usr/bin/env bash
# clang-tidy (.clang-tidy) on the files below the asynchronous layers, or on all: ./scripts/tidy.sh [all]
# A file is skipped when it, every header of ours and the checks are as they were when it last passed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/release
stamps=build/tidy
folders=(core/base core/io core/storage core/topics core/groups core/cluster config)
if [[ ${1:-} == all ]]; then folders=(core config api server); fi

mkdir -p "$stamps"
headers=$(find core config api server -name '*.hpp' -print0 | sort -z | xargs -0 cat .clang-tidy | sha256sum)

tidy() {
    local stamp
    stamp=$stamps/$( (echo "$headers" "$1" && cat "$1") | sha256sum | cut -c1-32)
    if [[ -e $stamp ]]; then return; fi
    clang-tidy-19 --quiet -p "$build" "$1" 2> >(grep -v 'warnings generated' >&2) && touch "$stamp"
}
export -f tidy
export build stamps headers
find "${folders[@]}" -name '*.cpp' -not -name 'print_*' -print0 | xargs -0 -P "$(nproc)" -I{} bash -c 'tidy {}'
