//! robots.txt: the groups of a file, by `robotstxt`, a port of Google's parser.
//! The C side of these declarations is `src/document/native_robots.h`.

use robotstxt::{parse_robotstxt, RobotsParseHandler};

/// What is taken of a name: a product token (RFC 9309, section 2.2.1), and digits, which names in use have.
fn product_token(value: &str) -> &str {
    let end = value.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
    &value[..end.unwrap_or(value.len()).min(MOST_BYTES)]
}

/// Bytes of a name or a pattern. What is behind them is left out, as the parser leaves out the end of a line that has more
/// than 16,663; so groups are read as they were written.
const MOST_BYTES: usize = 16 << 10;

/// Writes the groups of a file in one form.
#[derive(Default)]
struct Groups {
    text: String,
    names: usize,    // in the group that is open
    has_rules: bool, // so does it: the next name begins another
}

impl Groups {
    fn rule(&mut self, key: &str, pattern: &str) {
        self.has_rules = true;
        if self.names == 0 {
            return; // of nobody
        }
        self.text.push_str(key);
        self.text.push_str(": ");
        let begin = self.text.len();
        for part in pattern.split_inclusive('\t') {
            let plain = part.strip_suffix('\t').unwrap_or(part);
            self.text.push_str(plain);
            if plain.len() < part.len() {
                self.text.push_str("%09");
            }
        }
        if self.text.len() - begin > MOST_BYTES {
            self.text.truncate(begin + MOST_BYTES);
            self.text.truncate(begin + self.text[begin..].trim_end().len());
        }
        self.text.push('\n');
    }
}

impl RobotsParseHandler for Groups {
    fn handle_robots_start(&mut self) {}
    fn handle_robots_end(&mut self) {}
    fn handle_user_agent(&mut self, _line: u32, value: &str) {
        if self.has_rules {
            self.has_rules = false;
            self.names = 0;
        }
        let is_all = value.strip_prefix('*').is_some_and(|rest| !rest.starts_with(|c: char| !c.is_ascii_whitespace()));
        let name = if is_all { "*" } else { product_token(value) };
        if name.is_empty() {
            return;
        }
        self.names += 1;
        self.text.push_str("user-agent: ");
        self.text.push_str(&name.to_ascii_lowercase());
        self.text.push('\n');
    }
    fn handle_allow(&mut self, _line: u32, value: &str) {
        self.rule("allow", value);
    }
    fn handle_disallow(&mut self, _line: u32, value: &str) {
        self.rule("disallow", value);
    }
    // These are parts of no group, and end none (RFC 9309, section 2.2.4).
    fn handle_sitemap(&mut self, _line: u32, _value: &str) {}
    fn handle_unknown_action(&mut self, _line: u32, _action: &str, _value: &str) {}
}

/// The file in printable ASCII, without a byte order mark: other bytes percent-encoded, digits of such in upper case. The parser
/// takes characters for bytes where there are others, knows the mark by its characters in Latin-1, and drops what is
/// behind a `%` that is none of an encoded byte once it has to change something.
fn as_ascii(file: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
    let mut text = String::with_capacity(file.len() + file.len() / 8);
    let mut upper = 0; // that many bytes are digits of an encoded one
    for (place, &byte) in file.iter().enumerate() {
        if byte >= 0x7F || (byte < 0x20 && !b"\t\n\r".contains(&byte)) {
            text.push('%');
            text.push(DIGITS[usize::from(byte >> 4)] as char);
            text.push(DIGITS[usize::from(byte & 15)] as char);
            continue;
        }
        if upper > 0 {
            upper -= 1;
            text.push(byte.to_ascii_uppercase() as char);
            continue;
        }
        let digits = file.get(place + 1..place + 3);
        if byte == b'%' && digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
            upper = 2;
        }
        text.push(byte as char);
    }
    text
}

/// The groups of a file: lines `user-agent: NAME`, `allow: PATTERN` and `disallow: PATTERN`.
fn groups_of(file: &[u8]) -> String {
    let mut groups = Groups::default();
    parse_robotstxt(&as_ascii(file), &mut groups);
    groups.text
}

/// Such a text.
pub struct Robots(String);

/// Reads a file, which may be any bytes.
///
/// # Safety
/// `file` points to `length` readable bytes. The result goes to `uz_robots_free`.
#[no_mangle]
pub unsafe extern "C" fn uz_robots_read(file: *const u8, length: usize) -> *mut Robots {
    let file = if length == 0 { &[] } else { std::slice::from_raw_parts(file, length) };
    Box::into_raw(Box::new(Robots(groups_of(file))))
}

/// The text, which lives as long as `robots`.
///
/// # Safety
/// `robots` came from `uz_robots_read`; `length` is writable.
#[no_mangle]
pub unsafe extern "C" fn uz_robots_text(robots: *const Robots, length: *mut usize) -> *const u8 {
    let text = &(*robots).0;
    *length = text.len();
    text.as_ptr()
}

/// Frees it.
///
/// # Safety
/// `robots` came from `uz_robots_read` and is not used again.
#[no_mangle]
pub unsafe extern "C" fn uz_robots_free(robots: *mut Robots) {
    drop(Box::from_raw(robots));
}
