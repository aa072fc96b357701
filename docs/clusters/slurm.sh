#!/usr/bin/env bash
# All stages on Slurm: slurm.sh PARTS, in the folder of the corpus. CPUS and NODE_MEMORY (GiB) are a job's share of a node,
# AT_ONCE is how many parts are worked on at once, SBATCH_OPTIONS what the site asks for (account, partition).
set -euo pipefail
parts=$1
here=$(cd "$(dirname "$0")" && pwd)
read -ra options <<<"${SBATCH_OPTIONS:-}"
options+=(--parsable --requeue --nodes 1 --ntasks 1 --cpus-per-task "${CPUS:-32}" --mem "${NODE_MEMORY:-128}G")
mkdir -p logs

# submit STAGE TIME [OPTION…]: a job, or an array with a task for each part; prints its number.
submit() {
    sbatch "${options[@]}" --job-name "uzushio-$1" --time "$2" --output "logs/$1-%A-%a.log" "${@:3}" \
        "$here/slurm-job.sh" "$here" "$1"
}

"$here/batch.sh" split "$parts"
array=(--array "0-$((parts - 1))%${AT_ONCE:-50}")
extract=$(submit extract 12:00:00 "${array[@]}")
# The statistics of a part begin when that part is extracted; merging waits for all of them.
stats=$(submit stats 12:00:00 "${array[@]}" --dependency "aftercorr:$extract")
merge=$(submit merge 24:00:00 --dependency "afterok:$stats")
filter=$(submit filter 12:00:00 "${array[@]}" --dependency "afterok:$merge")
echo "extract $extract, stats $stats, merge $merge, filter $filter"
