#include "stages/extract/page_extractor.h"

#include <array>
#include <utility>

#include "base/buffer.h"
#include "base/utf8.h"
#include "document/header_uri.h"
#include "document/paragraph_writer.h"
#include "document/provenance.h"
#include "document/robots_rules.h"
#include "html/main_content/content_text.h"
#include "html/main_content/whole_parts.h"
#include "html/page_head.h"
#include "html/page_metadata.h"
#include "html/page_rights.h"
#include "html/page_title.h"
#include "html/paragraphs.h"
#include "lang/identify.h"
#include "lang/rapid.h"

namespace uzushio {
namespace {

PageOutcome Rejected(std::string_view reason) { return {.kind = PageOutcome::Kind::kRejected, .reason = reason}; }
PageOutcome Quarantined(std::string_view reason) { return {.kind = PageOutcome::Kind::kQuarantined, .reason = reason}; }

// A reason for each HTTP status, as a string that lives for ever.
std::string_view StatusReason(int status) {
  static const auto kReasons = [] {
    std::array<std::string, 1000> reasons;
    for (size_t i = 0; i < reasons.size(); ++i) reasons[i] = "http-status/" + std::to_string(i);
    return reasons;
  }();
  return kReasons[static_cast<size_t>(status)];
}

std::string_view TypeReason(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kTypes = {
      {{"warcinfo", "warc-type/warcinfo"},
       {"request", "warc-type/request"},
       {"metadata", "warc-type/metadata"},
       {"revisit", "warc-type/revisit"},
       {"resource", "warc-type/resource"},
       {"continuation", "warc-type/continuation"},
       {"response", "warc-type/response-not-http"}}};
  for (const auto& [name, reason] : kTypes) {
    if (EqualsIgnoreCase(type, name)) return reason;
  }
  return "warc-type/other";
}

std::string_view ReasonOf(ParseOutcome outcome) {
  switch (outcome) {
    case ParseOutcome::kTooDeep:
      return "too-deep";
    case ParseOutcome::kTooManyAttributes:
      return "too-many-attributes";
    case ParseOutcome::kTreeTooLarge:
      return "tree-too-large";
    default:
      return "parser-error";
  }
}

// Header fields may hold any bytes; Parquet strings are UTF-8.
void AssignUtf8(std::string_view bytes, std::string* out) {
  std::string buffer;
  out->assign(Encoding::Utf8().Decode(bytes, &buffer));
}

// A header's fields. Of a name that is no UTF-8, the beginning is shown: its bytes are there.
void AssignFields(const Headers& headers, std::vector<NamedValue>* fields) {
  constexpr size_t kMaxShown = 1024;
  fields->clear();
  for (const auto& [name, value] : headers.fields()) {
    NamedValue& field = fields->emplace_back();
    field.is_text = IsValidUtf8(name) && IsValidUtf8(value);
    if (field.is_text) {
      field.name = name;
      field.value = value;
    } else {
      AssignUtf8(name.substr(0, kMaxShown), &field.name);
      field.bytes.append(name).append(": ").append(value);
    }
  }
}

}  // namespace

std::string_view SelectPage(const WarcRecord& record, PageView* page) {
  const std::string_view type = record.headers.Get("WARC-Type");
  const bool response = EqualsIgnoreCase(type, "response");
  const bool conversion = EqualsIgnoreCase(type, "conversion");
  if (!response && !conversion) return TypeReason(type);
  if (!record.headers.Get("WARC-Segment-Number").empty()) return "segmented";  // the first part of a page
  if (!record.headers.Get("WARC-Truncated").empty()) return "truncated";
  if (record.state == WarcRecord::State::kTooLarge) return "page-too-large";
  page->kind = response ? PageView::Kind::kHttpResponse : PageView::Kind::kPlainText;
  page->header = record.header;
  page->content = record.content;
  page->record_id = record.headers.Get("WARC-Record-ID");
  page->url = WithoutAngleBrackets(record.headers.Get("WARC-Target-URI"));
  page->date = record.headers.Get("WARC-Date");
  page->offset = record.offset;
  page->length = record.length;
  const bool http = page->url.starts_with("http:") || page->url.starts_with("https:");
  return response && !http ? TypeReason("response") : std::string_view();
}

PageExtractor::PageExtractor(const ExtractOptions& options)
    : options_(options), parser_(options.limits), marker_(MakeContentMarker(options.main_content)) {}

PageOutcome PageExtractor::Extract(const PageView& page, Document* document, FullData* full) {
  const PageOutcome outcome = ExtractContent(page, document, full);
  TrimBuffer(&body_buffer_);
  TrimBuffer(&text_buffer_);
  TrimBuffer(&content_buffer_);
  TrimBuffer(&outline_.elements);
  TrimBuffer(&outline_.paragraphs);
  TrimBuffer(&outline_.links);
  TrimBuffer(&outline_.linked_data);
  TrimBuffer(&marks_);
  return outcome;
}

PageOutcome PageExtractor::ExtractContent(const PageView& page, Document* document, FullData* full) {
  const auto extract = [&](std::string_view body, std::string_view charset, MediaType media) {
    const PageOutcome outcome = ExtractBody(page, body, charset, media, document);
    if (full != nullptr && outcome.kind == PageOutcome::Kind::kDocument) FillIn(page, body, media, full);
    return outcome;
  };
  if (page.kind == PageView::Kind::kPlainText) {
    if (page.content.size() > options_.limits.max_bytes) return Rejected("page-too-large");
    response_ = {};
    return extract(page.content, "utf-8", MediaType::kText);
  }
  if (!ParseHttpResponse(page.content, &response_)) return Quarantined(kHttpMalformed);
  if (response_.status != 200) return Rejected(StatusReason(response_.status));
  std::string_view body;
  const BodyLimits limits{options_.limits.max_bytes, options_.limits.max_inflation};
  const BodyOutcome decoded = DecodeBody(response_, limits, &body_buffer_, &body);
  switch (decoded) {
    case BodyOutcome::kOk:
    case BodyOutcome::kTruncated:
    case BodyOutcome::kFalseChecksum:
      break;
    case BodyOutcome::kTooLarge:
      return Rejected("page-too-large");
    case BodyOutcome::kInflated:
      return Rejected("inflation");
    case BodyOutcome::kTooWide:
      return Quarantined("zstd-window");
    case BodyOutcome::kDamaged:
      return Quarantined(kContentCoding);
  }
  if (body.empty()) return Rejected("empty-body");
  const ContentType type = ContentTypeOf(response_.headers);
  const MediaType media = ClassifyMedia(type.essence, body);
  if (media == MediaType::kOther) return Rejected("media-type");
  PageOutcome outcome = extract(body, type.charset, media);
  outcome.body_truncated = decoded == BodyOutcome::kTruncated;
  outcome.false_checksum = decoded == BodyOutcome::kFalseChecksum;
  return outcome;
}

// Of a page that is a document, whose tree the parser still has.
void PageExtractor::FillIn(const PageView& page, std::string_view body, MediaType media, FullData* full) const {
  Headers headers;
  headers.Parse(page.header);
  AssignFields(headers, &full->warc_headers);
  AssignFields(response_.headers, &full->http_headers);
  full->is_html = media == MediaType::kHtml;
  full->metadata.clear();
  if (full->is_html) PageMetadata(parser_.document(), &full->metadata);
  full->body.assign(body);
}

PageOutcome PageExtractor::ExtractBody(const PageView& page, std::string_view body, std::string_view charset,
                                       MediaType media, Document* document) {
  const bool only_japanese = options_.only_japanese();
  const auto decoded =
      DecodePage(body, charset, media == MediaType::kHtml, options_.charset, only_japanese, &text_buffer_);
  if (!decoded) return Rejected("charset");
  // What is in no charset is in no language either.
  const auto in_other_language = [&](std::string_view reason) {
    return Rejected(decoded->believed ? reason : "charset");
  };
  std::string_view utf8 = decoded->utf8;
  int64_t replaced = decoded->replaced;
  const bool can_hold_kana = decoded->encoding.can_hold_kana();
  if (only_japanese && !MayBeJapanese(*decoded, media)) return in_other_language("language-rapid");
  if (only_japanese && !can_hold_kana) utf8 = decoded->encoding.Decode(body, &text_buffer_, &replaced);
  document->text.clear();
  document->text.reserve(utf8.size());
  std::string_view declared_language;
  const std::string_view failure = ParseAndExtract(utf8, media, document, &declared_language);
  if (!failure.empty()) return Rejected(failure);
  if (IsInJapanese(document->text, declared_language)) {
    document->language = "ja";
  } else {
    if (only_japanese) return in_other_language("language");
    document->language = IdentifyForeign(document->text);
  }
  if (!options_.keeps(document->language)) return in_other_language("language");
  AssignUtf8(page.url, &document->url);
  document->title.clear();
  if (media == MediaType::kHtml) {
    PageTitle title = FindPageTitle(parser_.document(), document->text);
    const bool adds_title = !options_.no_title && !title.is_site;
    document->title = std::move(title.text);
    if (marker_ != nullptr && !KeepContent(adds_title, document)) return Rejected("no-content");
    if (document->text.size() > options_.limits.max_text_bytes) return Rejected("text-too-large");
  }
  if (document->text.capacity() / 2 > document->text.size()) document->text.shrink_to_fit();
  document->doc_id = DocumentId(page.record_id, page.url, page.date, page.offset);
  document->charset = decoded->encoding.name();
  document->date = DocumentDate(page.date, response_.headers.Get("Date"), response_.headers.Get("Last-Modified"));
  AssignUtf8(page.warc, &document->warc);
  document->offset = page.offset;
  document->length = page.length;
  FillInRights(media, document);
  return {.kind = PageOutcome::Kind::kDocument, .replaced = replaced};
}

// Of a page that is a document, whose tree the parser still has.
void PageExtractor::FillInRights(MediaType media, Document* document) {
  document->robots.clear();
  document->license.clear();
  TextLines robots(&document->robots);
  for (const auto& [name, value] : response_.headers.fields()) {
    if (EqualsIgnoreCase(name, "X-Robots-Tag")) {
      AddRobotsRules(value, RobotsSource::kHeader, {}, &robots);
    } else {
      AddReservation(name, value, &robots);
    }
  }
  if (media != MediaType::kHtml) return;
  AddPageRobots(parser_.document(), &robots);
  if (!parser_.may_name_license()) return;
  licenses_.Clear();
  AddPageLicenses(parser_.document(), &licenses_);
  TextLines licenses(&document->license);
  licenses_.Write(&licenses);
}

// The test before the page is parsed. Plain text, which has no parser to be spared, passes where titles are looked at.
bool PageExtractor::MayBeJapanese(const DecodedPage& page, MediaType media) {
  const bool can_hold_kana = page.encoding.can_hold_kana();
  if (options_.japanese_test == JapaneseTest::kKana) return !CantBeJapanese(page.utf8, can_hold_kana);
  if (options_.japanese_test == JapaneseTest::kPrecise || media == MediaType::kText) return true;
  const PageHead head = SniffHead(page.utf8);
  if (DeclaresJapanese(head.language)) return true;
  const std::string_view title = can_hold_kana ? head.title : page.encoding.Decode(head.title, &title_buffer_);
  std::string text;
  ParagraphWriter writer(&text);
  writer.Text(TitleText(title, &parser_));
  writer.EndParagraph();
  return options_.classifier->IsJapanese(text);
}

bool PageExtractor::IsInJapanese(std::string_view text, std::string_view declared_language) const {
  return options_.classifier == nullptr ? IsJapanese(text, declared_language) : options_.classifier->IsJapanese(text);
}

// Why the page gives no text, or empty.
std::string_view PageExtractor::ParseAndExtract(std::string_view utf8, MediaType media, Document* document,
                                                std::string_view* declared_language) {
  const size_t max_bytes = options_.limits.max_text_bytes;
  std::optional<int64_t> paragraphs;
  if (media == MediaType::kText) {
    paragraphs = ExtractPlainParagraphs(utf8, max_bytes, &document->text);
  } else {
    const ParseOutcome outcome = parser_.Parse(utf8);
    if (outcome != ParseOutcome::kOk) return ReasonOf(outcome);
    *declared_language = DeclaredLanguage(parser_.document());
    PageOutline* const outline = marker_ ? &outline_ : nullptr;
    paragraphs = options_.text == TextForm::kShown
                     ? ExtractShownParagraphs(parser_.document(), options_.ruby, max_bytes, &document->text, outline)
                     : ExtractParagraphs(parser_.document(), max_bytes, &document->text, outline);
  }
  if (!paragraphs) return "text-too-large";
  document->paragraphs = *paragraphs;
  return *paragraphs == 0 ? "no-text" : "";
}

// Reduces the text to what is content, unless all is to be marked, and puts the title before it, where it may be added.
// False when there is no text left.
bool PageExtractor::KeepContent(bool adds_title, Document* document) {
  const PageForContent page = {parser_.document(), document->url, document->text, &outline_};
  marker_->Mark(page, &marks_);
  KeepPartsWhole(page, &marks_);
  const ContentForm form = options_.mark_boilerplate ? ContentForm::kScores : ContentForm::kContent;
  const std::string_view title = adds_title ? std::string_view(document->title) : std::string_view();
  document->paragraphs = WriteContent(page, marks_, title, form, &content_buffer_);
  document->text.swap(content_buffer_);
  return document->paragraphs > 0;
}

}  // namespace uzushio
