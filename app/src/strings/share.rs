//! What is said about handing on what is open.

use super::words;

words! {
    /// A string about sharing.
    ShareWord, share;

    Open: "Share…", "分享…";
    OpenHint: "A link or a file with the plan and the view in it", "包含计划与视图的链接或文件";
    Title: "Share what you see", "分享所见";
    Nothing: "There is no plan yet to share.", "尚无可分享的计划。";
    Cases: "A link has all {} {case|cases} that stand side by side, a file only the active one. Of the active one:", "链接包含并排的全部 {} 项，文件仅包含当前项。关于当前项：";
    HoldsSample: "This sample comes with the page, so the link only says what is shown of it.", "此示例随页面提供，链接仅说明显示内容。";
    Holds: "Whoever opens it sees the tensors with their names, sizes and lives, the plan “{}”, and the view as it is now; other strategies are planned anew there. The model and its weights are not in it.", "打开者可看到张量的名称、大小与生命周期、计划“{}”以及当前视图；其他策略将在其处重新规划。不包含模型及其权重。";
    LinkSize: "The link has {} {character|characters}.", "链接共 {} 个字符。";
    TooLong: "A link would have {} {character|characters}; mails and chats pass on {} at most: hand on a file instead.", "链接将有 {} 个字符，超过邮件与聊天可传递的 {} 个：请改为分享文件。";
    TooMany: "There are too many tensors for a link: hand on a file instead.", "张量过多，无法放入链接：请改为分享文件。";
    Link: "Link", "链接";
    CopyEmbed: "Copy for lecture notes", "复制嵌入代码";
    CopyEmbedHint: "HTML that shows this view, and nothing else of the page, in the frame of another page", "在其他网页的框架中只显示此画面的 HTML";
    CopyLink: "Copy the link", "复制链接";
    TakeFile: "Download as a file ({})", "下载为文件（{}）";
    WithoutLanes: "What the allocator took over time (its lines under the picture) does not go along; how much it reserved at its peak does.", "分配器随时间占用的曲线不随之传递；其保留内存的峰值会传递。";
    Private: "Everything is in the part behind “#”, which browsers send to nobody. Names of tensors and source lines are in it: look whether they may be seen.", "所有内容都在“#”之后，浏览器不会发送给任何人。其中包含张量名称与源代码行：请确认可以公开。";
}
