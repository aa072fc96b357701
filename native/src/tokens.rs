//! Hugging Face tokenizers: the tokens of a text, and how many there are.
//! The C side of these declarations is `src/lm/native_tokens.h`.

use std::panic::{catch_unwind, AssertUnwindSafe};

use serde::{de::DeserializeOwned, Serialize};
use serde_json::Value;
use tokenizers::{Encoding, ModelWrapper, PostProcessor, Tokenizer, TruncationDirection};

use crate::patterns::as_oniguruma;
use crate::write_error;

/// A tokenizer, shared by threads.
pub struct TokenCounter(Tokenizer);

/// What `work` gives; a panic in it is an error.
fn caught<T>(work: impl FnOnce() -> tokenizers::Result<T>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("the library `tokenizers` can not go on".to_string()),
    }
}

/// Has all patterns of a part of a tokenizer read so. Whether there are any.
fn change_patterns(part: &mut Value) -> tokenizers::Result<bool> {
    let mut any = false;
    match part {
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(pattern) if key == "Regex" => {
                        *pattern = as_oniguruma(pattern)?;
                        any = true;
                    }
                    _ => any |= change_patterns(member)?,
                }
            }
        }
        Value::Array(members) => {
            for member in members {
                any |= change_patterns(member)?;
            }
        }
        _ => {}
    }
    Ok(any)
}

/// A part of a tokenizer, changed; none where it has no patterns.
fn with_patterns<T: Serialize + DeserializeOwned>(part: Option<&T>) -> tokenizers::Result<Option<T>> {
    let mut json = serde_json::to_value(part)?;
    Ok(if change_patterns(&mut json)? { Some(serde_json::from_value(json)?) } else { None })
}

/// The most that normalizers may make of a byte, put together; those of XLM-R make 33 of one character of three.
const MOST_GROWTH: usize = 128;
/// The longest word, in characters, that WordPiece may be asked to cut: it tries all beginnings of all of its ends. BERT: 100.
const MOST_CHARACTERS: u64 = 1000;
/// The longest token, in bytes, that Unigram may look for at each character.
const MOST_TOKEN: usize = 2048;

/// A text in base64; what is no letter of it is not looked at, which the library has refused.
fn decoded(text: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len()), 0u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// The longest text that a map of SentencePiece has for a character: behind a tree, whose size comes first, texts that
/// each end in a zero.
fn longest_of_map(map: &[u8]) -> usize {
    let size = map.get(..4).map_or(0, |size| u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize);
    let texts = map.get(size.saturating_add(4)..).unwrap_or_default();
    texts.split(|byte| *byte == 0).map(<[u8]>::len).max().unwrap_or(0)
}

/// The bytes that a normalizer, or those it consists of, may make of one.
fn growth(normalizer: &Value) -> usize {
    match normalizer {
        Value::Object(members) => {
            let own = match members.get("type").and_then(Value::as_str) {
                Some("Replace") => members.get("content").and_then(Value::as_str).map_or(1, str::len),
                Some("Precompiled") => {
                    members.get("precompiled_charsmap").and_then(Value::as_str).map_or(1, |map| longest_of_map(&decoded(map)))
                }
                _ => 1,
            };
            members.values().fold(own.max(1), |product, member| product.saturating_mul(growth(member)))
        }
        Value::Array(members) => members.iter().fold(1, |product, member| product.saturating_mul(growth(member))),
        _ => 1,
    }
}

/// Refuses what takes far more memory or time than a tokenizer needs, which a small file can ask for.
fn check_bounds(tokenizer: &Tokenizer) -> tokenizers::Result<()> {
    let growth = growth(&serde_json::to_value(tokenizer.get_normalizer())?);
    if growth > MOST_GROWTH {
        return Err(format!("its normalizers may make {growth} bytes of one; {MOST_GROWTH} at most are read").into());
    }
    match tokenizer.get_model() {
        ModelWrapper::WordPiece(model) => {
            let model = serde_json::to_value(model)?;
            let characters = model.get("max_input_chars_per_word").and_then(Value::as_u64).unwrap_or(0);
            if characters > MOST_CHARACTERS {
                return Err(format!("max_input_chars_per_word is {characters}; {MOST_CHARACTERS} at most are read").into());
            }
        }
        ModelWrapper::Unigram(model) => {
            let longest = model.iter().map(|(token, _)| token.len()).max().unwrap_or(0);
            if longest > MOST_TOKEN {
                return Err(format!("a token has {longest} bytes; {MOST_TOKEN} at most are read").into());
            }
        }
        _ => {}
    }
    Ok(())
}

/// What makes inputs of a model is left out: a text is not cut short, not filled up, and never read at random.
fn read(json: &[u8]) -> tokenizers::Result<Tokenizer> {
    let mut tokenizer = Tokenizer::from_bytes(json)?;
    check_bounds(&tokenizer)?;
    tokenizer.with_truncation(None)?;
    tokenizer.with_padding(None);
    let model = match tokenizer.get_model() {
        ModelWrapper::BPE(model) if model.dropout.is_some() => Some(model.clone()),
        _ => None,
    };
    if let Some(mut model) = model {
        model.dropout = None;
        tokenizer.with_model(ModelWrapper::BPE(model));
    }
    if let Some(normalizer) = with_patterns(tokenizer.get_normalizer())? {
        tokenizer.with_normalizer(Some(normalizer))?;
    }
    if let Some(pre_tokenizer) = with_patterns(tokenizer.get_pre_tokenizer())? {
        tokenizer.with_pre_tokenizer(Some(pre_tokenizer));
    }
    Ok(tokenizer)
}

impl TokenCounter {
    /// The tokens of a text for a model: with those that are put around texts, `most` at most, cut at the end.
    pub(crate) fn inputs(&self, text: &str, most: usize) -> Result<Encoding, String> {
        let tokenizer = &self.0;
        let around = tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
        let Some(room) = most.checked_sub(around).filter(|room| *room > 0) else {
            return Err(format!("max_tokens: {around} tokens are put around each text, and there may be {most} of all"));
        };
        caught(|| {
            let mut encoding = tokenizer.encode_fast(text, false)?;
            encoding.truncate(room, 0, TruncationDirection::Right);
            tokenizer.post_process(encoding, None, true)
        })
    }

    /// The token that fills up texts.
    pub(crate) fn padding(&self) -> u32 {
        ["[PAD]", "<pad>"].iter().find_map(|token| self.0.token_to_id(token)).unwrap_or(0)
    }
}

/// A tokenizer of what a tokenizer.json has; null when it is none. Then `error_length` bytes of `error` say why.
///
/// # Safety
/// The pointers have the lengths given. The result goes to `uz_tokens_close`.
#[no_mangle]
pub unsafe extern "C" fn uz_tokens_open(
    json: *const u8,
    json_length: usize,
    error: *mut u8,
    error_capacity: usize,
    error_length: *mut usize,
) -> *mut TokenCounter {
    let json = std::slice::from_raw_parts(json, json_length);
    match caught(|| read(json)) {
        Ok(tokenizer) => Box::into_raw(Box::new(TokenCounter(tokenizer))),
        Err(message) => {
            *error_length = write_error(&message, error, error_capacity);
            std::ptr::null_mut()
        }
    }
}

/// Closes a tokenizer.
///
/// # Safety
/// `counter` came from `uz_tokens_open` and is not used again.
#[no_mangle]
pub unsafe extern "C" fn uz_tokens_close(counter: *mut TokenCounter) {
    drop(Box::from_raw(counter));
}

/// The tokens of a text, without those that are put around it.
///
/// # Safety
/// `counter` came from `uz_tokens_open`, and `text` points to `length` bytes of UTF-8.
unsafe fn cut(counter: *const TokenCounter, text: *const u8, length: usize) -> Result<Encoding, String> {
    let tokenizer = &(*counter).0;
    let text = std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, length));
    caught(|| tokenizer.encode_fast(text, false))
}

/// A number for C; -1 when there is none. Then `error_length` bytes of `error` say why.
///
/// # Safety
/// The pointers have the lengths given.
unsafe fn number_or_error(number: Result<usize, String>, error: *mut u8, error_capacity: usize, error_length: *mut usize) -> i64 {
    match number {
        Ok(number) => number as i64,
        Err(message) => {
            *error_length = write_error(&message, error, error_capacity);
            -1
        }
    }
}

/// How many tokens a text has, without those that are put around it; -1 when it can not be cut. Then `error_length` bytes of
/// `error` say why.
///
/// # Safety
/// `counter` came from `uz_tokens_open`, `text` points to `length` bytes of UTF-8, and the others have the lengths given.
#[no_mangle]
pub unsafe extern "C" fn uz_tokens_count(
    counter: *const TokenCounter,
    text: *const u8,
    length: usize,
    error: *mut u8,
    error_capacity: usize,
    error_length: *mut usize,
) -> i64 {
    let count = cut(counter, text, length).map(|encoding| encoding.len());
    number_or_error(count, error, error_capacity, error_length)
}

/// Writes the tokens of a text, without those that are put around it, to `ids`, as many as it has room for, and returns how
/// many there are; -1 when the text can not be cut. Then `error_length` bytes of `error` say why.
///
/// # Safety
/// `counter` came from `uz_tokens_open`, `text` points to `length` bytes of UTF-8, `ids` has room for `room` numbers, and the
/// others have the lengths given.
#[no_mangle]
pub unsafe extern "C" fn uz_tokens_ids(
    counter: *const TokenCounter,
    text: *const u8,
    length: usize,
    ids: *mut u32,
    room: usize,
    error: *mut u8,
    error_capacity: usize,
    error_length: *mut usize,
) -> i64 {
    let count = cut(counter, text, length).map(|encoding| {
        let found = encoding.get_ids();
        std::ptr::copy_nonoverlapping(found.as_ptr(), ids, found.len().min(room));
        found.len()
    });
    number_or_error(count, error, error_capacity, error_length)
}

/// The token for what is unknown, or -1: of Unigram a number, of others a text.
fn unknown_of(tokenizer: &Tokenizer) -> i64 {
    let by_text = |text: &str| tokenizer.token_to_id(text).map_or(-1, i64::from);
    match tokenizer.get_model() {
        ModelWrapper::WordPiece(model) => by_text(&model.unk_token),
        ModelWrapper::WordLevel(model) => by_text(&model.unk_token),
        ModelWrapper::BPE(model) => model.unk_token.as_deref().map_or(-1, by_text),
        ModelWrapper::Unigram(model) => {
            let model = serde_json::to_value(model).unwrap_or_default();
            model.get("unk_id").and_then(Value::as_i64).unwrap_or(-1)
        }
    }
}

/// Writes what the tokens of a tokenizer are: the largest id and one, the token for what is unknown or -1, and the median of
/// the tokens' lengths in code points, rounded down.
///
/// # Safety
/// `counter` came from `uz_tokens_open`; the others are writable.
#[no_mangle]
pub unsafe extern "C" fn uz_tokens_vocabulary(
    counter: *const TokenCounter,
    size: *mut u64,
    unknown: *mut i64,
    median_length: *mut u64,
) {
    let tokenizer = &(*counter).0;
    let vocabulary = tokenizer.get_vocab(true);
    let mut lengths: Vec<usize> = vocabulary.keys().map(|token| token.chars().count()).collect();
    lengths.sort_unstable();
    let middle = lengths.len() / 2;
    let median = match lengths.len() {
        0 => 1,
        length if length % 2 == 1 => lengths[middle],
        _ => (lengths[middle - 1] + lengths[middle]) / 2,
    };
    *size = vocabulary.values().max().map_or(0, |id| u64::from(*id) + 1);
    *unknown = unknown_of(tokenizer);
    *median_length = median as u64;
}
