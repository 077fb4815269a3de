// y = heads of a cache with new rows among them, which may be turned by their positions: element
// pairs (a, b) become (a cos - b sin, a sin + b cos).

// Type of the elements of x, of the cache and of y.
override KIND: u32 = 0u;
// 1 where there is a cache in in1; what neither has is 0.
override PAST: u32 = 0u;
// Words of the numbers in in5, one for each batch: where new rows begin. 0 where all begin at `start`.
override STARTS: u32 = 0u;
// 1 where rows behind the last go on with the first.
override CIRCULAR: u32 = 0u;
// 1 where the elements of y are ordered by head, then row; 0 by row, then head.
override HEADS_FIRST: u32 = 0u;
// 0 as they are, 1 turned, with pairs of one element of either half, 2 with pairs of neighbours.
override TURN: u32 = 0u;
// Where the positions of new rows are: 0 in y, 1 in in4 one for each, 2 in in4 one for the first;
// 3: cosines and sines are given for each row.
override POSITIONS: u32 = 0u;
override POSITION_WORDS: u32 = 1u;

struct Params {
    count: u32,
    // Heads, rows, and elements of a head of y.
    heads: u32,
    rows: u32,
    size: u32,
    // Of x and of the cache: rows, first element, then steps by batch, head and row.
    x_rows: u32,
    x_at: u32,
    x_batch: u32,
    x_head: u32,
    x_row: u32,
    past_rows: u32,
    past_at: u32,
    past_batch: u32,
    past_head: u32,
    past_row: u32,
    start: i32,
    // What is added to the numbers in in5.
    more: i32,
    // Pairs that are turned, and rows of cosines.
    pairs: u32,
    positions: u32,
}

fn element(i: u32) -> f32 { return real(KIND, raw(KIND, IN0, u.inputs.x, i)); }

// The row of cosines for new row n.
fn position_of(batch: u32, n: u32, start: i32) -> u32 {
    let number = batch * u.p.x_rows + n;
    var position = start + i32(n);
    if (POSITIONS == 1u) { position = bitcast<i32>(load(IN4, u.more.x + number * POSITION_WORDS)); }
    if (POSITIONS == 2u) { position = bitcast<i32>(load(IN4, u.more.x)) + i32(n); }
    if (POSITIONS == 3u) { position = i32(number); }
    return u32(clamp(position, 0, i32(u.p.positions) - 1));
}

fn turned(first: u32, d: u32, place: u32) -> f32 {
    var pair = d % u.p.pairs;
    var partner = first + (d + u.p.pairs) % (2u * u.p.pairs);
    var minus = d < u.p.pairs;
    if (TURN == 2u) {
        pair = d / 2u;
        partner = first + (d ^ 1u);
        minus = d % 2u == 0u;
    }
    let sine = in3(place * u.p.pairs + pair);
    return element(first + d) * in2(place * u.p.pairs + pair) + element(partner) * select(sine, -sine, minus);
}

fn result(i: u32) -> vec2<u32> {
    let d = i % u.p.size;
    let rest = i / u.p.size;
    let batch = rest / u.p.rows / u.p.heads;
    var row = rest % u.p.rows;
    var head = rest / u.p.rows % u.p.heads;
    if (HEADS_FIRST == 0u) {
        head = rest % u.p.heads;
        row = rest / u.p.heads % u.p.rows;
    }
    var start = u.p.start;
    if (STARTS != 0u) { start = bitcast<i32>(load(IN5, u.more.y + batch * STARTS)) + u.p.more; }
    var n = i32(row) - start;
    if (CIRCULAR == 1u) {
        n = n % i32(u.p.rows);
        if (n < 0) { n += i32(u.p.rows); }
    }
    if (n >= 0 && n < i32(u.p.x_rows)) {
        let first = u.p.x_at + batch * u.p.x_batch + head * u.p.x_head + u32(n) * u.p.x_row;
        if (TURN == 0u || d >= 2u * u.p.pairs) { return raw(KIND, IN0, u.inputs.x, first + d); }
        return bits_of_real(KIND, turned(first, d, position_of(batch, u32(n), start)));
    }
    if (PAST == 0u || row >= u.p.past_rows) { return vec2(0u); }
    let first = u.p.past_at + batch * u.p.past_batch + head * u.p.past_head + row * u.p.past_row;
    return raw(KIND, IN1, u.inputs.y, first + d);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
