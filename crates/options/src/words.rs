//! Choices that are written as words: the variants of an enum, each with its word and what it means.
//!
//! [`words!`](crate::words!) declares such an enum once. What reads scenarios, writes them out again, makes their
//! schema, or offers the choice to Python takes the words from here.

use std::fmt::Debug;

/// A choice of words.
pub trait Words: Copy + Eq + Debug + Send + Sync + 'static {
    /// The choices.
    const LIST: WordList;
    /// The variants in the order of the words.
    const ALL: &'static [Self];

    /// Where it stands in [`Self::ALL`].
    fn place(self) -> usize;

    /// The word.
    fn word(self) -> &'static str {
        Self::LIST.words[self.place()].word
    }

    /// What the word stands for.
    fn from_word(word: &str) -> Option<Self> {
        Self::LIST.words.iter().position(|one| one.word == word).map(|place| Self::ALL[place])
    }
}

/// The words of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordList {
    /// The choice's name.
    pub name: &'static str,
    /// What it chooses.
    pub meaning: &'static str,
    /// The words in a fixed order.
    pub words: &'static [Word],
}

/// A word of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it is written.
    pub word: &'static str,
    /// What it means; begins with a space, as comments do.
    pub meaning: &'static str,
}

/// Declares an enum whose variants are written as words. The comments are what the words mean to a user, too.
#[macro_export]
macro_rules! words {
    (
        $(#[doc = $about:literal])+
        $vis:vis enum $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $word:literal),+ $(,)? }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[doc = $doc])+ $variant),+ }

        impl $crate::Words for $name {
            const LIST: $crate::WordList = $crate::WordList {
                name: stringify!($name),
                meaning: concat!($($about),+),
                words: &[$($crate::Word { word: $word, meaning: concat!($($doc),+) }),+],
            };
            const ALL: &'static [$name] = &[$($name::$variant),+];

            fn place(self) -> usize {
                self as usize
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::words! {
        /// Where light goes.
        enum Way {
            /// Along the
            /// fibre.
            Through = "through",
            /// Nowhere.
            Lost = "lost",
        }
    }

    #[test]
    fn a_word_stands_for_its_variant_and_means_its_comment() {
        assert_eq!((Way::Lost.word(), Way::from_word("through")), ("lost", Some(Way::Through)));
        assert_eq!(Way::from_word("Through"), None);
        assert_eq!(Way::LIST.name, "Way");
        assert_eq!(Way::LIST.words[0].meaning, " Along the fibre.");
    }
}
