#!/bin/sh
# Whole frames of the scenes: full detail, levels with culling, both rasterisers; films and labels. On a GPU, within about
# six minutes, or three without the films (FILMS=0):
#   benches/scenes.sh target/release/throng benches/results/2026-01-31-my-gpu [Fox.glb]
set -u
throng=${1:?usage: scenes.sh THRONG OUT [FOX.glb]}
out=${2:?usage: scenes.sh THRONG OUT [FOX.glb]}
fox=${3:-}
. "$(dirname "$0")/run.sh"

# The scenes as they come: four samples, shadows.
run scenes --scenes plaza,stadium,army,million@sea --repeats 20 --seconds 1
run scenes-far --scenes million@tower,million@space --draw auto,compute --repeats 12 --seconds 1
# A million, and ten, with nothing around them.
run scenes-lean --scenes million@sea --counts 1000,1000000,10000000 --samples 1 --shadows off --draw auto,compute \
    --repeats 20 --seconds 1
# What a thousand times the people cost the CPU, in turn.
run scenes-growth --scenes million@sea --counts 1000,1000000 --draw auto,compute --repeats 5 --seconds 0.5
# Full detail by both rasterisers: the crowd alone.
run scenes-full --scenes grid --counts 100000 --samples 1 --shadows off --draw full,culled,full-compute --repeats 12 --seconds 1
if [ -n "$fox" ]; then
    run scenes-foxes --scenes grid --characters "$fox" --counts 10000 --samples 1 --shadows off \
        --draw full,auto,full-compute,compute --repeats 20 --seconds 1
fi

[ "${FILMS:-1}" = 0 ] && exit $failed

# Films: frames a second to files, with and without labels, and what memory does meanwhile.
frames() {
    name=$1
    shift
    echo "== $name: throng film $*" >&2
    folder=$(mktemp -d)
    begun=$(date +%s.%N)
    "$throng" film --adapter gpu -o "$folder/%05d.png" "$@" >"$out/$name.txt" 2>&1 &
    process=$!
    while kill -0 $process 2>/dev/null; do
        grep -s VmRSS /proc/$process/status >>"$out/$name.txt"
        sleep 0.5
    done
    wait $process || { failed=1; echo "== $name failed" >&2; }
    ended=$(date +%s.%N)
    count=$(find "$folder" -maxdepth 1 -name '*.png' | wc -l)
    drawn=$(grep "frames drawn" "$out/$name.txt")
    seconds=$(awk "BEGIN { print $ended - $begun }")
    echo "$name: $count frames in $seconds s with start and end ($drawn): throng film $*" | tee -a "$out/films.txt"
    rm -rf "$folder"
}
plaza="--scene plaza --count 2000 --size 1920x1080 --frames"
frames film-short $plaza 0..100
frames film-long $plaza 0..600
frames film-short-labels $plaza 0..100 --labels
frames film-long-labels $plaza 0..600 --labels
exit $failed
