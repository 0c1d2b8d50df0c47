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

# suite NAME JUNIT COMMAND...: the counts come from the JUnit file that the command writes. A command that fails, ends early or
# runs no test at all has failed at least once, whatever the file says.
suite() {
    local name=$1 junit=$2 started=$SECONDS status=0 counts
    shift 2
    rm -f "$junit"
    "$@" >"$out/$name.log" 2>&1 || status=$?
    read -ra counts < <($python scripts/junit_counts.py "$junit")
    if ((status != 0 || counts[0] == 0)) && ((counts[1] == 0)); then counts[1]=1; fi
    if ((counts[1] > 0)); then tail -n 100 "$out/$name.log" >&2; fi
    report "$name" "${counts[0]}" "${counts[1]}" $((SECONDS - started))
}

# check NAME COMMAND...: one test, passed when the command succeeds.
check() {
    local name=$1 started=$SECONDS
    shift
    if "$@" >"$out/$name.log" 2>&1; then
        report "$name" 1 0 $((SECONDS - started))
    else
        tail -n 100 "$out/$name.log" >&2
        report "$name" 0 1 $((SECONDS - started))
    fi
}

boost_suite() {
    suite "$1" "$out/$1.xml" "$2" --color_output=no "--logger=HRF,error,stdout:JUNIT,error,$out/$1.xml"
}

pytest_suite() {
    suite "$1" "$out/$1.xml" $python -m pytest -p no:cacheprovider -q --junitxml="$out/$1.xml" "tests/$1"
}

mkdir -p "$out"
scripts/install.sh test
pytest_suite style
check build scripts/build.sh release all pystream_control
boost_suite unit build/release/tests/pystream_unit_tests
suite examples "$out/examples.xml" ctest --test-dir build/release -R '^example_' --output-on-failure --output-junit "$PWD/$out/examples.xml"
export PYSTREAM_BINARY=$PWD/build/release/pystream
pytest_suite integration

scripts/npm-install.sh tests/e2e
scripts/venv.sh || echo "PyPI cannot be reached: schemathesis is left out"
pytest_suite e2e

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
export ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-19
check asan-build scripts/build.sh asan pystream_unit_tests
boost_suite asan build/asan/tests/pystream_unit_tests
check tidy scripts/tidy.sh
if ((full)); then
    check tidy-all scripts/tidy.sh all
    check tsan-build scripts/build.sh tsan pystream_unit_tests
    boost_suite tsan build/tsan/tests/pystream_unit_tests
    check fuzz scripts/fuzz.sh 60
fi

echo
printf '%s\n' "${summary[@]}"
echo "$SECONDS s; logs are in $out"
echo "$passed passed, $failed failed"
((failed == 0))
