#include "html/shown_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/test_support.h"
#include "document/markup.h"
#include "html/html_parser.h"

namespace uzushio {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Text with its marks in ASCII.
std::string Readable(std::string_view text) {
  std::string readable;
  for (const char c : text) {
    switch (c) {
      case kLinkStart:
        readable += '[';
        break;
      case kLinkEnd:
        readable += ']';
        break;
      case kCodeStart:
      case kCodeEnd:
        readable += '`';
        break;
      case kStrongStart:
      case kStrongEnd:
        readable += '*';
        break;
      case kEmphasisStart:
      case kEmphasisEnd:
        readable += '_';
        break;
      case kFormulaStart:
        readable += '{';
        break;
      case kFormulaEnd:
        readable += '}';
        break;
      case kHeaderCell:
        readable += '!';
        break;
      case kBlankLine:
        readable += '~';
        break;
      default:
        readable += c;
    }
  }
  return readable;
}

// The paragraphs as `structure: text`; ordinary ones as their text.
std::vector<std::string> Shown(std::string_view html, RubyForm ruby = RubyForm::kBase) {
  HtmlParser parser{PageLimits()};
  EXPECT_EQ(parser.Parse(html), ParseOutcome::kOk);
  std::string document;
  PageOutline outline;
  const auto paragraphs = ExtractShownParagraphs(parser.document(), ruby, size_t{1} << 20, &document, &outline);
  std::vector<std::string> shown;
  for (const ParagraphView& paragraph : DecodeParagraphs(document)) {
    EXPECT_TRUE(paragraph.shown);
    const PageOutline::Paragraph& at = outline.paragraphs.at(shown.size());
    EXPECT_EQ(document.substr(at.text, at.end - at.text), paragraph.text);
    EXPECT_EQ(document.substr(at.begin, at.path_end - at.begin), paragraph.path);
    const std::string structure(paragraph.structure);
    shown.push_back((structure.empty() ? "" : structure + ": ") + Readable(paragraph.text));
  }
  EXPECT_EQ(paragraphs, static_cast<int64_t>(shown.size()));
  return shown;
}

TEST(ShownText, CollapsesWhiteSpace) {
  EXPECT_THAT(Shown("<p>  a \n\t b <b> c</b> </p> <p> </p>"), ElementsAre("a b *c*"));
  EXPECT_THAT(Shown("<p>日本\n語と\n  漢字<i>か\n</i>な</p>"), ElementsAre("日本語と漢字_か_な"));
  EXPECT_THAT(Shown("<p>日本\nABC\n語、\n한국\n어。\nｶﾅ\n、漢</p>"), ElementsAre("日本 ABC 語、 한국 어。ｶﾅ、漢"));
  EXPECT_THAT(Shown("<p>日本 語</p>"), ElementsAre("日本 語"));
  EXPECT_THAT(Shown("<p>　字下げ　</p><p>　&nbsp;</p><p>a&nbsp;b</p>"), ElementsAre("　字下げ　", "a\u00A0b"));
  EXPECT_THAT(Shown("<p>a&#2;b&#30;c&#28;d</p>"), ElementsAre("a b c d"));
}

TEST(ShownText, LinesEndWhereTheyAreBroken) {
  EXPECT_THAT(Shown("<p>a<br>b <br> c<br></p>"), ElementsAre("a\nb\nc"));
  EXPECT_THAT(Shown("<div>a<br><br>b<br>\n<br><br>c</div>"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Shown("<a href=x>a<br>b</a>"), ElementsAre("[a]\n[b]"));
}

TEST(ShownText, BlocksEndParagraphs) {
  EXPECT_THAT(Shown("a<div>b<p>c</p>d</div>e<hr>f<details><summary>g</summary>h</details>"),
              ElementsAre("a", "b", "c", "d", "e", "f", "g", "h"));
  EXPECT_THAT(Shown("<h1>A</h1><blockquote><p>b</p><blockquote>c</blockquote></blockquote>"),
              ElementsAre("h1: A", "quote: b", "quote>quote: c"));
}

TEST(ShownText, MarksEncloseText) {
  EXPECT_THAT(Shown("<p>x <a href=x> y <code>z</code> </a> w<b></b></p>"), ElementsAre("x [y `z`] w"));
  EXPECT_THAT(Shown("<a href=x>a<p>b</p>c</a>d"), ElementsAre("[a]", "[b]", "[c]d"));
}

TEST(ShownText, PreformattedTextKeepsItsLines) {
  EXPECT_THAT(Shown("<pre>\n\n  if (x)\n\n\n\ty  z \n</pre>"), ElementsAre("code:   if (x)\n~\n~\n\ty  z"));
  EXPECT_THAT(Shown("<p style='white-space: pre-wrap'>a\n\n  b</p><p>c\nd</p>"), ElementsAre("a\n~\n  b", "c d"));
  EXPECT_THAT(Shown("<textarea>\n a\n b</textarea>"), ElementsAre("pre:  a\n b"));
  EXPECT_THAT(Shown("<pre>a &lt;b&gt; <b>c</b>\r\nd</pre>"), ElementsAre("code: a <b> c\nd"));
}

TEST(ShownText, ATableWithOneColumnOfTextIsLayout) {
  EXPECT_THAT(Shown("<table summary=Tip><tr><td rowspan=2><img src=tip.png alt='[Tip]'></td><th>Tip</th></tr>"
                    "<tr><td><p>Do.</p></td></tr></table>"),
              ElementsAre("Tip", "Do."));
  EXPECT_THAT(Shown("<table><tr><td>a<td><tr><td><td>b</table>"), ElementsAre("table: a\t\n\tb"));
  EXPECT_THAT(Shown("<table><tr><td>a<td></table>"), ElementsAre("a"));
}

TEST(ShownText, BelowAFirstRowOfHeadersCellsMayHaveParagraphs) {
  EXPECT_THAT(Shown("<table><tr><th>A<th>B<tr><td>a<td><p>b<p>c</table>"), ElementsAre("table: !A\t!B\na\tb c"));
  EXPECT_THAT(Shown("<table><tr><th>A<th>B<tr><td>a<td><ul><li>b</table>"), ElementsAre("A", "B", "a", "ul.1: b"));
  EXPECT_THAT(Shown("<table><tr><th>A<td>B<tr><th>a<td><p>b<p>c</table>"), ElementsAre("A", "B", "a", "b", "c"));
}

TEST(ShownText, NotesOfLayoutAreNoText) {
  EXPECT_THAT(
      Shown("<p>a<span class=notes>［＃改ページ］</span><br>b<span class=notes>［＃「b」は底本では「c」］</span>"
            "<span class=notes>［＃「b」は中見出し］</span><span>［＃改丁］</span>"),
      ElementsAre("a\nb［＃「b」は底本では「c」］［＃改丁］"));
}

TEST(ShownText, CodeWithBrokenLinesIsABlock) {
  EXPECT_THAT(Shown("<p>x<br><code>a&nbsp;{<br>\n&nbsp;&nbsp;b\n  c<br />\n<br />\n}<br />\n</code>\n<br>y"),
              ElementsAre("x", "code: a {\n  b c\n~\n}", "y"));
  EXPECT_THAT(Shown("<p><code>é<br>Â©\n b&nbsp;é&nbsp;</code>"), ElementsAre("code: é\nÂ© b é"));
  EXPECT_THAT(Shown("<div class=example><p><code>\n  Order <b>Deny</b><br>\n  Deny\n</code></p></div>"),
              ElementsAre("code: Order Deny\nDeny"));
  EXPECT_THAT(Shown("<ul><li><tt>a<br>b</tt></ul>"), ElementsAre("ul.1>code: a\nb"));
  // Not alone on its lines, of one line, a term, a heading, in a cell, around blocks.
  EXPECT_THAT(Shown("<p>x <code>a<br>b</code>"), ElementsAre("x `a`\n`b`"));
  EXPECT_THAT(Shown("<p><code>a<br>b</code>, y"), ElementsAre("`a`\n`b`, y"));
  EXPECT_THAT(Shown("<p><code>a<br></code><br>b"), ElementsAre("`a`", "b"));
  EXPECT_THAT(Shown("<dl><dt><code>a<br>b</code></dl><h2><code>a<br>b</code></h2>"),
              ElementsAre("dt: `a`\n`b`", "h2: `a`\n`b`"));
  EXPECT_THAT(Shown("<table><tr><td><code>a<br>b</code><td>c</table>"), ElementsAre("table: `a b`\tc"));
  EXPECT_THAT(Shown("<code>a<br><p>b</p></code>"), ElementsAre("`a`", "b"));
}

// However the source breaks its lines.
TEST(ShownText, LinesOfACellAreParted) {
  const auto shown = [](std::string_view border) {
    return Shown("<table><thead><tr><th>い<th>ろ<tbody><tr><td>補足" + std::string(border) +
                 "ローカル<td>\n は\nに \n</table>");
  };
  EXPECT_THAT(shown("<br>"), ElementsAre(EndsWith("\n補足 ローカル\tはに")));
  for (const std::string_view border :
       {"<br>\n", "\n<br>", "\n<br>\n", "<br><br>", "<p>", "<p>\n", "\n<p>", "<ul><li>", "<ul>\n<li>\n"}) {
    EXPECT_EQ(shown(border), shown("<br>")) << border;
  }
  EXPECT_THAT(shown("<br>　"), ElementsAre(EndsWith("\n補足　ローカル\tはに")));
  EXPECT_THAT(shown("<br>\u200B"), ElementsAre(EndsWith("\n補足 \u200Bローカル\tはに")));
}

TEST(ShownText, CodeHasItsLanguage) {
  EXPECT_THAT(Shown("<pre><code class='hljs language-rust'>a</code></pre>"), ElementsAre("code.rust: a"));
  EXPECT_THAT(Shown("<pre class='brush: js; toolbar: false'>a</pre>"), ElementsAre("code.js: a"));
  EXPECT_THAT(Shown("<div class='highlight highlight-source-shell'><pre>a</pre></div>"), ElementsAre("code.shell: a"));
  EXPECT_THAT(Shown("<div class='highlight-c'><table><tr><td class=linenos><pre>1</pre><td class=code><div><pre>a</pre>"
                    "</div></table></div>"),
              ElementsAre("code.c: a"));
  EXPECT_THAT(Shown("<div class='highlight-python notranslate'><div class=highlight><pre>a</pre></div></div>"),
              ElementsAre("code.python: a"));
  EXPECT_THAT(Shown("<div class=sourceCode><pre class='sourceCode haskell'><code>a</code></pre></div>"),
              ElementsAre("code.haskell: a"));
}

TEST(ShownText, LanguagesAsGeneratorsWriteThem) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"<pre lang=rust><code>a</code></pre>", "code.rust: a"},
      {"<pre lang=ja>a</pre>", "code: a"},
      {"<pre><code class='language-rust,ignore'>a</code></pre>", "code.rust: a"},
      {"<pre><code class='language-js{1,3}'>a</code></pre>", "code.js: a"},
      {"<pre><code class='language-fallback'>a</code></pre>", "code: a"},
      {"<pre><pre class=playground><code class='language-rust edition2021'>a</code></pre></pre>", "code.rust: a"},
      {"<pre class='code lang-python' data-lang=python>a</pre>", "code.python: a"},
      {"<pre class='sourceCode numberSource python'>a</pre>", "code.python: a"},
      {"<pre class='code highlight js-syntax-highlight language-python'>a</pre>", "code.python: a"},
      {"<pre><code class='hljs python'>a</code></pre>", "code.python: a"},
      {"<pre><code data-language=toml>a</code></pre>", "code.toml: a"},
      {"<pre><button>Copy</button><code>a</code></pre>", "code: a"}};
  for (const auto& [html, shown] : cases) EXPECT_THAT(Shown(html), ElementsAre(shown)) << html;
}

TEST(ShownText, LineNumbersOfCodeAreNoText) {
  EXPECT_THAT(Shown("<pre><code><span style='display:flex'><span style='white-space:pre;user-select:none'>1</span>"
                    "<span>f()\n</span></span></code></pre>"),
              ElementsAre("code: f()"));
  EXPECT_THAT(Shown("<pre><span style='color: inherit; padding-left: 5px; padding-right: 5px;'> 1</span>f()</pre>"),
              ElementsAre("code: f()"));
  EXPECT_THAT(Shown("<table><tr><td><pre><code><span style='user-select:none'>1\n</span></code></pre></td>"
                    "<td><pre><code>f()</code></pre></td></table>"),
              ElementsAre("code: f()"));
  EXPECT_THAT(Shown("<figure class='highlight js'><table><tr><td class=gutter><pre><span class=line>1</span><br>"
                    "<span class=line>2</span><br></pre></td><td class=code><pre><span class=line>a {</span><br>"
                    "<span class=line>  b</span><br></pre></td></tr></table></figure>"),
              ElementsAre("code.js: a {\n  b"));
  EXPECT_THAT(Shown("<pre class=chroma><code class=language-go><span class=line><span class=ln>1</span>"
                    "<span class=cl>a\n</span></span><span class=line><span class=ln>2</span>"
                    "<span class=cl>\tb\n</span></span></code></pre>"),
              ElementsAre("code.go: a\n\tb"));
  EXPECT_THAT(Shown("<p class=ln>12a</p>"), ElementsAre("12a"));
  EXPECT_THAT(Shown("<p>a<span class=ln>12</span>b</p><ul><li class=ln>3</ul>"), ElementsAre("a12b", "ul.1: 3"));
}

TEST(ShownText, CodeIsLaidOutWithoutPre) {
  EXPECT_THAT(
      Shown("<div class=fragment><div class=line><a name=l1></a><span class=lineno>    1</span>&#160;int f() {</div>\n"
            "<div class=line><span class=lineno>    2</span>&#160;</div>\n"
            "<div class=line><span class=lineno>    3</span>&#160;  g();</div>\n"
            "<div class=line><span class=lineno>    4</span><span class=comment> * h</span></div>\n"
            "<div class=line><span class=lineno>    5</span>  i</div>\n"
            "<div class=ttc><div class=ttname>f</div></div></div>"),
      ElementsAre("code: int f() {\n~\n  g();\n * h\n  i"));
  EXPECT_THAT(
      Shown("<div class='blob-wrapper data type-ruby'><table class='highlight js-file-line-container'>\n<tr>\n"
            "<td class='blob-num' data-line-number=1></td>\n<td class='blob-code blob-code-inner'>def <b>f</b></td>\n"
            "</tr><tr><td class='blob-num'></td><td class='blob-code'>\n</td></tr>"
            "<tr><td class='blob-num'></td><td class='blob-code'>  1</td></tr></table></div>"),
      ElementsAre("code.ruby: def f\n~\n  1"));
  EXPECT_THAT(Shown("<ol><li class=li1><div class=de1>if (a) {</div></li>"
                    "<li class='li2'><div class=de2>&nbsp; &nbsp; b;</div></li></ol>"),
              ElementsAre("code: if (a) {\n    b;"));
  EXPECT_THAT(
      Shown("<div class='syntaxhighlighter java'><table><tr><td class=gutter><div class='line n1'>1</div>"
            "<div class='line n2'>2</div></td><td class=code><div class=container><div class='line'>"
            "<code class='java keyword'>a</code> <code>{</code></div><div class='line'><code>&nbsp;&nbsp;</code>"
            "<code>b</code></div></div></td></tr></table></div>"),
      ElementsAre("code.java: a {\n  b"));
  EXPECT_THAT(
      Shown("<div class=crayon-plain-wrap><textarea class='crayon-plain print-no'>a\n  b</textarea></div><table>"
            "<tr><td class='crayon-nums'><div class=crayon-num>1</div></td><td class=crayon-code><div class=crayon-pre>"
            "<div class=crayon-line><span>a</span></div><div class=crayon-line>&nbsp;</div>"
            "<div class=crayon-line><span>&nbsp;&nbsp;</span>b</div></div></td></tr></table>"),
      ElementsAre("code: a\n~\n  b"));
  EXPECT_THAT(Shown("<div class=fragment><p>a</p><p>b</p></div><div class=container><div class=line>c</div></div>"
                    "<ol><li class=li1>d<p>e</p></li></ol>"),
              ElementsAre("a", "b", "c", "ol.1: d", "ol.1+: e"));
  EXPECT_THAT(Shown("<pre class=rust><code><a href=#1 id=1 data-nosnippet>1</a>  fn f()\n<a href=#2 id=2 "
                    "data-nosnippet>2</a>}</code>"),
              ElementsAre("code:   fn f()\n}"));
}

TEST(ShownText, StylesOfLineNumbersSayNothingOutsideOfCode) {
  EXPECT_THAT(Shown("<table><tr><td>a<td style='padding-left:5px;padding-right:5px'>1500</table>"
                    "<div style='user-select:none'>12</div>"),
              ElementsAre("table: a\t1500", "12"));
}

TEST(ShownText, ElementsMayBeLinesOfCode) {
  EXPECT_THAT(Shown("<pre><code><div class=token-line>a<br></div><div class=token-line><br></div>"
                    "<div class=token-line>  b<br></div></code></pre>"),
              ElementsAre("code: a\n~\n  b"));
  EXPECT_THAT(
      Shown("<pre><code><span class=line>a</span>\n<span class=line></span>\n<span class=line> b</span></code>"),
      ElementsAre("code: a\n~\n b"));
}

TEST(ShownText, ReadingsOfRubyAreLeftOutOrStandBehind) {
  constexpr std::string_view kHtml =
      "<p>お<ruby>母<rp>（</rp><rt>かあ</rt><rp>）</rp></ruby>さんの<ruby>名<rt>な</rt>前<rt>まえ</rt></ruby>。</p>";
  EXPECT_THAT(Shown(kHtml), ElementsAre("お母さんの名前。"));
  EXPECT_THAT(Shown(kHtml, RubyForm::kReadings), ElementsAre("お母（かあ）さんの名前（なまえ）。"));
}

TEST(ShownText, MarksOfListsAreNoTerms) {
  EXPECT_THAT(Shown("<dl><dt>•<dd>い<dt>•<dd>い<dt><b> 2. </b><dd>ろ<p>は<dt>(3)</dt> <dd>に<dt>4<dd>ほ<dt>5)</dl>"),
              ElementsAre("ul.1: い", "ul.2: い", "ol.2: ろ", "ol.2+: は", "ol.3: に", "dt: 4", "dd: ほ", "dt: 5)"));
}

TEST(ShownText, HowChineseIsReadIsAReading) {
  constexpr std::string_view kHtml =
      "<p>國文<sub class=kaeriten>二</sub>一門<sup class=okurigana>ヲ</sup>H<sub>2</sub>O</p>";
  EXPECT_THAT(Shown(kHtml), ElementsAre("國文一門H₂O"));
}

TEST(ShownText, LinesOfABlockAreOneParagraph) {
  EXPECT_THAT(Shown("<p>a<div class=line-block><div class=line>いろ</div><div class=line>は<b>に</b></div>"
                    "<div class=line-block><div class=line>ほ</div></div><div class=line>へ</div></div><p>と"),
              ElementsAre("a", "いろ\nは*に*\nほ\nへ", "と"));
  EXPECT_THAT(Shown("<div class=line-block><div class=line>い<ul><li>ろ</ul></div><p>は</div><div class=line>に"),
              ElementsAre("い", "ul.1: ろ", "は", "に"));
}

TEST(ShownText, AReadingThatIsNotClosedTakesNoText) {
  EXPECT_THAT(Shown("<ruby>漢字<rt>かんじ<h1>題</h1><p>本文"), ElementsAre("漢字かんじ", "h1: 題", "本文"));
  EXPECT_THAT(Shown("<p><rt>text</rt></p>"), ElementsAre("text"));
}

TEST(ShownText, ImagesMayBeCharacters) {
  EXPECT_THAT(Shown("<p>やった<img alt='🎉' class=emoji>。<img alt='a picture' src=x><img alt='挿絵'></p>"),
              ElementsAre("やった🎉。"));
  EXPECT_THAT(Shown("<p>x<img alt='※(「てへん＋丑」、U+6271、123-4)'>y</p>"), ElementsAre("x扱y"));
}

TEST(ShownText, NotesBehindAMarkMayBeCharacters) {
  EXPECT_EQ(Shown("<p>牛は※<span class=notes>［＃「爿＋可」、U+7241、237-7］</span>を<b>※</b>"),
            (std::vector<std::string>{"牛は牁を*※*"}));
  EXPECT_THAT(
      Shown(
          "<p><ruby><rb>鈎※</rb><rp>（</rp><rt>はりす</rt><rp>）</rp></ruby><span class=notes>［＃「虫＋系」、U+272EC、"
          "243-13］</span>の"),
      ElementsAre("鈎𧋬の"));
  EXPECT_THAT(
      Shown(
          "<p><ruby><rb>※※</rb><rt>えん</rt></ruby><span class=notes>［＃「女」、497-上-7］</span><span class=notes>"
          "［＃「爿＋可」、U+7241］</span>、<ruby><rb>※※</rb></ruby><span class=notes>［＃「爿＋可」、U+7241］</span>"),
      ElementsAre("※牁［＃「女」、497-上-7］、※※［＃「爿＋可」、U+7241］"));
  EXPECT_THAT(Shown("<p>始<ruby>A<ruby>B<rt>び</rt></ruby>※<rt>えい</rt></ruby><span class=notes>［＃「爿＋可」、"
                    "U+7241］</span>終"),
              ElementsAre("始AB牁終"));
  EXPECT_EQ(Shown("<p>※<span class=notes>［＃「馬＋戎」、35-11］</span>※<span>［＃「爿＋可」、U+7241］</span>"),
            (std::vector<std::string>{"※［＃「馬＋戎」、35-11］※［＃「爿＋可」、U+7241］"}));
}

TEST(ShownText, NotesInATextMayBeCharacters) {
  EXPECT_THAT(
      Shown("<h1>金山※［＃「插」でつくりの縦棒が下に突き抜けている、第4水準2-13-28］話</h1>"
            "<p>※［＃「爿＋可」、U+7241］ ※［＃「馬＋戎」、35-11］※［＃「てへん＋丑」、U+6271］<b>※［＃</b>］</p>"),
      ElementsAre("h1: 金山揷話", "牁 ※［＃「馬＋戎」、35-11］扱*※［＃*］"));
  EXPECT_THAT(Shown("<p>a <code>※［＃「爿＋可」、U+7241］</code></p><pre>※［＃「爿＋可」、U+7241］</pre>"),
              ElementsAre("a `※［＃「爿＋可」、U+7241］`", "code: ※［＃「爿＋可」、U+7241］"));
}

TEST(ShownText, CodeThatIsNotClosedEndsWithItsBlock) {
  EXPECT_EQ(Shown("<div><code>one<p>two <code>three</code> four<p>five<ul><li>six</ul></code>seven</div>"),
            (std::vector<std::string>{"`one`", "two `three` four", "five", "ul.1: six", "seven"}));
  EXPECT_EQ(Shown("<p><b><code>one</code></b><code>two<br>three</code>"),
            (std::vector<std::string>{"*`one`*`two`\n`three`"}));
  EXPECT_EQ(Shown("<b>one<p>two</p></b>"), (std::vector<std::string>{"*one*", "*two*"}));
  EXPECT_EQ(Shown("<code><pre>one\n  two</pre></code>"), (std::vector<std::string>{"code: one\n  two"}));
}

TEST(ShownText, FormulasStandOnce) {
  EXPECT_THAT(Shown("<p>a <span class=katex><span class=katex-mathml><math><semantics><mrow><mi>x</mi></mrow>"
                    "<annotation encoding='application/x-tex'>x = 1</annotation></semantics></math></span>"
                    "<span class=katex-html aria-hidden=true>x=1</span></span> b</p>"),
              ElementsAre("a {$x = 1$} b"));
  EXPECT_THAT(Shown("<p><span class=MathJax_Preview>x</span><script type='math/tex; mode=display'>x^2</script></p>"),
              ElementsAre("{$$x^2$$}"));
  EXPECT_THAT(Shown("<p><math><mi>y</mi><mo>=</mo><mn>2</mn></math></p>"), ElementsAre("y=2"));
  EXPECT_THAT(Shown("<span class=mwe-math-element><math alttext='{\\displaystyle a_i}'><mi>a</mi></math>"
                    "<img class=mwe-math-fallback-image-inline alt='{\\displaystyle a_i}'></span>"),
              ElementsAre("{$a_i$}"));
}

TEST(ShownText, ScriptsDoNotMergeWithTheirBase) {
  EXPECT_THAT(Shown("<p>10<sup>6</sup> m<sup>−2</sup> H<sub>2</sub>O x<sup>k</sup> 1<sup>st</sup> a<sup>[1]</sup></p>"),
              ElementsAre("10⁶ m⁻² H₂O x^k 1st a[1]"));
}

TEST(ShownText, WhatIsHiddenIsLeftOut) {
  EXPECT_THAT(Shown("<p>shown text</p><p hidden>a</p><p style='color:red; Display : None'>b</p><noscript>c</noscript>"
                    "<dialog>d</dialog><dialog open>e</dialog><svg><title>f</title><desc>g</desc><text>h</text></svg>"),
              ElementsAre("shown text", "e", "h"));
  EXPECT_THAT(Shown("<p>few</p><div style='visibility:hidden'><p>The whole page waits for its script.</p></div>"),
              ElementsAre("few", "The whole page waits for its script."));
  EXPECT_THAT(Shown("<body><noscript>Please switch scripts on</noscript>"), IsEmpty());
  const std::string thread = Repeat("A forum has its threads here. ", 20);
  EXPECT_THAT(Shown("<p>Loading</p><noscript><p>" + thread + "</p></noscript>"), SizeIs(2));
  EXPECT_THAT(Shown("<p>" + thread + thread + "</p><noscript><p>" + thread + "</p></noscript>"), SizeIs(1));
  const std::string menu = Repeat("<li><a href=/>A section of the newspaper</a>", 40);
  EXPECT_THAT(Shown("<ul hidden>" + menu + "</ul><p>An article that is shorter than the menu.</p>"), SizeIs(1));
}

TEST(ShownText, ShadowRootsAreShown) {
  EXPECT_THAT(Shown("<x-card><template shadowrootmode=open><p>a</p></template></x-card><template><p>b</p></template>c"),
              ElementsAre("a", "c"));
}

TEST(ShownText, AnchorsOfHeadingsAreNoText) {
  EXPECT_THAT(Shown("<h2>A<a class=headerlink href='#a'>¶</a></h2><h3><a href='#b'>#</a> B</h3>"
                    "<h4><a class=header href='#c'>C</a></h4>"),
              ElementsAre("h2: A", "h3: B", "h4: [C]"));
}

TEST(ShownText, ItemsAreParagraphsWithTheirNumbers) {
  EXPECT_THAT(Shown("<ul><li>a<li>b<ul><li>c</ul>d<li><p>e</p><p>f</p></ul>"),
              ElementsAre("ul.1: a", "ul.2: b", "ul.2+>ul.1: c", "ul.2+: d", "ul.3: e", "ul.3+: f"));
  EXPECT_THAT(Shown("<ol start=3><li>a<li value=7>b<li>c</ol><ol reversed type=a><li>d<li>e</ol>"),
              ElementsAre("ol.3: a", "ol.7: b", "ol.8: c", "ol.2.a: d", "ol.1.a: e"));
  EXPECT_THAT(Shown("<dl><dt>a<dd>b<dd><p>c</p><p>d</p></dl>"), ElementsAre("dt: a", "dd: b", "dd: c", "dd+: d"));
}

TEST(ShownText, TablesOfDataAreLinesOfCells) {
  EXPECT_THAT(Shown("<table><caption>t</caption><tr><th>a</th><th>b</th></tr><tr><td>1<br>2</td><td></td></tr>"
                    "<tr><td></td><td><p>3</p></td></tr></table>"),
              ElementsAre("t", "table: !a\t!b\n1 2\t\n\t3"));
  EXPECT_THAT(Shown("<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td colspan=2>d</table>"),
              ElementsAre("table: a\tb\n\tc\nd"));
}

TEST(ShownText, CellsThatSpanAreWrittenOnce) {
  EXPECT_THAT(Shown("<table><tr><th colspan=2>a<th>b<tr><td>1<td>2<td>3</table>"),
              ElementsAre("table: !a\t\t!b\n1\t2\t3"));
  EXPECT_THAT(Shown("<table><tr><td rowspan=2>a<td>b<td>c<tr><td colspan=2>of the row<tr><td>d<td>e<td>f</table>"),
              ElementsAre("table: a\tb\tc\n\tof the row\nd\te\tf"));
  EXPECT_THAT(Shown("<table><tr><td>a<td rowspan=2>b<td rowspan=3>c<tr><td>d<tr><td>e<td>f<tr><td>g<td>h<td>i</table>"),
              ElementsAre("table: a\tb\tc\nd\ne\tf\ng\th\ti"));
  EXPECT_THAT(Shown("<table><tr><td>a<td rowspan=2 colspan=2>b<td>c<tr><td>d<td>e</table>"),
              ElementsAre("table: a\tb\t\tc\nd\t\t\te"));
}

TEST(ShownText, NamesInGraphicsMeanNothing) {
  EXPECT_THAT(Shown("<table><tr><td>a<td>b<svg><tr></tr></svg><td>c</table>"), ElementsAre("table: a\tb\tc"));
  EXPECT_THAT(
      Shown("<p>x<math><semantics><mi>y</mi><annotation encoding='StarMath 5.0'>z</annotation></semantics></math>"),
      ElementsAre("xy"));
}

TEST(ShownText, CellsMayBeAlike) {
  EXPECT_THAT(Shown("<table><tr><td>1<td>1<td>1<tr><td colspan=3>all<tr><td>2<td colspan=2>3</table>"),
              ElementsAre("table: 1\t1\t1\nall\n2\t3"));
}

TEST(ShownText, CellsBelowHeadersMayHaveParagraphsAndLists) {
  const std::string head = "<table><thead><tr><th>a<th>b</thead><tr><td>1<td>";
  EXPECT_THAT(Shown(head + "<p>c</p><p>d</p><ul><li>e<li>f</ul>g</table>"), ElementsAre("table: !a\t!b\n1\tc d e f g"));
  EXPECT_THAT(Shown(head + "<p>c</p><pre>d</pre></table>"), ElementsAre("a", "b", "1", "c", "code: d"));
  EXPECT_THAT(Shown(head + "<p>c</p><p>" + std::string(3000, 'd') + "</p>e</table>"), SizeIs(6));
  EXPECT_THAT(Shown("<table><thead><tr><td>a<td>b</thead><tr><td>1<td><p>c</p><p>d</p></table>"),
              ElementsAre("a", "b", "1", "c", "d"));
}

TEST(ShownText, CellsReachDownToTheEndOfTheirRowGroup) {
  EXPECT_THAT(Shown("<table><thead><tr><th rowspan=5>A<th>B</thead><tbody><tr><td>1<td>2</table>"),
              ElementsAre("table: !A\t!B\n1\t2"));
  EXPECT_THAT(Shown("<table><tr><td rowspan=2>" + std::string(2000, 'a') + "<td>b<td>c<tr><td>d<td>e</table>"),
              ElementsAre("table: " + std::string(2000, 'a') + "\tb\tc\n\td\te"));
}

TEST(ShownText, EveryCellIsWritten) {
  std::string row = "<table><tr>";
  for (int i = 0; i < 1200; ++i) row += "<td>" + std::to_string(i);
  const auto shown = Shown(row);
  ASSERT_THAT(shown, SizeIs(1));
  EXPECT_TRUE(shown[0].ends_with("\t1199"));
}

TEST(ShownText, ATableInACellIsTextOfTheCell) {
  EXPECT_THAT(Shown("<table><tr><td>a<td>b<x-y><template shadowrootmode=open><table><tr><td>c<td>d</table></template>"
                    "</x-y>e<td>f</table>"),
              ElementsAre("table: a\tb c d e\tf"));
}

TEST(ShownText, BlocksWithTheClassOfAFormulaAreText) {
  EXPECT_THAT(Shown("<article class=katex><h1>a</h1><p>b<span class=katex><math><semantics><mi>x</mi>"
                    "<annotation encoding='application/x-tex'>x^2</annotation></semantics></math></span></article>"),
              ElementsAre("h1: a", "b{$x^2$}"));
}

TEST(ShownText, HeadingsThatAreLinksAreText) {
  EXPECT_THAT(
      Shown("<h2><a class=header-anchor href='#x'><span>概要</span></a></h2><h2>b<a class=headerlink href='#b'>#!"
            "</a></h2>"),
      ElementsAre("h2: [概要]", "h2: b"));
}

TEST(ShownText, LongAddressesLeaveRoomForStyles) {
  const std::string address(5000, 'x');
  EXPECT_THAT(Shown("<p>a<a href=" + address + " style='display:none'>b</a></p>"), ElementsAre("a"));
}

TEST(ShownText, TablesOfLayoutAreBlocks) {
  EXPECT_THAT(Shown("<table role=presentation><tr><td>a<td>b</table>"), ElementsAre("a", "b"));
  EXPECT_THAT(Shown("<table><tr><td>a<tr><td>b</table>"), ElementsAre("a", "b"));
  EXPECT_THAT(Shown("<table><tr><td><ul><li>a</ul><td>b</table>"), ElementsAre("ul.1: a", "b"));
}

}  // namespace
}  // namespace uzushio
