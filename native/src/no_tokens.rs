//! What stands for tokenizers in a build without them: an error.

use crate::write_error;

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
    let message = "the program that ./dev demo builds has no tokenizers; ./dev build makes it whole";
    *error_length = write_error(message, error, error_capacity);
    std::ptr::null_mut()
}

/// Is never called, as nothing is ever open.
#[no_mangle]
pub extern "C" fn uz_tokens_close(_counter: *mut u8) {}

/// Is never called, as nothing is ever open.
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
