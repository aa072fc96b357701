// Mutations of HTML: of tags, attributes and texts, not of bytes.
#pragma once

#include "bytes.h"

namespace uzushio_fuzz {

// Tags that parsers treat in ways of their own, with attributes that something reads.
inline const std::vector<std::string>& HtmlPieces() {
  static const std::vector<std::string> pieces = {
      "<p>",
      "</p>",
      "<b a=1>",
      "</b>",
      "<i>",
      "</i>",
      "<a href=/>",
      "</a>",
      "<div class=\"a b\" id=c>",
      "</div>",
      "<table>",
      "</table>",
      "<tr>",
      "<td rowspan=2 colspan=65535>",
      "</td>",
      "<th>",
      "<caption>",
      "<colgroup>",
      "<ul>",
      "<ol start=-1 reversed>",
      "<li value=9>",
      "</ul>",
      "<ruby>",
      "<rt>",
      "<rp>",
      "</ruby>",
      "<pre>\n",
      "</pre>",
      "<code>",
      "</code>",
      "<math>",
      "<mi>",
      "<annotation-xml encoding=text/html>",
      "<svg>",
      "<foreignObject>",
      "</svg>",
      "<template shadowrootmode=open>",
      "</template>",
      "<select>",
      "<option>",
      "</select>",
      "<title>",
      "</title>",
      "<textarea>",
      "<script>",
      "</script>",
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "<style>",
      "</style>",
      "<noscript>",
      "<iframe>",
      "<plaintext>",
      "<frameset>",
      "<body class=x>",
      "<html lang=ja>",
      "<meta charset=shift_jis>",
      "<br>",
      "<hr>",
      "<img alt=\"絵\">",
      "<details>",
      "<summary>",
      "<h1>",
      "</h1>",
      "<dl>",
      "<dt>",
      "<dd>",
      "<nobr>",
      "<form>",
      "<button>",
      "<object>",
      "<marquee>",
      "<base href=//x>",
      "&amp;",
      "&#x1F600;",
      "&#0;",
      "&CounterClockwiseContourIntegral;",
      "文",
      "\xE3\x81",
      "\0",
      "\r\n",
      " hidden",
      " style=\"display:none\"",
      "<p hidden>",
  };
  return pieces;
}

// Tags and texts, in their order.
inline std::vector<std::string> HtmlTokens(std::string_view html) {
  std::vector<std::string> tokens;
  while (!html.empty()) {
    const size_t end = html[0] == '<' ? html.find('>') : html.find('<');
    const size_t length = end == std::string_view::npos ? html.size() : end + (html[0] == '<' ? 1 : 0);
    tokens.emplace_back(html.substr(0, length));
    html.remove_prefix(length);
  }
  return tokens;
}

// The HTTP header of a page stays, or is changed as bytes are.
inline size_t MutatePage(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  Chance chance(seed);
  if (chance.OneIn(3)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view page = View(data, size);
  const size_t header = std::min(page.find("\r\n\r\n"), page.size());
  std::vector<std::string> tokens = HtmlTokens(page.substr(header));
  MutateParts(&tokens, HtmlPieces(), &chance);
  std::string head(page.substr(0, header));
  return Put((chance.OneIn(8) ? Mutated(head, 32) : head) + Joined(tokens), data, max_size);
}

}  // namespace uzushio_fuzz
