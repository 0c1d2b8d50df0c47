#!/usr/bin/env bash
# Installs what is missing on Debian 12: ./scripts/install.sh [build|test|bench|peers]. Silent when nothing is. peers are the servers that
# bench.sh --peers compares with; where systemd runs, Debian starts them as services, which the comparison does not need.
set -euo pipefail

build_packages=(clang-19 lld-19 libclang-rt-19-dev llvm-19 cmake ninja-build ccache pkg-config libboost1.81-dev libboost-json1.81-dev
    libboost-program-options1.81-dev libboost-test1.81-dev libboost-url1.81-dev libssl-dev libzstd-dev libisal-dev curl jq
    ca-certificates)
test_packages=(clang-tidy-19 clang-format-19 shellcheck strace chromium xfsprogs python3 python3-venv python3-pytest)

bench_packages=(python3 python3-matplotlib valgrind)
peer_packages=(redis-server nats-server postgresql-15)

wanted=("${build_packages[@]}")
case ${1:-build} in
    test) wanted+=("${test_packages[@]}") ;;
    bench) wanted+=("${bench_packages[@]}") ;;
    peers) wanted+=("${bench_packages[@]}" "${peer_packages[@]}") ;;
esac

missing=()
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
for package in "${wanted[@]}"; do
    if ! grep -qx "installed $package" <<<"$installed"; then missing+=("$package"); fi
done
# By command, not by package: where Node comes from NodeSource, Debian's npm conflicts with it.
if ! command -v node >/dev/null; then missing+=(nodejs); fi
if ! command -v npm >/dev/null; then missing+=(npm); fi
if ((${#missing[@]} == 0)); then exit 0; fi

as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
        echo "missing packages, and neither root nor sudo to install them: ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
