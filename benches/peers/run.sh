#!/bin/sh
# The same crowd by throng and by Bevy, in turn on one machine. On a GPU, within a few minutes:
#   benches/peers/run.sh target/release/throng benches/peers/bevy/target/release/bevy-crowd Fox.glb OUT_DIR
# From the environment, with their defaults: COUNTS="1000 10000", SIZE=1920x1080, ROUNDS=2, FRAMES=200 (of Bevy's),
# ADAPTER=gpu, as throng names adapters.
set -u
usage="usage: run.sh THRONG BEVY_CROWD FOX.glb OUT_DIR"
throng=${1:?$usage}
bevy=${2:?$usage}
fox=${3:?$usage}
out=${4:?$usage}
counts=${COUNTS:-1000 10000}
size=${SIZE:-1920x1080}
rounds=${ROUNDS:-2}
frames=${FRAMES:-200}
adapter=${ADAPTER:-gpu}

# Metres. What throng makes of a character of the Fox's size, and a little more room than it asks for.
height=1.75
spacing=7
fov=45

refuse() {
    echo "run.sh: $1" >&2
    exit 2
}
case $fox in *\"* | *\\*) refuse "$fox: quotation marks and backslashes are not for scene files" ;; esac
[ -f "$fox" ] || refuse "$fox: no such file"
[ -x "$throng" ] || refuse "$throng: no such program"
[ -x "$bevy" ] || refuse "$bevy: no such program"
mkdir -p "$out" || exit 1

# The nearest camera, as high above the horizon as that of throng's own benchmarks, that has everybody in the picture.
view() {
    awk -v count="$1" -v size="$size" -v spacing=$spacing -v height=$height -v fov=$fov 'BEGIN {
        split(size, side, "x")
        rise = 0.7
        slope = sin(fov / 2 * 3.14159265 / 180) / cos(fov / 2 * 3.14159265 / 180)
        edge = int(sqrt(count)); if (edge * edge < count) edge++
        # The grid grows around the origin; an even edge has one more line on its far side.
        middle = edge % 2 ? 0 : spacing / 2
        reach = edge * spacing / 2
        for (i = 0; i < 4; i++) {
            z = i % 2 ? reach : -reach
            y = (i < 2 ? -0.5 : 0.7) * height
            ahead = -sin(rise) * y - cos(rise) * z
            up = cos(rise) * y - sin(rise) * z
            across = reach / slope * side[2] / side[1] - ahead
            along = (up < 0 ? -up : up) / slope - ahead
            if (across > distance) distance = across
            if (along > distance) distance = along
        }
        printf "eye = [%.3f, %.3f, %.3f]\n", middle, height / 2 + sin(rise) * distance, middle + cos(rise) * distance
        printf "target = [%.3f, %.3f, %.3f]\n", middle, height / 2, middle
    }'
}

# All stand as tall and play as fast as in the file, as those in Bevy do.
scene() {
    cat <<END
[scene]
name = "foxes"
characters = ["$fox"]
count = $1
layout = "grid"
spacing = $spacing
ground_contact = "origin"
scale_spread = 0.0
width_scale_spread = 0.0
speed_spread = 0.0

[look]
ground = "grid"
shadows = false

[camera]
start = "everybody"
fov = $fov

[camera.views.everybody]
$(view "$1")

[render]
msaa = 1
END
}

# From JSON on one line: what stands behind a key, without brackets and quotation marks.
field() {
    sed -n "s/.*\"$1\":\\[*\"*\\([^]\"}]*\\).*/\\1/p" "$2" | if [ "${3:-}" = list ]; then cat; else sed 's/,.*//'; fi
}

# WAY FRAME_MS GPU_MS of every way in a scenes.json.
ways() {
    awk '
        { value = $2; gsub(/[",]/, "", value) }
        $1 == "\"way\":" { way = value; kind = frame = gpu = "" }
        $1 == "\"control\":" { control = value }
        $1 ~ /_ms":$/ { kind = $1 }
        $1 == "\"median\":" && kind == "\"wall_ms\":" { frame = value }
        $1 == "\"median\":" && kind == "\"gpu_ms\":" { gpu = value }
        $1 == "\"ratio_to_full\":" && control == "false" { print way, frame == "" ? "-" : frame, gpu == "" ? "-" : gpu }
    ' "$1"
}

# Rows of the table, of COUNT in ROUND: those of throng, and how many times as long Bevy takes.
rows() {
    bevy_frame=$(field frame_ms "$out/bevy-$1-$2.json")
    bevy_gpu=$(field gpu_ms "$out/bevy-$1-$2.json")
    { ways "$out/throng-$1-$2/scenes.json"; echo "Bevy $bevy_frame $bevy_gpu"; } |
        awk -v count="$1" -v round="$2" -v bevy_frame="$bevy_frame" -v bevy_gpu="$bevy_gpu" '
            function ms(time) { return time + 0 > 0 ? sprintf("%.2f", time) : "-" }
            function over(bevy, time) { return bevy + 0 > 0 && time + 0 > 0 ? sprintf("%.1f", bevy / time) : "-" }
            {
                name = $1 == "Bevy" ? $1 : "throng, " $1
                printf "| %s | %s | %s | %s | %s | ", count, round, name, ms($2), ms($3)
                print $1 == "Bevy" ? "| |" : over(bevy_frame, $2) " | " over(bevy_gpu, $3) " |"
            }'
}

failed=0
fail() {
    failed=1
    echo "== $1 failed" >&2
}

# Pictures, and throng's word for where the camera and which the adapter is.
pictures() {
    count=$1
    scene "$count" >"$out/foxes-$count.toml"
    "$throng" shot --adapter "$adapter" --scene "$out/foxes-$count.toml" --size "$size" --detail full --passes color,depth \
        -o "$out/throng-$count.png" --stats "$out/throng-$count.stats.json" >&2 || return 1
    rm -f "$out/throng-$count.depth.exr"
    if grep -q '"[^"]*people stand [0-9.]* m apart"' "$out/throng-$count.stats.json"; then
        refuse "throng gives this character more room than $spacing m"
    fi
}

measure() {
    count=$1 round=$2
    echo "== throng, $count, round $round" >&2
    "$throng" bench --adapter "$adapter" --scenes "$out/foxes-$count.toml" --size "$size" --samples 1 --shadows off \
        --draw full,auto,compute --repeats 20 --seconds 1 --out "$out/throng-$count-$round" >&2 || fail throng
    echo "== Bevy, $count, round $round" >&2
    camera=$out/throng-$count.json
    "$bevy" --model "$fox" --count "$count" --size "$size" --samples 1 --frames "$frames" --spacing $spacing \
        --height $height --eye "$(field eye "$camera" list)" --target "$(field target "$camera" list)" \
        --fov "$(field fov_vertical_degrees "$camera")" --adapter "$name" --png "$out/bevy-$count.png" \
        >"$out/bevy-$count-$round.json" || fail Bevy
}

for count in $counts; do
    if ! pictures "$count"; then
        fail "throng shot"
        continue
    fi
    name=$(sed -n 's/^ *"name": "\(.*\)",$/\1/p' "$out/throng-$count.stats.json" | head -n 1)
    round=1
    while [ "$round" -le "$rounds" ]; do
        measure "$count" "$round"
        round=$((round + 1))
    done
done

{
    echo "| foxes | round | drawn by | frame ms | GPU ms | Bevy's frame / it | Bevy's GPU / it |"
    echo "|---|---|---|---|---|---|---|"
    for count in $counts; do
        round=1
        while [ "$round" -le "$rounds" ]; do
            [ -s "$out/bevy-$count-$round.json" ] && rows "$count" "$round"
            round=$((round + 1))
        done
    done
} | tee "$out/peers.md"
exit $failed
