//! What is said of files that are given one by one and belong together.

use super::words;

words! {
    /// A string about files that belong together.
    GivenWord, given;

    Waits: "“{}” still waits for the file that belongs to it: open that one, and both are read together. Dismiss this, and it waits no longer.", "“{}” 仍在等待与之配套的文件：打开该文件，两者将一起读取。关闭此提示则不再等待。";
    DropCompare: "Drop to compare", "松开以比较";
    DropMissing: "The missing file of “{}”", "“{}” 缺少的文件";
}
