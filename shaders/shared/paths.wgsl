// Walking paths as functions of the phase of a round. CPU twin: crowd/paths.rs.

import package::shared::hash::unit_fraction;

const PATH_CIRCLE = 0u;
const PATH_WAYPOINTS = 3u;
const HALF_TURN = 3.14159265; // shader only
const FULL_TURN = 6.28318531; // shader only

/// A closed path on the ground, or a leg of one; 48 bytes.
struct Path { // shared with Rust
    /// [`PATH_CIRCLE`], [`PATH_TRACK`], [`PATH_MARCH`], [`PATH_WAYPOINTS`], [`PATH_LEG`], [`PATH_TRAJECTORY`] or
    /// [`PATH_KEY`].
    kind: u32,
    /// Rounds per second, times 2^24.
    rate: u32,
    /// Length of one round (m).
    length: f32,
    /// Radius of the circle, or of the turns at the ends of a track (m).
    radius: f32,
    /// Start of a track's straights, as distance from the origin (m).
    inner: f32,
    /// End of a track's straights, as distance from the origin (m).
    outer: f32,
    /// Direction of a track's line (radians from +Z towards +X).
    heading: f32,
    /// Circles: 1 runs from +Z towards +X, -1 in the opposite direction.
    direction: f32,
    /// Share of a round per metre, times 2^32.
    per_metre: u32,
    /// Waypoints: first leg in the table of paths.
    first: u32,
    /// Waypoints: number of legs.
    count: u32,
    /// Legs: distance from the start of the round (m).
    along: f32,
}

// X and Z (m), and the heading (radians).
struct Spot {
    ground: vec2<f32>,
    yaw: f32,
}

@group(1) @binding(7) var<storage, read> paths: array<Path>;

// Position at a phase of the round (times 2^32).
fn path_spot(path: Path, phase: u32) -> Spot {
    let way = unit_fraction(phase);
    if path.kind == PATH_WAYPOINTS {
        return waypoint_spot(path, way * path.length);
    }
    if path.kind == PATH_CIRCLE {
        let angle = path.direction * way * FULL_TURN;
        return Spot(path.radius * vec2<f32>(sin(angle), cos(angle)), angle + path.direction * 0.5 * HALF_TURN);
    }
    return track_spot(path, way * path.length);
}

fn waypoint_spot(path: Path, metres: f32) -> Spot {
    var found = path.first;
    while found + 1u < path.first + path.count && paths[found + 1u].along <= metres {
        found += 1u;
    }
    let leg = paths[found];
    return leg_spot(leg, metres - leg.along);
}

// A straight from (inner, outer), then a bend.
fn leg_spot(leg: Path, metres: f32) -> Spot {
    let straight = min(metres, leg.length);
    let side = select(1.0, -1.0, leg.direction < 0.0);
    var turn = 0.0;
    if leg.radius > 0.0 {
        turn = clamp(side * (metres - straight) / leg.radius, -abs(leg.direction), abs(leg.direction));
    }
    let yaw = leg.heading + turn;
    let line = vec2<f32>(sin(leg.heading), cos(leg.heading));
    let bend = vec2<f32>(line.y - cos(yaw), sin(yaw) - line.x);
    return Spot(vec2<f32>(leg.inner, leg.outer) + line * straight + bend * (side * leg.radius), yaw);
}

fn track_spot(path: Path, metres: f32) -> Spot {
    let straight = path.outer - path.inner;
    let half = straight + HALF_TURN * path.radius;
    let back = metres >= half;
    let way = select(metres, metres - half, back);
    let turn = max(way - straight, 0.0) / path.radius;
    let along = min(way, straight) - 0.5 * straight + path.radius * sin(turn);
    let aside = path.radius * cos(turn);
    let sign = select(1.0, -1.0, back);
    let outwards = 0.5 * (path.inner + path.outer) + sign * along;
    let line = vec2<f32>(sin(path.heading), cos(path.heading));
    let right = vec2<f32>(-line.y, line.x);
    let ground = line * outwards + right * (sign * aside);
    return Spot(ground, path.heading + turn + select(0.0, HALF_TURN, back));
}

fn phase_of(path: Path, ground: vec2<f32>) -> u32 {
    var way = path.direction * atan2(ground.x, ground.y) / FULL_TURN;
    if path.kind != PATH_CIRCLE {
        let line = vec2<f32>(sin(path.heading), cos(path.heading));
        let outwards = dot(ground, line);
        let half = path.outer - path.inner + HALF_TURN * path.radius;
        let is_outward = dot(ground, vec2<f32>(-line.y, line.x)) >= 0.0;
        way = select(half + path.outer - outwards, outwards - path.inner, is_outward) / path.length;
    }
    // 24 bits, the precision of f32.
    return u32(fract(way) * 16777215.0) << 8u;
}
