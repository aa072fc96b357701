//! HMAC-SHA-256 (RFC 2104, FIPS 180-4). The C side of this declaration is `src/personal/native_hash.h`.

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// Writes the 32 bytes of the hash of `text` under `key`.
///
/// # Safety
/// `key` and `text` point to so many readable bytes; `hash` has room for 32.
#[no_mangle]
pub unsafe extern "C" fn uz_hmac_sha256(
    key: *const u8,
    key_length: usize,
    text: *const u8,
    text_length: usize,
    hash: *mut u8,
) {
    let key = std::slice::from_raw_parts(key, key_length);
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(std::slice::from_raw_parts(text, text_length));
    let bytes = mac.finalize().into_bytes();
    std::ptr::copy_nonoverlapping(bytes.as_ptr(), hash, bytes.len());
}
