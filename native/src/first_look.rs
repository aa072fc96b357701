//! What stands for Sudachi and for tokenizers in the program of a first look: an error. Nothing is ever open, and what works
//! on what is open is never called.

use crate::write_error;

const LEFT_OUT: &str = "the program that ./dev demo builds is without Sudachi and tokenizers; ./dev build makes it whole";

/// Always null, with the error.
///
/// # Safety
/// `error` has room for `error_capacity` bytes, and `error_length` is writable.
#[no_mangle]
pub unsafe extern "C" fn uz_tokens_open(
    _json: *const u8,
    _json_length: usize,
    error: *mut u8,
    error_capacity: usize,
    error_length: *mut usize,
) -> *mut u8 {
    *error_length = write_error(LEFT_OUT, error, error_capacity);
    std::ptr::null_mut()
}

#[no_mangle]
pub extern "C" fn uz_tokens_close(_counter: *mut u8) {}

#[no_mangle]
pub extern "C" fn uz_tokens_ids(
    _counter: *const u8,
    _text: *const u8,
    _length: usize,
    _ids: *mut u32,
    _room: usize,
    _error: *mut u8,
    _error_capacity: usize,
    _error_length: *mut usize,
) -> i64 {
    -1
}

#[no_mangle]
pub extern "C" fn uz_tokens_vocabulary(_counter: *const u8, _size: *mut u64, _unknown: *mut i64, _median_length: *mut u64) {}

#[no_mangle]
pub extern "C" fn uz_tokens_count(
    _counter: *const u8,
    _text: *const u8,
    _length: usize,
    _error: *mut u8,
    _error_capacity: usize,
    _error_length: *mut usize,
) -> i64 {
    -1
}

/// Always null, with the error.
///
/// # Safety
/// `error` has room for `error_capacity` bytes, and `error_length` is writable.
#[no_mangle]
pub unsafe extern "C" fn uz_sudachi_open(
    _path: *const u8,
    _path_length: usize,
    error: *mut u8,
    error_capacity: usize,
    error_length: *mut usize,
) -> *mut u8 {
    *error_length = write_error(LEFT_OUT, error, error_capacity);
    std::ptr::null_mut()
}

#[no_mangle]
pub extern "C" fn uz_sudachi_close(_dictionary: *mut u8) {}

#[no_mangle]
pub extern "C" fn uz_sudachi_tokenizer(_dictionary: *const u8, _mode: u32) -> *mut u8 {
    std::ptr::null_mut()
}

#[no_mangle]
pub extern "C" fn uz_sudachi_tokenizer_free(_tokenizer: *mut u8) {}

#[no_mangle]
pub extern "C" fn uz_sudachi_tokenize(_tokenizer: *mut u8, _text: *const u8, _length: usize, _morphemes: *mut u8) -> i64 {
    -1
}
