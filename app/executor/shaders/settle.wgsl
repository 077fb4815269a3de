// Finds what was written of a range that a step declares to write, and where it ends; the
// shadow follows the arena.

// See arm.wgsl.
const CHUNK: u32 = 1024u;

fn before(w: u32, kind: u32) -> vec4<u32> {
    if (kind == 2u) { return vec4<u32>(p.pattern); }
    return shadow_quad(w);
}

// The end of the highest of four words that changed.
fn top(w: u32, now: vec4<u32>, old: vec4<u32>) -> u32 {
    let x = select(0u, w + 1u, now.x != old.x);
    let y = select(x, w + 2u, now.y != old.y);
    let z = select(y, w + 3u, now.z != old.z);
    return select(z, w + 4u, now.w != old.w);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let end = p.first + p.words;
    let pattern = p.pattern;
    // 0: the range was filled with the pattern; 1: it was not, and what differs from the
    // shadow was written; 2: there is no shadow yet, and all but the pattern was written.
    let kind = p.into;
    let stride = CHUNK * groups.x;
    var unwritten = 0u;
    var gap = 0u;
    var high = 0u;
    for (var at = p.first + CHUNK * group.x; at < end; at += stride) {
        let begin = at + 4u * lane;
        var whole = false;
        if (end - at >= CHUNK) {
            let a = arena_quad(begin);
            let b = arena_quad(begin + 256u);
            let c = arena_quad(begin + 512u);
            let d = arena_quad(begin + 768u);
            if (kind == 0u) {
                let same = vec4<u32>(pattern);
                whole = !any((a == same) | (b == same) | (c == same) | (d == same));
                if (whole) { high = begin + 772u; }
            } else {
                whole = true;
                high = max(high, max(
                    max(top(begin, a, before(begin, kind)),
                        top(begin + 256u, b, before(begin + 256u, kind))),
                    max(top(begin + 512u, c, before(begin + 512u, kind)),
                        top(begin + 768u, d, before(begin + 768u, kind))),
                ));
            }
            if (whole) {
                set_shadow_quad(begin, a);
                set_shadow_quad(begin + 256u, b);
                set_shadow_quad(begin + 512u, c);
                set_shadow_quad(begin + 768u, d);
            }
        }
        // A chunk that is not whole, or of which something was left unwritten.
        if (whole) { continue; }
        for (var i = 0u; i < 16u; i += 1u) {
            let word = begin + 256u * (i / 4u) + i % 4u;
            if (word >= end) { break; }
            let now = arena_word(word);
            let old = shadow_word(word);
            if (kind == 0u && now == pattern) {
                // As it was before it was filled, so that watching changes nothing.
                set_arena_word(word, old);
                unwritten += 1u;
                gap = max(gap, ~word);
                continue;
            }
            set_shadow_word(word, now);
            if (kind == 0u || now != select(old, pattern, kind == 2u)) { high = word + 1u; }
        }
    }
    if (unwritten > 0u) {
        atomicAdd(&results[p.slot + 2u], unwritten);
        atomicMax(&results[p.slot + 3u], gap);
    }
    if (high > 0u) { atomicMax(&results[p.slot + 4u], high); }
}
