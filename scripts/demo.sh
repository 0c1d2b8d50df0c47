#!/usr/bin/env bash
# Streams a log file through a topic with curl alone, and checks what comes out: ./scripts/demo.sh [FILE]
# One line is one record; dpkg.log (the default) is keyed by package, any other file by the first word of a line.
# Uses the server at PYSTREAM_URL (http://127.0.0.1:8000), or starts one for itself if none answers there.
set -euo pipefail
export LC_ALL=C

if (($# > 1)) || [[ ${1:-} == -* ]]; then
    echo "usage: scripts/demo.sh [FILE]" >&2
    exit 2
fi
input=${1:-/var/log/dpkg.log}
if [[ $# -gt 0 && ! -r $input ]]; then
    echo "demo: cannot read $input" >&2
    exit 2
fi
if [[ -e $input ]]; then input=$(realpath "$input"); fi
cd "$(dirname "$0")/.."
for tool in curl jq awk; do
    if ! command -v "$tool" >/dev/null; then
        echo "demo: $tool is needed" >&2
        exit 1
    fi
done

url=${PYSTREAM_URL:-http://127.0.0.1:8000}
topic=demo-$(date +%Y%m%d-%H%M%S)-$$
partitions=3
work=$(mktemp -d)
server=

finish() {
    if [[ -n $server ]]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "  FAILED  $*" >&2
    exit 1
}

ready() { curl --silent --fail --output /dev/null --max-time 5 "$url/api/health/ready"; }

start_server() {
    local binary=${PYSTREAM_BINARY:-build/release/pystream} port=
    if [[ ! -x $binary ]]; then scripts/build.sh release pystream; fi
    env -u PYSTREAM_URL "$binary" --port=0 --data-dir="$work/data" >"$work/server.log" 2>&1 &
    server=$!
    for ((i = 0; i < 300; ++i)); do
        port=$(sed -n 's/.*"event":"listening".*"port":\([0-9]*\).*/\1/p' "$work/server.log" | head -n 1)
        url=http://127.0.0.1:$port
        if [[ -n $port ]] && ready; then return; fi
        if ! kill -0 "$server" 2>/dev/null; then break; fi
        sleep 0.1
    done
    cat "$work/server.log" >&2
    fail "the server does not start"
}

# Lines that look like a log, where there is none.
generate_log() {
    awk 'BEGIN { split("install configure status upgrade remove", verbs); for (i = 0; i < 3000; ++i)
        printf "%s package-%d line %d\n", verbs[i % 5 + 1], (i * i + 7 * i) % 97, i }'
}

# Standard input as JSON lines {"key":...,"value":...}. In dpkg.log the package is the fourth field, the fifth in "status" lines.
to_records() {
    jq --raw-input --compact-output '. as $line | .[0:500] as $start | [$start | splits("[ \t]+")] as $f
        | if ($start | test("^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d [a-z]+ ")) and ($f | length) > 3
          then (if $f[2] == "status" and $f[4] != null then $f[4] else $f[3] end | split(":")[0])
          else ($f | map(select(. != "")) | .[0]) end
        | {key: (if . == "" then null else . end), value: $line}'
}

# Batches of at most 1,000 records or about 2 MB, in files whose names sort.
cut_into_batches() {
    awk -v folder="$work" 'BEGIN { number = 1 }
        lines == 1000 || (lines > 0 && bytes + length($0) > 2000000) { close(file); ++number; lines = bytes = 0 }
        { file = sprintf("%s/batch-%06d", folder, number); print > file; ++lines; bytes += length($0) + 1 }'
}

# All of partition $1, page by page, into files whose names sort.
read_partition() {
    local path=$url/api/topics/$topic/partitions/$1/records offset=0 next page
    while true; do
        page=$(printf '%s/page-%d-%012d' "$work" "$1" "$offset")
        curl --silent --show-error --fail-with-body --dump-header "$work/head" --output "$page" \
            --header 'Accept: application/x-ndjson' "$path?offset=$offset&max_records=5000" || fail "$(cat "$page")"
        next=$(awk 'tolower($1) == "stream-next-offset:" { print $2 + 0 }' "$work/head")
        if ((next == offset)); then return; fi
        offset=$next
    done
}

# The pages of partition $1 as lines of PARTITION OFFSET KEY VALUE.
list_partition() {
    jq --raw-output --arg partition "$1" '[$partition, .offset, (.key | tojson), (.value | tojson)] | @tsv' "$work/page-$1-"*
}

seconds_since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.2f", to - from }'; }
rate() { awk -v count="$1" -v seconds="$2" 'BEGIN { printf "%d", count / (seconds > 0.01 ? seconds : 0.01) }'; }

if [[ ! -r $input ]]; then
    echo "There is no $input here, so lines are made up instead. Name a file to stream that: ./scripts/demo.sh FILE"
    generate_log >"$work/input"
    input="3,000 made-up lines"
elif iconv --from-code=utf-8 --to-code=utf-8 "$input" >"$work/input" 2>/dev/null; then
    :
else
    iconv --from-code=latin1 --to-code=utf-8 "$input" >"$work/input"
fi
to_records <"$work/input" >"$work/records"
count=$(wc -l <"$work/records")
if ((count == 0)); then fail "$input has no lines"; fi
cut_into_batches <"$work/records"

started=
if ! ready; then
    start_server
    started=" (started for this demo)"
fi
echo "PyStream at $url$started"
echo "$input: $count lines into topic $topic with $partitions partitions"
echo
curl --silent --show-error --fail-with-body --output "$work/created" --json "{\"name\":\"$topic\",\"partitions\":$partitions}" \
    "$url/api/topics" || fail "$(cat "$work/created")"

from=$EPOCHREALTIME
for batch in "$work"/batch-*; do
    curl --silent --show-error --fail-with-body --output "$work/answer-${batch##*-}" --data-binary "@$batch" \
        --header 'Content-Type: application/x-ndjson' "$url/api/topics/$topic/records" || fail "$(cat "$work/answer-${batch##*-}")"
done
seconds=$(seconds_since "$from")
printf '  wrote   %7d records  %6.2f s  %8d records/s, each durable before its answer\n' "$count" "$seconds" "$(rate "$count" "$seconds")"

from=$EPOCHREALTIME
for ((p = 0; p < partitions; ++p)); do read_partition "$p"; done
seconds=$(seconds_since "$from")
for ((p = 0; p < partitions; ++p)); do list_partition "$p"; done >"$work/read"
read_count=$(wc -l <"$work/read")
printf '  read    %7d records  %6.2f s  %8d records/s\n\n' "$read_count" "$seconds" "$(rate "$read_count" "$seconds")"

# What was sent, at the places that the answers named.
jq --raw-output '[(.key | tojson), (.value | tojson)] | @tsv' "$work/records" >"$work/sent"
cat "$work"/answer-* | jq --raw-output '.results[] | [.partition, .offset] | @tsv' >"$work/places"
paste "$work/places" "$work/sent" | sort -n -k1,1 -k2,2 >"$work/expected"
if ! cmp --silent "$work/expected" "$work/read"; then
    diff "$work/expected" "$work/read" | head -n 10 >&2 || true
    fail "what was read is not what was written"
fi
echo "  ok      every line is there, at the partition and offset that its answer named"

in_order_of_keys() { awk -F '\t' '$1 != "null"' | sort --stable --field-separator=$'\t' --key=1,1; }
if ! cmp --silent <(in_order_of_keys <"$work/sent") <(cut -f 3- "$work/read" | in_order_of_keys); then
    fail "a key is out of order"
fi
keys=$(awk -F '\t' '$3 != "null" { print $3 }' "$work/read" | sort -u | wc -l)
homes=$(awk -F '\t' '$3 != "null" { print $1, $3 }' "$work/read" | sort -u | wc -l)
if ((keys != homes)); then fail "a key is in more than one partition"; fi
echo "  ok      $keys keys, each in one partition and in the order of the file"
for ((p = 0; p < partitions; ++p)); do
    printf '          partition %d has %d records\n' "$p" "$(awk -v p="$p" '$1 == p' "$work/read" | wc -l)"
done

cat <<END

Where to look next
  $url/docs
  curl '$url/api/topics/$topic/partitions/0/records?offset=0&max_records=3'
  curl '$url/api/topics/$topic/partitions/0/records?from=latest&wait_ms=10000'   # waits for the next record
  curl -X DELETE '$url/api/topics/$topic'
END
if [[ -n $started ]]; then
    if [[ -t 0 && -t 1 ]]; then
        read -rp $'\nThis server and its data go when you press Enter. '
    else
        echo "That server ends now; ./scripts/run.sh starts one that stays."
    fi
fi
