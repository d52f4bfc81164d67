#!/usr/bin/env bash
# A fit in N shares on the cores of this machine (or, with --sshlogin, of several) by GNU parallel, then put together.
#   ./parallel.sh N DATA OUT [flags of fit]
set -euo pipefail

shards=$1 data=$2 out=$3
shift 3
# All shares run at once, so they may wait for each other after each round.
parallel --will-cite --halt now,fail=1 --jobs "$shards" \
    latentropy fit "$data" "$@" --threads 1 --quiet --out "$out" --shard {}/"$shards" --wait 1h ::: $(seq "$shards")
latentropy merge "$out"
