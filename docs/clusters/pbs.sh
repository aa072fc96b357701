#!/usr/bin/env bash
# All stages on PBS Professional or OpenPBS: pbs.sh PARTS, in the folder of the corpus. CPUS and NODE_MEMORY (GiB) are a
# job's share of a node, QSUB_OPTIONS what the site asks for (project and queue, or on ABCI: -P GROUP -q RESOURCE_TYPE).
set -euo pipefail
parts=$1
here=$(cd "$(dirname "$0")" && pwd)
cpus=${CPUS:-32} memory=${NODE_MEMORY:-128}
read -ra options <<<"${QSUB_OPTIONS:-}"
select=${SELECT:-1:ncpus=$cpus:mem=${memory}gb}
mkdir -p logs

# submit STAGE TIME [OPTION…]: a job, or an array with a task for each part; prints its number.
submit() {
    qsub "${options[@]}" -N "uzushio-$1" -l "select=$select" -l "walltime=$2" -j oe -o logs/ "${@:3}" \
        -v "STAGE=$1,HERE=$here,THREADS=$cpus,MEMORY=$((memory * 7 / 8))GiB" "$here/pbs-job.sh"
}

"$here/batch.sh" split "$parts"
array=(-J "0-$((parts - 1))" -r y)
extract=$(submit extract 12:00:00 "${array[@]}")
stats=$(submit stats 12:00:00 "${array[@]}" -W "depend=afterok:$extract")
merge=$(submit merge 24:00:00 -W "depend=afterok:$stats")
filter=$(submit filter 12:00:00 "${array[@]}" -W "depend=afterok:$merge")
echo "extract $extract, stats $stats, merge $merge, filter $filter"
