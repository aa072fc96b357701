#include "html/main_content/text_measure.h"

#include "document/markup.h"
#include "html/main_content/ascii.h"
#include "html/main_content/attributes.h"

namespace uzushio {
TextMeasure MeasureText(std::string_view text) {
  TextMeasure m;
  bool in_link = false;
  bool in_word = false;
  int32_t wide = 0;
  const size_t size = text.size();
  for (size_t i = 0; i < size;) {
    const auto c = static_cast<unsigned char>(text[i]);
    m.hash = HashByte(m.hash, c);
    if (c < 0x80) {
      ++i;
      const char a = static_cast<char>(c);
      const bool letter = IsLower(a) || IsUpper(a);
      if (letter || IsDigit(a)) {
        if (!in_word) {
          ++m.words;
          m.capitals += IsUpper(a);
        }
        in_word = true;
        ++m.width;
        m.link_width += in_link;
        m.digits += !letter;
        continue;
      }
      in_word = in_word && a == '\'';
      switch (a) {
        case kLinkStart: in_link = true; ++m.links; break;
        case kLinkEnd: in_link = false; break;
        case '\n': ++m.lines; break;
        case ' ': break;
        case '.':
        case '!':
        case '?': m.sentences += i == size || text[i] == ' ' || text[i] == '\n' || text[i] == '"' || text[i] == ')'; break;
        case ',':
        case ';': ++m.commas; break;
        case '|':
        case '/':
        case '>': ++m.separators; break;
        case '$': ++m.currency; break;
        default: break;
      }
      continue;
    }
    const size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    const std::string_view sign = text.substr(i, length);
    for (size_t k = 1; k < sign.size(); ++k) m.hash = HashByte(m.hash, static_cast<unsigned char>(sign[k]));
    i += length;
    if (c == 0xC2) {
      in_word = false;
      if (sign == "©") m.copyright = true;
      else if (sign == "»" || sign == "·" || sign == "«") ++m.separators;
      else if (sign == "£" || sign == "¥") ++m.currency;
      continue;
    }
    if (c == 0xE2) {
      in_word = in_word && sign == "’";
      if (sign == "›" || sign == "•" || sign == "‹" || sign == "→") ++m.separators;
      else if (sign == "€") ++m.currency;
      else if (sign == "…") ++m.sentences;
      continue;
    }
    if (sign == "。" || sign == "！" || sign == "？" || sign == "．") {
      ++m.sentences;
      in_word = false;
      continue;
    }
    if (sign == "、" || sign == "，") {
      ++m.commas;
      in_word = false;
      continue;
    }
    if (sign == "｜" || sign == "・" || sign == "／") {
      ++m.separators;
      in_word = false;
      continue;
    }
    if (c >= 0xE3) {  // kana, Chinese characters, hangul, and what is beyond
      wide += 1;
      m.width += 2;
      m.link_width += in_link ? 2 : 0;
      in_word = false;
      if (sign == "円") ++m.currency;
      continue;
    }
    if (!in_word) ++m.words;
    in_word = true;
    ++m.width;
    m.link_width += in_link;
  }
  m.words += (wide + 1) / 2;
  std::string_view tail = text;
  while (tail.ends_with(kLinkEnd) || tail.ends_with('"') || tail.ends_with(')')) tail.remove_suffix(1);
  m.ends_sentence = tail.ends_with('.') || tail.ends_with('!') || tail.ends_with('?') || tail.ends_with("。") ||
                    tail.ends_with("！") || tail.ends_with("？") || tail.ends_with("…") || tail.ends_with("」");
  m.ends_colon = tail.ends_with(':') || tail.ends_with("：");
  m.starts_digit = !text.empty() && IsDigit(text[text.starts_with(kLinkStart) && size > 1 ? 1 : 0]);
  return m;
}

}  // namespace uzushio
