//! Sudachi: Japanese text to morphemes.
//! The C side of these declarations is `src/lm/native_tokens.h`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use sudachi::analysis::stateful_tokenizer::StatefulTokenizer;
use sudachi::analysis::Mode;
use sudachi::config::ConfigBuilder;
use sudachi::dic::dictionary::JapaneseDictionary;
use sudachi::prelude::MorphemeList;

use crate::write_error;

/// A dictionary, shared by tokenizers; its file is mapped into memory.
pub struct SudachiDictionary(Arc<JapaneseDictionary>);

/// A tokenizer of one thread.
pub struct SudachiTokenizer {
    tokenizer: StatefulTokenizer<Arc<JapaneseDictionary>>,
    morphemes: MorphemeList<Arc<JapaneseDictionary>>,
}

/// A morpheme: bytes of the text, and whether its normalised form is a space.
#[repr(C)]
pub struct SudachiMorpheme {
    begin: u32,
    end: u32,
    is_space: u32,
}

/// Opens a system dictionary; null when it can not be read. Then `error_length` bytes of `error` say why.
///
/// # Safety
/// The pointers have the lengths given. The result goes to `uz_sudachi_close`.
#[no_mangle]
pub unsafe extern "C" fn uz_sudachi_open(
    path: *const u8,
    path_length: usize,
    error: *mut u8,
    error_capacity: usize,
    error_length: *mut usize,
) -> *mut SudachiDictionary {
    let path = Path::new(OsStr::from_bytes(std::slice::from_raw_parts(path, path_length)));
    let absolute = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let opened = ConfigBuilder::from_embedded()
        .map_err(|e| e.to_string())
        .map(|builder| builder.push_embedded().system_dict(absolute).build())
        .and_then(|config| JapaneseDictionary::from_cfg(&config).map_err(|e| e.to_string()));
    match opened {
        Ok(dictionary) => Box::into_raw(Box::new(SudachiDictionary(Arc::new(dictionary)))),
        Err(message) => {
            *error_length = write_error(&message, error, error_capacity);
            std::ptr::null_mut()
        }
    }
}

/// Closes a dictionary.
///
/// # Safety
/// `dictionary` came from `uz_sudachi_open` and is not used again; its tokenizers may live on.
#[no_mangle]
pub unsafe extern "C" fn uz_sudachi_close(dictionary: *mut SudachiDictionary) {
    drop(Box::from_raw(dictionary));
}

/// A tokenizer; `mode` 0: A, the shortest morphemes, 1: B, 2: C.
///
/// # Safety
/// `dictionary` came from `uz_sudachi_open`. The result goes to `uz_sudachi_tokenizer_free`.
#[no_mangle]
pub unsafe extern "C" fn uz_sudachi_tokenizer(dictionary: *const SudachiDictionary, mode: u32) -> *mut SudachiTokenizer {
    let shared = (*dictionary).0.clone();
    let mode = match mode {
        0 => Mode::A,
        1 => Mode::B,
        _ => Mode::C,
    };
    Box::into_raw(Box::new(SudachiTokenizer {
        tokenizer: StatefulTokenizer::new(shared.clone(), mode),
        morphemes: MorphemeList::empty(shared),
    }))
}

/// Frees a tokenizer.
///
/// # Safety
/// `tokenizer` came from `uz_sudachi_tokenizer` and is not used again.
#[no_mangle]
pub unsafe extern "C" fn uz_sudachi_tokenizer_free(tokenizer: *mut SudachiTokenizer) {
    drop(Box::from_raw(tokenizer));
}

/// Tokenizes a text of at most 49,149 bytes. Returns the number of morphemes, or -1 when the text can not be analysed.
///
/// # Safety
/// `text` points to `length` bytes of UTF-8, `morphemes` to room for `length` of them.
#[no_mangle]
pub unsafe extern "C" fn uz_sudachi_tokenize(
    tokenizer: *mut SudachiTokenizer,
    text: *const u8,
    length: usize,
    morphemes: *mut SudachiMorpheme,
) -> i64 {
    let this = &mut *tokenizer;
    let text = std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, length));
    this.tokenizer.reset().push_str(text);
    if this.tokenizer.do_tokenize().is_err() || this.morphemes.collect_results(&mut this.tokenizer).is_err() {
        return -1;
    }
    let mut count = 0;
    for morpheme in this.morphemes.iter() {
        if count == length {
            return -1;
        }
        *morphemes.add(count) = SudachiMorpheme {
            begin: morpheme.begin() as u32,
            end: morpheme.end() as u32,
            is_space: u32::from(morpheme.normalized_form() == " "),
        };
        count += 1;
    }
    count as i64
}
