//! What is said, in both languages.

use serde::{Deserialize, Serialize};

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// In English.
    pub en: String,
    /// In Chinese.
    pub zh: String,
}

impl Text {
    /// In the language of this tag (`zh`, `zh-CN`); English for any other.
    #[must_use]
    pub fn in_language(&self, tag: &str) -> &str {
        if tag.starts_with("zh") {
            &self.zh
        } else {
            &self.en
        }
    }

    /// Both, with the tag of the language.
    pub(crate) fn both(&self) -> [(&'static str, &str); 2] {
        [("en", &self.en), ("zh", &self.zh)]
    }
}
