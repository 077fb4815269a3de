//! What is said of parts of the page that are fetched later.

use super::words;

words! {
    /// A string about parts of the page.
    PartWord;

    Coming: "Loading…", "加载中…";
    Unfetched: "This part of the page could not be loaded. Is the server still there?", "页面的这一部分无法加载。服务器还在运行吗？";
    Again: "Try again", "重试";
    Leave: "Dismiss", "关闭";
}
