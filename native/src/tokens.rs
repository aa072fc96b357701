//! Hugging Face tokenizers: how many tokens a text has.
//! The C side of these declarations is `src/lm/native.h`.

use std::panic::{catch_unwind, AssertUnwindSafe};

use serde::{de::DeserializeOwned, Serialize};
use serde_json::Value;
use tokenizers::{ModelWrapper, Tokenizer};

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

/// What makes inputs of a model is left out: a text is not cut short, not filled up, and never read at random.
fn read(json: &[u8]) -> tokenizers::Result<Tokenizer> {
    let mut tokenizer = Tokenizer::from_bytes(json)?;
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

/// The tokens of a text, without those that are put around it; -1 when it can not be cut. Then `error_length` bytes of
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
    let tokenizer = &(*counter).0;
    let text = std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, length));
    match caught(|| Ok(tokenizer.encode_fast(text, false)?.len())) {
        Ok(tokens) => tokens as i64,
        Err(message) => {
            *error_length = write_error(&message, error, error_capacity);
            -1
        }
    }
}
