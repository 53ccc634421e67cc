#!/bin/sh
# Everything that the README quotes, on a GPU, within about twelve minutes:
#   benches/full.sh target/release/throng benches/results/2026-01-31-my-gpu [label]
# Runs that need no GPU timing come last.
set -u
throng=${1:?usage: full.sh THRONG OUT [LABEL]}
out=${2:?usage: full.sh THRONG OUT [LABEL]}
label=${3:-}
. "$(dirname "$0")/run.sh"

# Techniques, formats, sources and views: the headline.
run compare --counts 1000,10000,100000 --repeats 20 --seconds 0.8
# The CPU's cost from a thousand to a million: at least 30 frames of each entry, in interleaved bursts, which take most of the time.
run million --counts 1000,1000000 --techniques static,matrix --formats f16 --atlas storage --cameras overview --repeats 20 --seconds 1
# A heavier skeleton and mesh mix: every character that comes with throng.
run cast --characters woman,man,girl,elder,knight --counts 10000 --formats f16,trs16 --cameras overview --repeats 20 --seconds 0.8
# Many people, few pixels: the same crowd in a small picture shows what fragments cost.
run small --counts 10000 --formats f16 --cameras overview,street --size 640x360 --repeats 20 --seconds 0.8
exit $failed
