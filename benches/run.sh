# For the scripts beside it, which read it after setting `throng`, `out` and, if reports carry one, `label`:
#   run NAME OPTIONS…
# writes the reports of one run to `$out/NAME.*`. One that fails does not keep the others from running.
failed=0
mkdir -p "$out"

run() {
    name=$1
    shift
    echo "== $name: throng bench $*" >&2
    "$throng" bench --adapter gpu --out "$out/$name" ${label:+--label "$label"} "$@" || { failed=1; echo "== $name failed" >&2; }
}
