#!/bin/sh
# The figures of accuracy that the README quotes, without a GPU:
#   benches/accuracy.sh target/release/throng SAMPLES benches/results/2026-01-31-accuracy
# SAMPLES is a folder with glTF characters of others. Frames by motion beside even steps for every character, and every gate and
# control of the levels of detail of our own. The comparison of GPU and CPU is a test's:
#   THRONG_SAMPLES=SAMPLES THRONG_ACCURACY=OUT/gpu.json cargo test --test gpu gpu_vs_cpu
set -u
throng=${1:?usage: accuracy.sh THRONG SAMPLES OUT}
samples=${2:?usage: accuracy.sh THRONG SAMPLES OUT}
out=${3:?usage: accuracy.sh THRONG SAMPLES OUT}
failed=0
mkdir -p "$out/frames" "$out/others" "$out/levels"

# One character: what it measures, its file, further options.
measure() {
    kind=$1
    file=$2
    shift 2
    json=$out/$kind/$(basename "${file%.*}").json
    echo "== throng verify $file $*" >&2
    "$throng" verify "$file" "$@" --json >"$json" || { failed=1; rm -f "$json"; echo "== $file failed" >&2; }
}

ours=$(dirname "$0")/../assets
for character in woman man girl elder knight; do
    measure frames "$ours/$character.glb" --compare-even --samples 1500000
    measure levels "$ours/$character.glb" --levels
done
find "$samples" -name '*.glb' -o -name '*.gltf' | sort >"$out/files"
while read -r file; do
    "$throng" info "$file" >/dev/null 2>&1 || { echo "== $file is not read: left out" >&2; continue; }
    measure others "$file" --compare-even --samples 1500000
done <"$out/files"
rm "$out/files"
exit $failed
