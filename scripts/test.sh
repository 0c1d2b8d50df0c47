#!/usr/bin/env bash
# Installs, builds and runs every test: ./scripts/test.sh [--full]. Logs and JUnit files are in build/test.
# --full adds ThreadSanitizer, a fuzz run, clang-tidy on every file, and lets the tests that loop do so for longer.
set -euo pipefail
cd "$(dirname "$0")/.."
python=/usr/bin/python3  # Debian's; another one on PATH lacks pytest
out=build/test
full=0
if [[ ${1:-} == --full ]]; then full=1; shift; fi
if (($# > 0)); then echo "usage: scripts/test.sh [--full]" >&2; exit 2; fi
export TEST_FULL=$full  # read by tests that can go on for longer

passed=0
failed=0
summary=()

# report NAME PASSED FAILED SECONDS
report() {
    passed=$((passed + $2))
    failed=$((failed + $3))
    summary+=("$(printf '%-14s %5d passed %4d failed %5d s' "$@")")
    echo "${summary[-1]}"
}

# suite NAME FILE COMMAND...: the counts come from the XML file that the command writes. A command that fails, ends early or
# runs no test at all has failed at least once, whatever the file says.
suite() {
    local name=$1 file=$2 started=$SECONDS status=0 counts
    shift 2
    rm -f "$file"
    "$@" >"$out/$name.log" 2>&1 || status=$?
    read -ra counts < <($python scripts/test_counts.py "$file")
    if ((status != 0 || counts[0] == 0)) && ((counts[1] == 0)); then counts[1]=1; fi
    if ((counts[1] > 0)); then tail -n 100 "$out/$name.log" >&2; fi
    report "$name" "${counts[0]}" "${counts[1]}" $((SECONDS - started))
}

# check NAME COMMAND...: one test, passed when the command succeeds; its own outcome is the same.
check() {
    local name=$1 started=$SECONDS
    shift
    if "$@" >"$out/$name.log" 2>&1; then
        report "$name" 1 0 $((SECONDS - started))
        return 0
    fi
    tail -n 100 "$out/$name.log" >&2
    report "$name" 0 1 $((SECONDS - started))
    return 1
}

# Not Boost's JUnit logger: it keeps every message in memory until the end, some GB of them.
boost_suite() {
    suite "$1" "$out/$1.xml" "$2" --color_output=no --report_format=XML --report_level=short --report_sink="$out/$1.xml"
}

pytest_suite() {
    suite "$1" "$out/$1.xml" $python -m pytest -p no:cacheprovider -q --junitxml="$out/$1.xml" "tests/$1"
}

# simulation BUILD POINTS: so many crash points, at least; the seeds are always the same.
simulation() {
    check "sim-${1##*/}" "$1/tests/pystream_sim_tests" --points "$2" || return 0
    tail -n 1 "$out/sim-${1##*/}.log"
}

# What is built optimised, once, for all of these.
release_suites() {
    export PYSTREAM_BINARY=$PWD/build/release/pystream
    boost_suite unit build/release/tests/pystream_unit_tests
    simulation build/release $((full ? 400000 : 30000))
    suite examples "$out/examples.xml" \
        ctest --test-dir build/release -R '^example_' --output-on-failure --output-junit "$PWD/$out/examples.xml"
    pytest_suite integration
    scripts/npm-install.sh tests/e2e
    scripts/venv.sh || echo "PyPI cannot be reached: schemathesis is left out"
    pytest_suite e2e
    check tidy scripts/tidy.sh "$@" || true
}

# sanitized PRESET: the unit tests once more, with that preset's sanitizers. Nothing stale is run when the build fails.
sanitized() {
    if check "$1-build" scripts/build.sh "$1" pystream_unit_tests pystream_sim_tests; then
        boost_suite "$1" "build/$1/tests/pystream_unit_tests"
        simulation "build/$1" 2000
    fi
}

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
export ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-19

mkdir -p "$out"
scripts/install.sh test
pytest_suite style
if check build scripts/build.sh release all pystream_control; then
    if ((full)); then release_suites all; else release_suites; fi
fi
sanitized asan
if ((full)); then
    sanitized tsan
    check fuzz scripts/fuzz.sh 60 || true
fi

echo
printf '%s\n' "${summary[@]}"
echo "$SECONDS s; logs are in $out"
echo "$passed passed, $failed failed"
((failed == 0))
