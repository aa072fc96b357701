#!/usr/bin/env bash
# One job of a corpus that is worked through in parts, without Spark: batch.sh STAGE [PART]
#
#   split N           parts/0 … parts/N-1: the files of corpus.list, a share for each part
#   extract PART      documents/PART
#   stats PART        statistics/PART
#   merge             statistics/all
#   filter PART       clean/PART
#
# Run in the folder that holds corpus.list (a WARC file a line) and chain.conf. Every step can be run again: what is done is
# kept, `extract` goes on where it was stopped. UZUSHIO, THREADS, MEMORY and SCRATCH say which program, how many threads,
# how much memory, and which folder for temporary data, best on a local disk; TEXTS=no has parts forget their texts.
set -euo pipefail
stage=$1 part=${2:-}
uzushio=${UZUSHIO:-uzushio}
common=(--threads "${THREADS:-$(nproc)}" --progress plain ${MEMORY:+--memory "$MEMORY"})
scratch=(${SCRATCH:+--tmp "$SCRATCH"})
texts=(--intermediate)
if [ "${TEXTS:-yes}" = no ]; then texts=(); fi

case $stage in
    split)
        mkdir -p parts
        # Each part gets files from all over the list, so that parts are about equally large.
        for ((i = 0; i < part; i++)); do awk -v n="$part" -v i="$i" 'NR % n == i' corpus.list >"parts/$i"; done
        ;;
    extract)
        mapfile -t files <"parts/$part"
        "$uzushio" extract "${files[@]}" --output "documents/$part" "${common[@]}"
        ;;
    stats)
        "$uzushio" stats "documents/$part" --output "statistics/$part" "${texts[@]}" "${scratch[@]}" "${common[@]}"
        ;;
    merge)
        parts=()
        for list in parts/*; do parts+=("statistics/${list#parts/}"); done
        "$uzushio" merge "${parts[@]}" --output statistics/all "${scratch[@]}" "${common[@]}"
        ;;
    filter)
        "$uzushio" filter "documents/$part" --config chain.conf --stats statistics/all --output "clean/$part" "${common[@]}"
        ;;
    *)
        echo "batch.sh: no stage $stage" >&2
        exit 2
        ;;
esac
