#!/bin/sh
# What motion costs on a GPU: a tenth of 100,000 people fading against none, everyone at full detail in one draw, and the
# schedule, paths and props of a million on the plaza (pass `animate`).
#   benches/fades.sh target/release/throng OUT
set -eu
throng=${1:?usage: fades.sh THRONG OUT}
out=${2:?usage: fades.sh THRONG OUT}
here=$(dirname "$0")
"$throng" bench --adapter gpu --scenes "$here/steady.toml,$here/fading.toml" --draw full --repeats 12 --seconds 2 --out "$out"
"$throng" shot --adapter gpu --count 1000000 --stats "$out/plaza-million.json" -o "$out/plaza-million.png" >/dev/null
echo "plaza, a million: $(grep -E '"animate": [0-9.]+' "$out/plaza-million.json" | tr -d '\n')"
