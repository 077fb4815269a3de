// Computes the corners of a rectangle's quad on whole device pixels, and its paints.
// Six vertices a rectangle, pulled from storage by the vertex index; after the last
// rectangle come the rings and then the rectangles of the hovered buffer, and those of the
// selected one.

struct Camera {
    origin_x: vec2<u32>,   // whole step at the left edge, 64 bits in two's complement
    origin_y: vec2<u32>,   // whole byte at the bottom edge
    rest: vec2<f32>,       // what the origin leaves, in steps and bytes
    per: vec2<f32>,        // device pixels per step and per byte
    size: vec2<i32>,       // columns and rows
    line: i32,             // thickness of a hairline
    count: u32,            // number of rectangles
    marks: vec4<u32>,      // first and number of the rectangles of each of both
    rings: vec4<u32>,      // colours of their rings, and nothing
    paints: array<vec4<u32>, 32>,   // fill, ink, dimmed fill, dimmed ink
    patterns: array<vec4<u32>, 4>,  // two patterns of eight rows of eight bits each
}

struct Rect {
    x0: vec2<u32>,
    x1: vec2<u32>,
    y0: vec2<u32>,
    y1: vec2<u32>,
}

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) cell: vec4<i32>,   // left, top, right, bottom
    @location(1) @interpolate(flat) paint: vec4<u32>,  // fill, ink, pattern
    @location(2) @interpolate(flat) line: i32,         // 0: neither edge nor pattern
}

@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<storage, read> rects: array<Rect>;
@group(0) @binding(2) var<storage, read> styles: array<u32>;
@group(0) @binding(3) var<storage, read> dimmed: array<u32>;

const MARGIN: f32 = 4096.0;

// The nearest pixel boundary to a 64-bit position. The difference is taken in whole numbers,
// so no position is too large to be exact.
fn boundary(at: vec2<u32>, origin: vec2<u32>, rest: f32, per: f32, count: i32) -> i32 {
    var low = at.x - origin.x;
    var high = at.y - origin.y - select(0u, 1u, at.x < origin.x);
    let negative = high >= 0x80000000u;
    if negative {
        low = ~low + 1u;
        high = ~high + select(0u, 1u, low == 0u);
    }
    let magnitude = f32(high) * 4294967296.0 + f32(low);
    let pixels = (select(magnitude, -magnitude, negative) - rest) * per;
    return i32(floor(clamp(pixels + 0.5, -MARGIN, f32(count) + MARGIN)));
}

fn cell_of(index: u32) -> vec4<i32> {
    let rect = rects[index];
    let left = boundary(rect.x0, camera.origin_x, camera.rest.x, camera.per.x, camera.size.x);
    let right = boundary(rect.x1, camera.origin_x, camera.rest.x, camera.per.x, camera.size.x);
    let low = boundary(rect.y0, camera.origin_y, camera.rest.y, camera.per.y, camera.size.y);
    let high = boundary(rect.y1, camera.origin_y, camera.rest.y, camera.per.y, camera.size.y);
    let top = camera.size.y - max(high, low + 1);
    return vec4(left, top, max(right, left + 1), camera.size.y - low);
}

@vertex
fn rectangle(@builtin(vertex_index) vertex: u32) -> Corner {
    var index = vertex / 6u;
    var is_ring = false;
    var ring = 0u;
    let marked = index >= camera.count;
    if marked {
        var slot = index - camera.count;
        var pieces = camera.marks.xy;
        ring = camera.rings.x;
        if slot >= 2u * pieces.y {
            slot -= 2u * pieces.y;
            pieces = camera.marks.zw;
            ring = camera.rings.y;
        }
        is_ring = slot < pieces.y;
        index = pieces.x + select(slot - pieces.y, slot, is_ring);
    }
    var corner: Corner;
    if index >= camera.count {
        // Nothing lies there.
        corner.position = vec4(2.0, 2.0, 0.0, 1.0);
        return corner;
    }
    var cell = cell_of(index);
    let style = styles[index];
    let paints = camera.paints[style & 31u];
    let dim = !marked && ((dimmed[index / 32u] >> (index % 32u)) & 1u) == 1u;
    let pair = camera.patterns[(style >> 9u) & 3u];
    let pattern = select(pair.xy, pair.zw, ((style >> 8u) & 1u) == 1u);
    var colors = select(paints.xy, paints.zw, dim);
    if (style >> 16u) == 1u {
        // The whole span of a buffer with pauses: its own colour on that colour dimmed.
        colors = vec2(paints.z, select(paints.x, paints.w, dim));
    }
    corner.paint = vec4(colors, pattern);
    let large = min(cell.z - cell.x, cell.w - cell.y) > 3 * camera.line;
    corner.line = select(0, camera.line, large);
    if is_ring {
        cell = cell + 2 * camera.line * vec4(-1, -1, 1, 1);
        corner.paint = vec4(ring, ring, 0u, 0u);
        corner.line = 0;
    }
    corner.cell = cell;
    let which = vertex % 6u;
    let at_right = which == 1u || which == 4u || which == 5u;
    let at_bottom = which == 2u || which == 3u || which == 5u;
    let pixel = vec2(select(cell.x, cell.z, at_right), select(cell.y, cell.w, at_bottom));
    let unit = vec2<f32>(pixel) / vec2<f32>(camera.size);
    corner.position = vec4(unit.x * 2.0 - 1.0, 1.0 - unit.y * 2.0, 0.0, 1.0);
    return corner;
}
