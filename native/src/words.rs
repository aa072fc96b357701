//! Word lists: which words a text has, the longest at each place, from the left.
//! The C side of these declarations is `src/filters/native_config.h`.

use daachorse::{CharwiseDoubleArrayAhoCorasick, CharwiseDoubleArrayAhoCorasickBuilder, MatchKind};

/// A compiled word list.
pub struct Words(CharwiseDoubleArrayAhoCorasick<u32>);

/// Compiles words, which are distinct and not empty, and lie one after another; null when that is not possible. A word's
/// number is its place.
///
/// # Safety
/// `ends` points to `count` numbers, the byte behind each word in `text`, which is UTF-8. The result goes to
/// `uz_words_free`.
#[no_mangle]
pub unsafe extern "C" fn uz_words_new(text: *const u8, ends: *const usize, count: usize) -> *mut Words {
    let ends = std::slice::from_raw_parts(ends, count);
    let length = ends.last().copied().unwrap_or(0);
    let Ok(text) = std::str::from_utf8(std::slice::from_raw_parts(text, length)) else {
        return std::ptr::null_mut();
    };
    let begins = std::iter::once(0).chain(ends.iter().copied());
    CharwiseDoubleArrayAhoCorasickBuilder::new()
        .match_kind(MatchKind::LeftmostLongest)
        .build(begins.zip(ends).map(|(begin, end)| &text[begin..*end]))
        .map_or(std::ptr::null_mut(), |automaton| Box::into_raw(Box::new(Words(automaton))))
}

/// Frees a word list.
///
/// # Safety
/// `words` came from `uz_words_new` and is not used again.
#[no_mangle]
pub unsafe extern "C" fn uz_words_free(words: *mut Words) {
    drop(Box::from_raw(words));
}

/// Writes the numbers of the words that occur, one after another, and returns how many.
///
/// # Safety
/// `text` points to `length` bytes of UTF-8, `numbers` to room for `length` numbers.
#[no_mangle]
pub unsafe extern "C" fn uz_words_find(
    words: *const Words,
    text: *const u8,
    length: usize,
    numbers: *mut u32,
) -> usize {
    let text = std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, length));
    let mut count = 0;
    for found in (*words).0.leftmost_find_iter(text) {
        *numbers.add(count) = found.value();
        count += 1;
    }
    count
}

/// The first word that occurs, the longest at its place: its bytes go to `begin` and `end`. False where there is none.
///
/// # Safety
/// `text` points to `length` bytes of UTF-8.
#[no_mangle]
pub unsafe extern "C" fn uz_words_first(
    words: *const Words,
    text: *const u8,
    length: usize,
    begin: *mut usize,
    end: *mut usize,
) -> bool {
    let text = std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, length));
    let Some(found) = (*words).0.leftmost_find_iter(text).next() else {
        return false;
    };
    *begin = found.start();
    *end = found.end();
    true
}
