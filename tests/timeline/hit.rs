//! What is hit is what was drawn last at that place; neighbours by definition.

use std::sync::Arc;

use tests::random::Random;
use tests::scenes::arbitrary;
use timeline::camera::Camera;
use timeline::hit::{hit, hit_screen, nearest};
use timeline::labelling::Labelling;
use timeline::palette::{Theme, categorical};
use timeline::record_renderer::RecordRenderer;
use timeline::renderer::{Frame, Marks, Renderer};
use timeline::scene::{Lines, Rect, Scene};
use timeline::snap::Snap;

fn rect(x0: f64, x1: f64, y0: f64, y1: f64) -> Rect {
    Rect { x0, x1, y0, y1 }
}

fn scene(rects: &[Rect]) -> Scene {
    Scene::from_rects(rects, &categorical, Lines::default())
}

#[test]
fn the_pixel_under_the_pointer_belongs_to_what_is_hit() {
    let random = &mut Random::new(6);
    for (count, seed) in [(30, 1), (700, 2), (5000, 3)] {
        let scene = Arc::new(arbitrary(count, seed));
        let mut record = RecordRenderer::default();
        record.upload(&scene).unwrap();
        for zoom in [1.0, 3.7, 41.0] {
            let mut camera = Camera::fitted(scene.extents, 300.0, 200.0, Labelling::BARE);
            camera.zoom_about(120.0, 140.0, zoom, zoom);
            let theme = Theme::light();
            let frame = Frame {
                camera,
                scale: 1.5,
                theme: &theme,
                opaque: true,
                marks: Marks::default(),
            };
            record.draw(&frame).unwrap();
            for _ in 0..300 {
                let (column, row) = (random.below(450), random.below(300));
                let place = (i32::try_from(column).unwrap(), i32::try_from(row).unwrap());
                let drawn = record.drawn.iter().rev();
                let mut covering = drawn.filter(|drawn| drawn.cell.contains(place.0, place.1));
                let expected = covering.next().map(|drawn| drawn.index);
                let (x, y) = ((column as f64 + 0.5) / 1.5, (row as f64 + 0.5) / 1.5);
                assert_eq!(hit_screen(&scene, &camera, 1.5, x, y), expected);
            }
        }
    }
}

#[test]
fn nothing_in_the_picture_is_skipped() {
    for seed in 0..40 {
        let scene = arbitrary(900, seed);
        let mut camera = Camera::fitted(scene.extents, 211.0, 97.0, Labelling::BARE);
        let about = seed as f64 * 5.0;
        camera.zoom_about(
            about,
            about / 2.5,
            1.0 + seed as f64,
            1.0 + seed as f64 / 9.0,
        );
        let snap = Snap::new(&camera, 1.0);
        let mut drawn = Vec::new();
        snap.for_each_cell(&scene, |index, cell| drawn.push((index, cell)));
        let all = (0..scene.len()).map(|index| (index, snap.cell(&scene.rect(index).unwrap())));
        let expected: Vec<_> = all.filter(|(_, cell)| snap.shows(cell)).collect();
        assert_eq!(drawn, expected);
    }
}

#[test]
fn a_point_of_the_data_hits_the_topmost_that_contains_it() {
    let scene = arbitrary(2000, 9);
    let random = &mut Random::new(10);
    for _ in 0..2000 {
        let x = random.below(2000) as f64;
        let y = random.below(1 << 30) as f64;
        let all = 0..scene.len();
        let expected = all
            .rev()
            .find(|&index| scene.rect(index).unwrap().contains(x, y));
        assert_eq!(hit(&scene, x, y), expected);
    }
    let edges = self::scene(&[rect(0.0, 2.0, 0.0, 10.0), rect(2.0, 4.0, 0.0, 10.0)]);
    assert_eq!(hit(&edges, 1.99, 9.99), Some(0));
    assert_eq!(hit(&edges, 2.0, 0.0), Some(1), "half-open");
    assert_eq!(hit(&edges, 1.0, 10.0), None, "half-open");
}

#[test]
fn a_finger_hits_what_is_near() {
    let scene = scene(&[rect(0.0, 10.0, 0.0, 10.0), rect(30.0, 40.0, 0.0, 10.0)]);
    let camera = Camera::fitted(scene.extents, 400.0, 100.0, Labelling::BARE);
    // Ten pixels a step and a byte: the pause lies from 100 to 300.
    assert_eq!(nearest(&scene, &camera, 110.0, 50.0, 20.0), Some(0));
    assert_eq!(nearest(&scene, &camera, 290.0, 50.0, 20.0), Some(1));
    assert_eq!(nearest(&scene, &camera, 200.0, 50.0, 20.0), None);
    assert_eq!(nearest(&scene, &camera, 350.0, 50.0, 0.0), Some(1));
}
