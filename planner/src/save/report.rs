//! A report to attach to a bug: one HTML file with its pictures, which asks for nothing else.

use std::fmt::Write;

/// A part of a report, in reading order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// What comes now.
    Heading(String),
    /// A sentence or two.
    Text(String),
    /// Names and values.
    Figures(Vec<(String, String)>),
    /// Rows under a head; the cells of columns marked `true` are numbers.
    Table {
        /// What each column holds, and whether it is numbers.
        head: Vec<(String, bool)>,
        /// As many cells each as there are columns.
        rows: Vec<Vec<String>>,
    },
    /// A picture: an `<svg>` element that is put in as it is, and what it shows.
    Picture {
        /// The element, made by ourselves.
        svg: String,
        /// What it shows.
        caption: String,
    },
    /// Text to copy, such as a plan, folded away.
    Attachment {
        /// What it is.
        title: String,
        /// The text.
        text: String,
    },
}

/// What a report looks like. It prints on white, whatever the reader's theme is.
const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff;\
max-width:76rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.6rem}h2{font-size:1.2rem;\
margin-top:2rem}table{border-collapse:collapse;margin:.5rem 0}th,td{text-align:left;\
padding:.2rem .8rem .2rem 0;border-bottom:1px solid #ddd;vertical-align:top}\
.number{text-align:right;font-variant-numeric:tabular-nums}figure{margin:1rem 0}\
figure svg{max-width:100%;height:auto;border:1px solid #ddd}figcaption{color:#555}\
pre{overflow:auto;max-height:30rem;background:#f5f5f5;padding:.6rem;font-size:12px}\
.wide{overflow-x:auto}";

/// A page in `language` (as in HTML's `lang`) called `title`. It may run nothing and fetch
/// nothing: its own policy says so.
#[must_use]
pub fn report(language: &str, title: &str, sections: &[Section]) -> String {
    let (language, title) = (escaped(language), escaped(title));
    let mut html = format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
    );
    for section in sections {
        write_section(&mut html, section);
    }
    html.push_str("</body>\n</html>\n");
    html
}

/// Writing to a String cannot fail.
fn write_section(html: &mut String, section: &Section) {
    match section {
        Section::Heading(text) => {
            let _ = writeln!(html, "<h2>{}</h2>", escaped(text));
        }
        Section::Text(text) => {
            let _ = writeln!(html, "<p>{}</p>", escaped(text));
        }
        Section::Figures(figures) => {
            html.push_str("<table>\n");
            for (name, value) in figures {
                let (name, value) = (escaped(name), escaped(value));
                let _ = writeln!(
                    html,
                    "<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"
                );
            }
            html.push_str("</table>\n");
        }
        Section::Table { head, rows } => table(html, head, rows),
        Section::Picture { svg, caption } => {
            let caption = escaped(caption);
            let _ = writeln!(
                html,
                "<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>"
            );
        }
        Section::Attachment { title, text } => {
            let (title, text) = (escaped(title), escaped(text));
            let _ = writeln!(
                html,
                "<details><summary>{title}</summary><pre>{text}</pre></details>"
            );
        }
    }
}

fn table(html: &mut String, head: &[(String, bool)], rows: &[Vec<String>]) {
    html.push_str("<div class=\"wide\"><table>\n<tr>");
    let class = |is_number: bool| if is_number { " class=\"number\"" } else { "" };
    for (name, is_number) in head {
        let (class, name) = (class(*is_number), escaped(name));
        let _ = write!(html, "<th scope=\"col\"{class}>{name}</th>");
    }
    html.push_str("</tr>\n");
    for row in rows {
        html.push_str("<tr>");
        for (cell, (_, is_number)) in row.iter().zip(head) {
            let (class, cell) = (class(*is_number), escaped(cell));
            let _ = write!(html, "<td{class}>{cell}</td>");
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table></div>\n");
}

/// Text made safe inside elements and attributes.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ if letter.is_control() && !matches!(letter, '\t' | '\n') => safe.push('\u{fffd}'),
            _ => safe.push(letter),
        }
    }
    safe
}
