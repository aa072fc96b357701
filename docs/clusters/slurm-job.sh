#!/usr/bin/env bash
# What slurm.sh submits: slurm-job.sh FOLDER_OF_BATCH_SH STAGE; the part is the index in the array.
set -euo pipefail
# Slurm counts MiB. An eighth is left for the page cache, where the frequency index lies, and for the system.
export THREADS=$SLURM_CPUS_PER_TASK MEMORY=$((SLURM_MEM_PER_NODE * 7 / 8))MiB SCRATCH=${SCRATCH:-${TMPDIR:-/tmp}}
exec "$1/batch.sh" "$2" "${SLURM_ARRAY_TASK_ID:-}"
