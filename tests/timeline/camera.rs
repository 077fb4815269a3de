//! The camera: there and back, zoom about the pointer, never out of sight.

use tests::random::Random;
use tests::scenes::{HUGE, huge_arena};
use timeline::camera::{Camera, Range, ZOOM_OUT};
use timeline::labelling::Labelling;
use timeline::minimap::Minimap;
use timeline::scene::{Extents, Rect};
use timeline::snap::Snap;

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

/// A number in `[from, to]`.
fn between(random: &mut Random, from: f64, to: f64) -> f64 {
    from + (to - from) * random.below(1 << 30) as f64 / f64::from((1 << 30) - 1)
}

fn arbitrary_camera(random: &mut Random) -> Camera {
    let x0 = between(random, -1000.0, 1e6);
    let y0 = between(random, -1e6, 1e11);
    Camera {
        x: Range::new(x0, x0 + between(random, 1.0, 1e6)),
        y: Range::new(y0, y0 + between(random, 64.0, 1e11)),
        width: between(random, 10.0, 4000.0),
        height: between(random, 10.0, 2000.0),
        labelling: Labelling::USUAL,
    }
}

#[test]
fn data_to_screen_and_back() {
    let random = &mut Random::new(1);
    for _ in 0..2000 {
        let camera = arbitrary_camera(random);
        let (x, y) = (
            between(random, 0.0, camera.width),
            between(random, 0.0, camera.height),
        );
        let (data_x, data_y) = camera.data_from_screen(x, y);
        let (back_x, back_y) = camera.screen_from_data(data_x, data_y);
        // An offset of 1e11 in f64 is known to 2e-5 bytes; 64 bytes over 2000 pixels make
        // that less than a thousandth of a pixel.
        assert!(near(x, back_x, 1e-3) && near(y, back_y, 1e-3), "{camera:?}");
    }
}

#[test]
fn up_on_the_screen_is_up_in_memory() {
    let camera = Camera {
        x: Range::new(10.0, 20.0),
        y: Range::new(100.0, 300.0),
        width: 500.0,
        height: 400.0,
        labelling: Labelling::USUAL,
    };
    // By hand: 50 pixels a step, 2 pixels a byte.
    assert_eq!(camera.screen_from_data(10.0, 100.0), (0.0, 400.0));
    assert_eq!(camera.screen_from_data(20.0, 300.0), (500.0, 0.0));
    assert_eq!(camera.screen_from_data(12.0, 150.0), (100.0, 300.0));
    assert_eq!(camera.data_from_screen(100.0, 300.0), (12.0, 150.0));
}

#[test]
fn zoom_keeps_the_point_under_the_pointer() {
    let random = &mut Random::new(2);
    for _ in 0..2000 {
        let mut camera = arbitrary_camera(random);
        let (x, y) = (
            between(random, 0.0, camera.width),
            between(random, 0.0, camera.height),
        );
        let before = camera.data_from_screen(x, y);
        let (old_x, old_y) = (camera.x.len(), camera.y.len());
        camera.zoom_about(x, y, 1.25, 0.5);
        let after = camera.screen_from_data(before.0, before.1);
        assert!(
            near(after.0, x, 1e-3) && near(after.1, y, 1e-3),
            "{camera:?}"
        );
        assert!(near(camera.x.len() * 1.25, old_x, old_x * 1e-6));
        assert!(near(camera.y.len() * 0.5, old_y, old_y * 1e-6));
    }
}

#[test]
fn panning_moves_the_scene_with_the_pointer() {
    let random = &mut Random::new(3);
    for _ in 0..500 {
        let mut camera = arbitrary_camera(random);
        let held = camera.data_from_screen(5.0, 6.0);
        camera.pan_by(31.0, -17.0);
        let (x, y) = camera.screen_from_data(held.0, held.1);
        assert!(near(x, 36.0, 1e-3) && near(y, -11.0, 1e-3), "{camera:?}");
    }
}

#[test]
fn clamp_never_loses_the_scene() {
    let random = &mut Random::new(4);
    for _ in 0..2000 {
        let extents = Extents {
            horizon: between(random, 1.0, 1e6).floor(),
            top: between(random, 1.0, 1e12).floor(),
        };
        let mut camera = arbitrary_camera(random);
        camera.clamp(extents);
        assert!(camera.x.len() >= 1.0 - 1e-6 && camera.y.len() >= 1.0 - 1e-3);
        assert!(camera.x.len() <= extents.horizon * ZOOM_OUT * (1.0 + 1e-9));
        assert!(camera.y.len() <= extents.top * ZOOM_OUT * (1.0 + 1e-9));
        assert!(camera.x.middle() >= -1e-3 && camera.x.middle() <= extents.horizon + 1e-3);
        assert!(camera.y.middle() >= -1e-3 && camera.y.middle() <= extents.top + 1e-3);
        let again = camera;
        camera.clamp(extents);
        assert!(near(again.x.start, camera.x.start, camera.x.len() * 1e-6));
        assert!(near(again.y.start, camera.y.start, camera.y.len() * 1e-3));
    }
    for broken in [f64::NAN, f64::INFINITY] {
        let extents = Extents {
            horizon: 10.0,
            top: 100.0,
        };
        let mut camera = Camera::fitted(extents, 100.0, 100.0, Labelling::BARE);
        camera.x.start = broken;
        camera.y = Range::new(5.0, 4.0);
        camera.clamp(extents);
        assert!(camera.x.start.is_finite() && camera.y.start < camera.y.end);
    }
}

#[test]
fn both_axes_stop_at_zero() {
    let random = &mut Random::new(5);
    for _ in 0..2000 {
        let extents = Extents {
            horizon: between(random, 1.0, 1e6).floor(),
            top: between(random, 1.0, 1e12).floor(),
        };
        let (width, height) = (between(random, 10.0, 4000.0), between(random, 10.0, 2000.0));
        let fitted = Camera::fitted(extents, width, height, Labelling::USUAL);
        // Where the rulers meet: there a fit has step 0 and address 0.
        let (x, y) = fitted.screen_from_data(0.0, 0.0);
        let mut camera = fitted;
        for _ in 0..8 {
            let at = (between(random, 0.0, width), between(random, 0.0, height));
            let factor = between(random, 0.3, 3.0);
            camera.zoom_about(at.0, at.1, factor, factor);
            let by = (
                between(random, -width, width),
                between(random, -height, height),
            );
            camera.pan_by(by.0, by.1);
            camera.clamp(extents);
            let (step, byte) = camera.data_from_screen(x, y);
            assert!(step >= -1e-6 * camera.x.len(), "{step}: {camera:?}");
            assert!(byte >= -1e-6 * camera.y.len(), "{byte}: {camera:?}");
        }
        // However far it is dragged, it ends there with the same zoom.
        let before = camera;
        camera.pan_by(width * 1e3, -height * 1e3);
        camera.clamp(extents);
        let (step, byte) = camera.data_from_screen(x, y);
        assert!(near(step, 0.0, 1e-6 * camera.x.len()), "{step}: {camera:?}");
        assert!(near(byte, 0.0, 1e-6 * camera.y.len()), "{byte}: {camera:?}");
        assert!(near(camera.x.len(), before.x.len(), 1e-9 * before.x.len()));
        assert!(near(camera.y.len(), before.y.len(), 1e-9 * before.y.len()));
    }
}

#[test]
fn fit_shows_everything_inside_the_insets() {
    let extents = Extents {
        horizon: 100.0,
        top: 4096.0,
    };
    let usual = Labelling::USUAL;
    let insets = usual.insets();
    let camera = Camera::fitted(extents, 800.0, 600.0, usual);
    let (left, bottom) = camera.screen_from_data(0.0, 0.0);
    let (right, top) = camera.screen_from_data(100.0, 4096.0);
    assert!(near(left, insets.left, 1e-9) && near(right, 800.0 - insets.right, 1e-9));
    assert!(near(bottom, 600.0 - insets.bottom, 1e-9) && near(top, insets.top, 1e-9));
    let mut clamped = Camera::fitted(extents, 100.0, 60.0, usual);
    let fitted = clamped;
    clamped.clamp(extents);
    let same = |a: Range, b: Range| near(a.start, b.start, 1e-9) && near(a.end, b.end, 1e-9);
    assert!(
        same(clamped.x, fitted.x) && same(clamped.y, fitted.y),
        "a fit needs no clamping, however small the screen"
    );
}

#[test]
fn a_huge_arena_does_not_jitter() {
    let scene = huge_arena();
    // Two pixels a KiB, so 64 KiB are 128 pixels; panned by whole pixels, everything moves
    // by exactly that much.
    let mut camera = Camera {
        x: Range::new(0.0, 16.0),
        y: Range::new(HUGE - 131_072.0, HUGE + 131_072.0),
        width: 512.0,
        height: 512.0,
        labelling: Labelling::USUAL,
    };
    let cells = |camera: &Camera| {
        let snap = Snap::new(camera, 1.0);
        let cell = |index: usize| snap.cell(&scene.rect(index).unwrap());
        [0, 1, 2, 3, 4].map(cell)
    };
    let first = cells(&camera);
    assert_eq!(first[0].height(), 128);
    assert_eq!(
        first[0].top, first[1].bottom,
        "a shared edge is one boundary"
    );
    assert_eq!(first[2].top, first[0].bottom);
    assert_eq!(first[1].height(), 1, "a single byte is still seen");
    for panned in 1..=200 {
        camera.pan_by(0.0, 1.0);
        for (now, before) in cells(&camera).iter().zip(&first) {
            assert_eq!(now.top, before.top + panned);
            assert_eq!(now.bottom, before.bottom + panned);
        }
    }
}

#[test]
fn the_minimap_and_the_camera_agree() {
    let extents = Extents {
        horizon: 200.0,
        top: 1000.0,
    };
    let minimap = Minimap::new(extents, 100.0, 50.0);
    let mut camera = Camera::fitted(extents, 800.0, 600.0, Labelling::BARE);
    camera.show(Rect {
        x0: 50.0,
        x1: 100.0,
        y0: 0.0,
        y1: 500.0,
    });
    // By hand: half a pixel a step, a twentieth of a pixel a byte, y from the top.
    let seen = minimap.viewport(&camera);
    assert!(near(seen.left, 25.0, 1e-9) && near(seen.right, 50.0, 1e-9));
    assert!(near(seen.top, 25.0, 1e-9) && near(seen.bottom, 50.0, 1e-9));
    // What lies behind the rulers is not seen: 84 of 800 pixels, and 55 of 600, of a whole scene.
    let ruled = Camera {
        x: Range::new(0.0, 200.0),
        y: Range::new(0.0, 1000.0),
        ..Camera::fitted(extents, 800.0, 600.0, Labelling::USUAL)
    };
    let seen = minimap.viewport(&ruled);
    assert!(near(seen.left, 84.0 / 8.0, 1e-9) && near(seen.right, 100.0, 1e-9));
    assert!(near(seen.bottom, 50.0 - 55.2 / 12.0, 1e-9));
    let moved = minimap.centred(&camera, 50.0, 25.0);
    assert!(near(moved.x.middle(), 100.0, 1e-9) && near(moved.y.middle(), 500.0, 1e-9));
    assert!(near(moved.x.len(), 50.0, 1e-9));
}
