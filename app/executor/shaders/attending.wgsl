// Scores of attention: where a row of them stands, which keys its query sees, and what is done to
// each on its way.

// What is done to scores by in3 and in5: 0 nothing, 1 it is added, 2 it says which keys count.
override MASK: u32 = 0u;
override OTHER: u32 = 0u;
// Types of the elements of the two.
override MASK_KIND: u32 = 0u;
override OTHER_KIND: u32 = 0u;
// Words of the numbers in in4, one for each batch: how many keys there are. 0 where all are.
override LENGTHS: u32 = 0u;
// 1 where these numbers also say where the queries stand: they are the last.
override FROM_END: u32 = 0u;
struct Params {
    batches: u32,
    heads: u32,
    kv_heads: u32,
    queries: u32,
    keys: u32,
    // Of a head of queries and keys, and of values.
    size: u32,
    values: u32,
    // First element, then steps by batch, head and row.
    q_at: u32,
    q_batch: u32,
    q_head: u32,
    q_row: u32,
    k_at: u32,
    k_batch: u32,
    k_head: u32,
    k_row: u32,
    v_at: u32,
    v_batch: u32,
    v_head: u32,
    v_row: u32,
    y_batch: u32,
    y_head: u32,
    y_row: u32,
    // Steps of the masks by batch, head, query and key, and how many keys they know.
    mask_batch: u32,
    mask_head: u32,
    mask_row: u32,
    mask_key: u32,
    mask_keys: u32,
    other_batch: u32,
    other_head: u32,
    other_row: u32,
    other_key: u32,
    other_keys: u32,
    scale: f32,
    // 0 where scores are not capped.
    cap: f32,
    // What is added where a mask of integers says no.
    low: f32,
    // Minus infinity.
    nothing: f32,
    // Position of the first query among the keys.
    offset: i32,
    // How many keys before and after its own position a query sees; -1 all.
    before: i32,
    after: i32,
    // What is added to the numbers of keys.
    more: i32,
    // Pairs that are turned, and rows of cosines.
    pairs: u32,
    positions: u32,
    // Columns of x and of the weights, where queries, keys and values are still to be made.
    width: u32,
    columns: u32,
}

const LEAST: f32 = -3.4028234e38;

var<private> batch: u32;
var<private> head: u32;
var<private> row: u32;
var<private> position: i32;
var<private> known: i32;
// Of the key at hand: its score, and whether the query sees it.
var<private> plain: f32;
var<private> capped: f32;
var<private> score: f32;
var<private> seen: bool;

// Where row `number` of the scores stands.
fn stand(number: u32) {
    row = number % u.p.queries;
    head = number / u.p.queries % u.p.heads;
    batch = number / u.p.queries / u.p.heads;
    known = i32(u.p.keys);
    position = u.p.offset + i32(row);
    if (LENGTHS != 0u) {
        known = bitcast<i32>(load(IN4, u.more.x + batch * LENGTHS)) + u.p.more;
        if (FROM_END == 1u) { position = known - i32(u.p.queries) + i32(row); }
    }
}

// Whether key j is within the window.
fn sees(j: u32) -> bool {
    let place = i32(j);
    return place < known
        && (u.p.before < 0 || position - place <= u.p.before)
        && (u.p.after < 0 || place - position <= u.p.after);
}

// Hides the key, or moves its score.
fn look(how: u32, kind: u32, bits: vec2<u32>) {
    if (how == 1u) {
        let bias = real(kind, bits);
        if (bitcast<u32>(bias) == 0xff800000u) { seen = false; }
        score += bias;
    } else if ((bits.x | bits.y) == 0u) {
        if (bitcast<u32>(u.p.low) == 0xff800000u) { seen = false; }
        score += u.p.low;
    }
}

fn masks(j: u32) {
    if (MASK != 0u) {
        if (j >= u.p.mask_keys) { seen = false; } else {
            let at = batch * u.p.mask_batch + head * u.p.mask_head + row * u.p.mask_row;
            look(MASK, MASK_KIND, raw(MASK_KIND, IN3, u.inputs.w, at + j * u.p.mask_key));
        }
    }
    if (OTHER != 0u) {
        if (j >= u.p.other_keys) { seen = false; } else {
            let at = batch * u.p.other_batch + head * u.p.other_head + row * u.p.other_row;
            look(OTHER, OTHER_KIND, raw(OTHER_KIND, IN5, u.more.y, at + j * u.p.other_key));
        }
    }
}

// The score of key j from the product of query and key.
fn finish_score(j: u32, product: f32) {
    plain = product * u.p.scale;
    capped = plain;
    if (u.p.cap > 0.0) { capped = u.p.cap * tanh_of(plain / u.p.cap); }
    score = capped;
    masks(j);
    score = max(score, LEAST);
}
