#!/bin/sh
# What motion costs on a GPU: a tenth of 100,000 people fading against none, interleaved, and the
# schedule, paths and props of a million on the plaza (pass `animate`).
#   benches/fades.sh target/release/throng OUT
set -eu
throng=${1:?usage: fades.sh THRONG OUT}
out=${2:?usage: fades.sh THRONG OUT}
here=$(dirname "$0")
mkdir -p "$out"
for round in 1 2 3; do
    for scene in steady fading; do
        "$throng" shot --scene "$here/$scene.toml" --size 1920x1080 --time 20.5 --atlas storage \
            --stats "$out/$scene-$round.json" -o "$out/$scene.png" >/dev/null
        echo "$scene $round: $(grep -E '"(animate|crowd)": [0-9.]+' "$out/$scene-$round.json" | tr -d '\n')"
    done
done
"$throng" shot --count 1000000 --stats "$out/plaza-million.json" -o "$out/plaza-million.png" >/dev/null
echo "plaza, a million: $(grep -E '"(animate|crowd)": [0-9.]+' "$out/plaza-million.json" | tr -d '\n')"
