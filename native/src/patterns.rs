//! Patterns of Hugging Face tokenizers, which are made with Oniguruma (its Ruby syntax), as fancy-regex reads them alike.
//! What the two read differently is an error, or they would split texts differently.

/// Escaped letters that stand for the same in both; those of `\w` and `\b` are of other characters there and here.
const ESCAPES: &str = "dDsSpPnrtfvxAz";
/// What a group may begin with.
const GROUPS: [&str; 7] = [":", "=", "!", "<=", "<!", ">", "i:"];
/// Letters that Oniguruma also takes for one character where case is ignored: ß and ligatures.
const FOLDED: [&str; 5] = ["ss", "ff", "fi", "fl", "st"];

/// Where a pattern is read.
struct Reader<'a> {
    pattern: &'a str,
    rest: &'a str,
    read: String,
    /// Of open groups: whether case is ignored in them.
    groups: Vec<bool>,
    /// Open classes.
    classes: usize,
    /// The letter before, in a group where case is ignored.
    letter: Option<char>,
}

impl Reader<'_> {
    fn refused(&self, what: &str) -> String {
        format!("there is `{what}` in the pattern {}, which other libraries read otherwise", self.pattern)
    }

    /// Hands `length` bytes on as they are.
    fn copy(&mut self, length: usize) {
        let (copied, rest) = self.rest.split_at(length);
        self.read.push_str(copied);
        self.rest = rest;
    }

    fn escaped(&mut self) -> Result<(), String> {
        let Some(letter) = self.rest[1..].chars().next() else { return Err(self.refused("\\")) };
        let length = 1 + letter.len_utf8();
        if letter.is_ascii_alphanumeric() && !ESCAPES.contains(letter) {
            return Err(self.refused(&self.rest[..length]));
        }
        let is_named = "pPx".contains(letter) && self.rest[length..].starts_with('{');
        let end = if is_named { self.rest.find('}').ok_or_else(|| self.refused("{"))? + 1 } else { length };
        self.copy(end);
        Ok(())
    }

    fn of_class(&mut self) -> Result<(), String> {
        if let Some(operator) = ["[:", "--", "~~"].iter().find(|operator| self.rest.starts_with(**operator)) {
            return Err(self.refused(operator));
        }
        match self.rest.as_bytes()[0] {
            b'[' => self.open_class(),
            b']' => {
                self.classes -= 1;
                self.copy(1);
            }
            _ => self.copy(self.rest.chars().next().map_or(0, char::len_utf8)),
        }
        Ok(())
    }

    /// A bracket that comes first is a character of the class.
    fn open_class(&mut self) {
        self.classes += 1;
        let negated = usize::from(self.rest[1..].starts_with('^'));
        let bracket = usize::from(self.rest[1 + negated..].starts_with(']'));
        self.copy(1 + negated);
        if bracket > 0 {
            self.read.push('\\');
            self.copy(1);
        }
    }

    fn open_group(&mut self) -> Result<(), String> {
        let ignores_case = *self.groups.last().unwrap_or(&false);
        let Some(kind) = self.rest.strip_prefix("(?") else {
            self.groups.push(ignores_case);
            self.copy(1);
            return Ok(());
        };
        let Some(known) = GROUPS.iter().find(|known| kind.starts_with(**known)) else {
            return Err(self.refused(&self.rest[..self.rest.find([':', ')']).map_or(2, |end| end + 1)]));
        };
        self.groups.push(ignores_case || *known == "i:");
        self.letter = None;
        self.copy(2 + known.len());
        Ok(())
    }

    /// The `+` of `{1,3}+` repeats, while here it would give nothing back; the `?` of `{3}?` makes it optional.
    fn repeated(&mut self) -> Result<(), String> {
        let bounds = self.rest[1..].find('}').map(|end| &self.rest[1..=end]).unwrap_or("");
        if bounds.is_empty() || !bounds.chars().all(|c| c == ',' || c.is_ascii_digit()) || bounds.starts_with(',') {
            return Err(self.refused("{"));
        }
        let length = bounds.len() + 2;
        match (self.rest.as_bytes().get(length), bounds.split(',').next()) {
            (Some(b'+'), Some("0")) if bounds != "0" => self.read.push('*'),
            (Some(b'+'), Some("1")) => self.read.push('+'),
            (Some(b'+'), _) => return Err(self.refused(&self.rest[..=length])),
            (Some(b'?'), _) if !bounds.contains(',') => return Err(self.refused(&self.rest[..=length])),
            _ => {
                self.copy(length);
                return Ok(());
            }
        }
        self.rest = &self.rest[length + 1..];
        Ok(())
    }

    /// Looks at one character where case is ignored. What groups and repeats letters is nothing between them.
    fn fold(&mut self, character: char) -> Result<(), String> {
        if !character.is_ascii() {
            return Err(self.refused(&format!("(?i:{character})")));
        }
        if self.classes > 0 || !character.is_ascii_alphabetic() {
            if self.classes > 0 || !"()?*+".contains(character) {
                self.letter = None;
            }
            return Ok(());
        }
        let letter = character.to_ascii_lowercase();
        let both = String::from_iter([self.letter.replace(letter).unwrap_or(' '), letter]);
        if FOLDED.contains(&both.as_str()) || self.rest[1..].starts_with('{') {
            return Err(self.refused(&format!("(?i:{})", both.trim())));
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        let character = self.rest.chars().next().unwrap_or_default();
        if self.groups.last() == Some(&true) {
            self.fold(character)?;
        }
        match character {
            '\\' => self.escaped()?,
            _ if self.classes > 0 => self.of_class()?,
            '[' => self.open_class(),
            '(' => self.open_group()?,
            '{' => self.repeated()?,
            _ => {
                if character == ')' {
                    self.groups.pop();
                }
                self.copy(character.len_utf8());
            }
        }
        Ok(())
    }
}

/// The pattern for fancy-regex: `^` and `$` are ends of lines, as there.
pub fn as_oniguruma(pattern: &str) -> Result<String, String> {
    let mut reader = Reader {
        pattern,
        rest: pattern,
        read: String::from("(?m)"),
        groups: Vec::new(),
        classes: 0,
        letter: None,
    };
    while !reader.rest.is_empty() {
        reader.step()?;
    }
    Ok(reader.read)
}
