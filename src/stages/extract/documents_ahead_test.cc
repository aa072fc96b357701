#include "stages/extract/documents_ahead.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include <algorithm>

#include "base/test_support.h"
#include "stages/extract/warc_documents.h"
#include "warc/archive_test_support.h"

namespace uzushio {
namespace {

std::string Page(int number) {
  std::string letters = Noise(1000, static_cast<uint32_t>(number));  // which hardly get smaller
  for (char& c : letters) c = static_cast<char>('a' + static_cast<unsigned char>(c) % 26);
  const std::string http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Page " + std::to_string(number) + " " +
                           letters + Repeat("of some words ", static_cast<size_t>(number % 97));
  return "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.jp/" + std::to_string(number) +
         "\r\nContent-Length: " + std::to_string(http.size()) + "\r\n\r\n" + http + "\r\n\r\n";
}

WarcSource Archive(const std::string& name, int pages, const Wrap& wrap = kPlain) {
  std::string bytes;
  for (int i = 0; i < pages; ++i) bytes += wrap(Page(i));
  if (pages > 1000) bytes[bytes.size() / 2] ^= 0x40;  // one is damaged
  return {name, [bytes]() -> arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> {
            return std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
          }};
}

ExtractOptions AllLanguages() {
  ExtractOptions options;
  options.codes.clear();
  return options;
}

std::vector<std::string> Texts(DocumentsAhead* ahead, arrow::Status* status) {
  std::vector<std::string> texts;
  while (true) {
    auto part = ahead->Next();
    *status = part.ok() && *part ? (*part)->status : part.status();
    if (!status->ok() || !*part) return texts;
    for (const Document& document : (*part)->results.documents) texts.push_back(document.warc + " " + document.text);
    if ((*part)->ends_source) texts.push_back("end of " + std::to_string((*part)->source));
  }
}

TEST(DocumentsAhead, AreThoseOfOneThreadInTheirOrder) {
  const std::vector<WarcSource> sources = {Archive("a", 2000), Archive("b", 0), Archive("c", 3),
                                           Archive("d", 5000, kGzip), Archive("e", 3, kGzip)};
  std::vector<std::string> expected;
  for (size_t i = 0; i < sources.size(); ++i) {
    auto alone = WarcDocuments::Open(*sources[i].open(), sources[i].name, AllLanguages()).ValueOrDie();
    Document document;
    while (*alone->Next(&document, [](const auto&) { return arrow::Status::OK(); })) {
      expected.push_back(document.warc + " " + document.text);
    }
    expected.push_back("end of " + std::to_string(i));
  }
  ASSERT_GT(expected.size(), 6000);
  for (const int threads : {1, 2, 3}) {
    DocumentsAhead ahead(sources, AllLanguages(), threads);
    arrow::Status status;
    EXPECT_EQ(Texts(&ahead, &status), expected);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(DocumentsAhead, ErrorsComeInTheirTurn) {
  const WarcSource broken = {"b", []() -> arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> {
                               return arrow::Status::IOError("the disk");
                             }};
  for (const int threads : {1, 4}) {
    DocumentsAhead ahead({Archive("a", 500), broken, Archive("c", 5)}, AllLanguages(), threads);
    arrow::Status status;
    const std::vector<std::string> texts = Texts(&ahead, &status);
    EXPECT_EQ(texts.size(), 501);
    EXPECT_EQ(status.message(), "the disk");
  }
}

TEST(DocumentsAhead, NobodyHasToReadToTheEnd) {
  DocumentsAhead ahead({Archive("a", 5000)}, AllLanguages(), 3);
  EXPECT_TRUE(ahead.Next().ok());
}

}  // namespace
}  // namespace uzushio
