//! The Rust libraries that Uzushio uses, behind one C ABI (two Rust static libraries in one program clash).
//! The C side of the declarations in this file is `src/html/native_encoding.h`, and `src/base/native.h` for UTF-8.

mod config;
#[cfg(not(feature = "language"))]
mod first_look;
mod keyed_hash;
#[cfg(feature = "language")]
mod onnx;
#[cfg(feature = "language")]
mod patterns;
mod robots;
#[cfg(feature = "language")]
mod sudachi;
#[cfg(feature = "language")]
mod tokens;
mod words;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, Decoder, DecoderResult, Encoding, UTF_8};

/// Writes what of a message there is room for, whole characters, and returns the bytes.
///
/// # Safety
/// `error` has room for `capacity` bytes.
unsafe fn write_error(message: &str, error: *mut u8, capacity: usize) -> usize {
    let mut length = message.len().min(capacity);
    while !message.is_char_boundary(length) {
        length -= 1;
    }
    std::ptr::copy_nonoverlapping(message.as_ptr(), error, length);
    length
}

/// The WHATWG encoding of a label, or null when the label names none.
///
/// # Safety
/// `label` points to `length` readable bytes.
#[no_mangle]
pub unsafe extern "C" fn uz_encoding_for_label(label: *const u8, length: usize) -> *const Encoding {
    let label = std::slice::from_raw_parts(label, length);
    Encoding::for_label(label).map_or(std::ptr::null(), |e| e as *const Encoding)
}

/// The name of an encoding: bytes that live as long as the program.
///
/// # Safety
/// `encoding` came from `uz_encoding_for_label`; `length` is writable.
#[no_mangle]
pub unsafe extern "C" fn uz_encoding_name(encoding: *const Encoding, length: *mut usize) -> *const u8 {
    let name = (*encoding).name();
    *length = name.len();
    name.as_ptr()
}

/// The number of leading bytes that are valid UTF-8.
///
/// # Safety
/// `data` points to `length` readable bytes.
#[no_mangle]
pub unsafe extern "C" fn uz_utf8_valid_up_to(data: *const u8, length: usize) -> usize {
    match simdutf8::compat::from_utf8(std::slice::from_raw_parts(data, length)) {
        Ok(_) => length,
        Err(error) => error.valid_up_to(),
    }
}

/// The number of leading bytes that are ASCII.
///
/// # Safety
/// `data` points to `length` readable bytes.
#[no_mangle]
pub unsafe extern "C" fn uz_ascii_valid_up_to(data: *const u8, length: usize) -> usize {
    Encoding::ascii_valid_up_to(std::slice::from_raw_parts(data, length))
}

/// A new decoder to UTF-8 that leaves out a byte order mark of its own encoding.
///
/// # Safety
/// `encoding` came from `uz_encoding_for_label`; the result goes to `uz_decoder_free`.
#[no_mangle]
pub unsafe extern "C" fn uz_decoder_new(encoding: *const Encoding) -> *mut Decoder {
    Box::into_raw(Box::new((*encoding).new_decoder_with_bom_removal()))
}

/// Frees a decoder.
///
/// # Safety
/// `decoder` came from `uz_decoder_new` and is not used again.
#[no_mangle]
pub unsafe extern "C" fn uz_decoder_free(decoder: *mut Decoder) {
    drop(Box::from_raw(decoder));
}

/// The most UTF-8 bytes that `length` more input bytes can become, or `usize::MAX` when that overflows.
///
/// # Safety
/// `decoder` came from `uz_decoder_new`.
#[no_mangle]
pub unsafe extern "C" fn uz_decoder_max_length(decoder: *const Decoder, length: usize) -> usize {
    (*decoder).max_utf8_buffer_length(length).unwrap_or(usize::MAX)
}

/// Decodes with U+FFFD for what cannot be mapped. The output must hold `uz_decoder_max_length` bytes.
/// Sets `written`, and `replaced` to 1 when something could not be mapped. Returns the bytes read.
///
/// # Safety
/// The pointers have the lengths given; `decoder` came from `uz_decoder_new`.
#[no_mangle]
pub unsafe extern "C" fn uz_decode(
    decoder: *mut Decoder,
    input: *const u8,
    input_length: usize,
    output: *mut u8,
    output_length: usize,
    last: bool,
    written: *mut usize,
    replaced: *mut bool,
) -> usize {
    let src = std::slice::from_raw_parts(input, input_length);
    let dst = std::slice::from_raw_parts_mut(output, output_length);
    let (result, read, wrote, had_errors) = (*decoder).decode_to_utf8(src, dst, last);
    debug_assert!(result == CoderResult::InputEmpty);
    *written = wrote;
    *replaced = had_errors;
    read
}

/// The number of characters beyond ASCII in valid UTF-8; of few bytes, a sum fits in one, and many are added at once.
fn count_beyond_ascii(bytes: &[u8]) -> usize {
    let count = |few: &[u8]| few.iter().map(|byte| u8::from(*byte >= 0xC0)).sum::<u8>();
    bytes.chunks(255).map(|few| usize::from(count(few))).sum()
}

/// As `uz_count_faults`; decoders take long for each fault.
fn count_faults_of_utf8(bytes: &[u8], last: bool, most: usize) -> (usize, usize) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let (mut mapped, mut unmapped) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        mapped += count_beyond_ascii(chunk.valid().as_bytes());
        let invalid = chunk.invalid();
        let is_cut = invalid.as_ptr_range().end == bytes.as_ptr_range().end
            && matches!(std::str::from_utf8(invalid), Err(error) if error.error_len().is_none());
        unmapped += usize::from(!invalid.is_empty() && (last || !is_cut));
        if unmapped > most {
            break;
        }
    }
    (mapped + unmapped, unmapped)
}

/// Counts the characters beyond ASCII, and those among them that cannot be mapped. A character that the end cuts counts
/// as mapped unless `last`. Ends where there are more than `most` that cannot.
///
/// # Safety
/// The pointers have the lengths given; `encoding` came from `uz_encoding_for_label`.
#[no_mangle]
pub unsafe extern "C" fn uz_count_faults(
    encoding: *const Encoding,
    input: *const u8,
    input_length: usize,
    last: bool,
    most: usize,
    characters: *mut usize,
    faults: *mut usize,
) {
    let mut rest = std::slice::from_raw_parts(input, input_length);
    if std::ptr::eq(encoding, UTF_8) {
        (*characters, *faults) = count_faults_of_utf8(rest, last, most);
        return;
    }
    let mut decoder = (*encoding).new_decoder_with_bom_removal();
    let mut piece = [0u8; 4096];
    let (mut mapped, mut unmapped) = (0, 0);
    while unmapped <= most {
        let (result, read, wrote) = decoder.decode_to_utf8_without_replacement(rest, &mut piece, last);
        mapped += count_beyond_ascii(&piece[..wrote]);
        rest = &rest[read..];
        match result {
            DecoderResult::Malformed(_, _) => unmapped += 1,
            DecoderResult::OutputFull => (),
            DecoderResult::InputEmpty => break,
        }
    }
    *characters = mapped + unmapped;
    *faults = unmapped;
}

/// The encoding that a detector takes the bytes for, perhaps as those of a Japanese site; never UTF-8 or one that escapes.
///
/// # Safety
/// `input` points to `length` readable bytes.
#[no_mangle]
pub unsafe extern "C" fn uz_guess_encoding(input: *const u8, length: usize, japanese: bool) -> *const Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(std::slice::from_raw_parts(input, length), true);
    detector.guess(japanese.then_some(b"jp".as_slice()), Utf8Detection::Deny)
}
