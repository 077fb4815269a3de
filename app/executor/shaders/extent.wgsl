// Finds what was written of a range that a step declares to write, and where it ends; the
// shadow follows the arena.

// 0: the range was filled with the pattern; 1: it was not, and what differs from the shadow was
// written; 2: there is no shadow yet, and all but the pattern was written. See arm.wgsl.
override INTO: u32 = 0u;
const CHUNK: u32 = 1024u;

// The end of the highest of four words from `w` on that changed.
fn top(w: u32, now: vec4<u32>, old: vec4<u32>) -> u32 {
    let x = select(0u, w + 1u, now.x != old.x);
    let y = select(x, w + 2u, now.y != old.y);
    let z = select(y, w + 3u, now.z != old.z);
    return select(z, w + 4u, now.w != old.w);
}

fn before(w: u32) -> vec4<u32> {
    if (INTO == 2u) { return vec4<u32>(p.pattern); }
    return shadow_quad(w);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let end = p.first + p.words;
    let stride = CHUNK * groups.x;
    let same = vec4<u32>(p.pattern);
    var unwritten = 0u;
    var gap = 0u;
    var high = 0u;
    var at = p.first + CHUNK * group.x;
    for (; at < end && end - at >= CHUNK; at += stride) {
        let w = at + 4u * lane;
        let a = arena_quad(w);
        let b = arena_quad(w + 256u);
        let c = arena_quad(w + 512u);
        let d = arena_quad(w + 768u);
        if (INTO == 0u) {
            if (any((a == same) | (b == same) | (c == same) | (d == same))) { break; }
            high = w + 772u;
        } else {
            let ab = max(top(w, a, before(w)), top(w + 256u, b, before(w + 256u)));
            let cd = max(top(w + 512u, c, before(w + 512u)), top(w + 768u, d, before(w + 768u)));
            high = max(high, max(ab, cd));
        }
        set_shadow_quad(w, a);
        set_shadow_quad(w + 256u, b);
        set_shadow_quad(w + 512u, c);
        set_shadow_quad(w + 768u, d);
    }
    // From the first chunk of which something was left unwritten on, and in one that is not whole.
    for (; at < end; at += stride) {
        for (var i = 0u; i < 16u; i += 1u) {
            let word = at + 4u * lane + 256u * (i / 4u) + i % 4u;
            if (word >= end) { break; }
            let now = arena_word(word);
            let old = shadow_word(word);
            if (INTO == 0u && now == p.pattern) {
                // As it was before it was filled, so that watching changes nothing.
                set_arena_word(word, old);
                unwritten += 1u;
                gap = max(gap, ~word);
                continue;
            }
            set_shadow_word(word, now);
            if (INTO == 0u || now != select(old, p.pattern, INTO == 2u)) { high = max(high, word + 1u); }
        }
    }
    if (unwritten > 0u) {
        atomicAdd(&results[p.slot + 2u], unwritten);
        atomicMax(&results[p.slot + 3u], gap);
    }
    if (high > 0u) { atomicMax(&results[p.slot + 4u], high); }
}
