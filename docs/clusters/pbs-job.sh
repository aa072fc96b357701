#!/usr/bin/env bash
# What pbs.sh submits, with STAGE, HERE, THREADS and MEMORY; the part is the index in the array.
set -euo pipefail
cd "$PBS_O_WORKDIR"
export SCRATCH=${SCRATCH:-${PBS_LOCALDIR:-${TMPDIR:-/tmp}}}
exec "$HERE/batch.sh" "$STAGE" "${PBS_ARRAY_INDEX:-}"
