//! HOCON files, resolved and rendered as JSON.
//! The C side of these declarations is `src/filters/native_config.h`.

use hocon::{Config, HoconError, HoconValue, ParseOptions, ResolveOptions, ScalarType};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The answer to `uz_hocon_read`: a text, JSON or an error.
pub struct HoconAnswer {
    text: String,
    line: usize,
    ok: bool,
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn render(value: &HoconValue, out: &mut String) {
    match value {
        HoconValue::Object(map) => {
            out.push('{');
            for (i, (key, item)) in map.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                quoted(key, out);
                out.push(':');
                render(item, out);
            }
            out.push('}');
        }
        HoconValue::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                render(item, out);
            }
            out.push(']');
        }
        HoconValue::Scalar(scalar) => match scalar.value_type {
            ScalarType::Number if is_json_number(&scalar.raw) => out.push_str(&scalar.raw),
            ScalarType::Boolean | ScalarType::Null => out.push_str(&scalar.raw),
            _ => quoted(&scalar.raw, out),
        },
        _ => out.push_str("null"),
    }
}

/// Whether the text is a number as JSON writes it, and 64 bits hold.
fn is_json_number(raw: &str) -> bool {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    let starts_well = digits.starts_with('0') && !matches!(digits.as_bytes().get(1), Some(b'0'..=b'9'))
        || matches!(digits.as_bytes().first(), Some(b'1'..=b'9'));
    let ends_well = matches!(raw.as_bytes().last(), Some(b'0'..=b'9'));
    starts_well && ends_well && !raw.contains(".e") && !raw.contains(".E") && raw.parse::<f64>().is_ok_and(f64::is_finite)
}

fn read(path: &Path, properties: &str) -> Result<String, HoconError> {
    let properties = hocon::parse(properties)?;
    let options = ParseOptions::defaults().with_resolve_substitutions(false);
    let config: Config = hocon::parse_file_with_options(path, options)?;
    let config = config.resolve_with(&properties, ResolveOptions::defaults())?;
    let mut out = String::from("{");
    for key in config.keys() {
        if out.len() > 1 {
            out.push(',');
        }
        quoted(key, &mut out);
        out.push(':');
        if let Some(value) = config.get(&format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""))) {
            render(value, &mut out);
        } else {
            out.push_str("null");
        }
    }
    out.push('}');
    Ok(out)
}

/// Reads a HOCON file. Substitutions are looked up in the file, in `properties` (HOCON too) and in the environment.
///
/// # Safety
/// The pointers have the lengths given. The result goes to `uz_hocon_free`.
#[no_mangle]
pub unsafe extern "C" fn uz_hocon_read(
    path: *const u8,
    path_length: usize,
    properties: *const u8,
    properties_length: usize,
) -> *mut HoconAnswer {
    let path = Path::new(OsStr::from_bytes(std::slice::from_raw_parts(path, path_length)));
    let properties = String::from_utf8_lossy(std::slice::from_raw_parts(properties, properties_length));
    let answer = match read(path, &properties) {
        Ok(text) => HoconAnswer { text, line: 0, ok: true },
        Err(HoconError::Parse(e)) => HoconAnswer { text: e.message, line: e.line, ok: false },
        Err(HoconError::Resolve(e)) => HoconAnswer {
            text: format!("${{{}}}: {}", e.path, e.message),
            line: e.line,
            ok: false,
        },
        Err(e) => HoconAnswer { text: e.to_string(), line: 0, ok: false },
    };
    Box::into_raw(Box::new(answer))
}

/// The answer's text; `line` is of an error, 0 when it is not known.
///
/// # Safety
/// `answer` came from `uz_hocon_read`; the others are writable. The text lives as long as the answer.
#[no_mangle]
pub unsafe extern "C" fn uz_hocon_text(
    answer: *const HoconAnswer,
    length: *mut usize,
    line: *mut usize,
    ok: *mut bool,
) -> *const u8 {
    let answer = &*answer;
    *length = answer.text.len();
    *line = answer.line;
    *ok = answer.ok;
    answer.text.as_ptr()
}

/// Frees an answer.
///
/// # Safety
/// `answer` came from `uz_hocon_read` and is not used again.
#[no_mangle]
pub unsafe extern "C" fn uz_hocon_free(answer: *mut HoconAnswer) {
    drop(Box::from_raw(answer));
}
