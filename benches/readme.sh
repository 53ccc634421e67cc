#!/bin/sh
# Every figure of performance that README.md and docs/performance.md quote, in one run on one card, within ten minutes:
#   benches/readme.sh target/release/throng benches/results/2026-01-31-my-gpu
# Name the folder in examples/make_docs/performance.rs, then make the tables: cargo run --example make_docs
set -u
throng=${1:?usage: readme.sh THRONG OUT}
out=${2:?usage: readme.sh THRONG OUT}
. "$(dirname "$0")/run.sh"

# Whole frames of the scenes as they come: four samples, shadows.
run scenes --scenes plaza,stadium,army,million@sea --repeats 20 --seconds 1
# A million and ten million with nothing around them; full detail by both rasterizers.
run scenes-lean --scenes million@sea --counts 1000000,10000000 --samples 1 --shadows off --draw auto,compute --repeats 20 --seconds 1
run scenes-full --scenes grid --counts 100000 --samples 1 --shadows off --draw full,culled,full-compute --repeats 12 --seconds 1
# A tenth of 100,000 people fade, or nobody.
run fades --scenes benches/steady.toml,benches/fading.toml --draw full --repeats 12 --seconds 1
# Techniques, formats, sources; picking one of 100,000.
run compare --counts 10000,100000 --cameras overview --repeats 20 --seconds 0.8
exit $failed
