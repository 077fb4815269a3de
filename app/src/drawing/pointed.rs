//! What happens on a picture.

use web_sys::{MouseEvent, PointerEvent, TouchEvent, WheelEvent};

/// What happened on a picture.
pub(crate) enum Pointed {
    Wheel(WheelEvent),
    Down(PointerEvent),
    Moved(PointerEvent),
    Up(PointerEvent),
    Cancelled(PointerEvent),
    Left(PointerEvent),
    Double(MouseEvent),
    /// Fingers went down, moved or left; comes after the same as pointers.
    Touched(TouchEvent),
}
