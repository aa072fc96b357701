#include "stages/extract/file_batches.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "stages/extract/warc_documents.h"
#include "warc/archive_test_support.h"

namespace uzushio {
namespace {

using Random = std::minstd_rand;

bool Happens(Random* random, int percent) { return static_cast<int>((*random)() % 100) < percent; }

std::string RecordOfPage(int number, const std::string& html) {
  const std::string http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html;
  return "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.jp/" + std::to_string(number) +
         "\r\nContent-Length: " + std::to_string(http.size()) + "\r\n\r\n" + http + "\r\n\r\n";
}

// Text that hardly gets smaller.
std::string Letters(size_t size, Random* random) {
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('!' + (*random)() % 90);
  return text;
}

// A gzip member that shows its content as it is: a member in it seems to be one of the file.
std::string Stored(const std::string& data) {
  constexpr size_t kMost = 65535;
  const std::string packed = Gzip(data);
  std::string member = packed.substr(0, 10);
  for (size_t at = 0; at < data.size(); at += kMost) {
    const std::string block = data.substr(at, kMost);
    const auto size = static_cast<uint32_t>(block.size());
    member += at + kMost >= data.size() ? '\1' : '\0';
    for (const uint32_t value : {size, ~size}) {
      member += static_cast<char>(value & 0xFF);
      member += static_cast<char>(value >> 8 & 0xFF);
    }
    member += block;
  }
  return member + packed.substr(packed.size() - 8);
}

// What is no sound member with one record.
std::string Irregular(const Wrap& wrap, int number, Random* random) {
  const std::string record = RecordOfPage(number, "<p>" + Letters(4000, random));
  std::string member = wrap(record);
  switch ((*random)() % 11) {
    case 0:
      member[member.size() / 2] ^= 1;
      return member;
    case 1:
      return member.substr(0, member.size() / 2);
    case 2:
      return wrap(record + RecordOfPage(number, "<p>a second record"));
    case 3:
      return wrap(record.substr(0, 700)) + wrap(record.substr(700));
    case 4:
      return "junk between members" + member;
    case 5:
      return wrap("\r\n\r\n") + member;
    case 6:
      return wrap(RecordOfPage(number, Letters(700'000, random)));  // over the limit
    case 7:
      return wrap("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999\r\n\r\nshorter\r\n\r\n");
    case 8:
      return wrap(RecordOfPage(number, "<p>" + std::string(500'000, 'a')));
    case 9:
      return Stored(RecordOfPage(
          number, Letters(200'000, random) + wrap(RecordOfPage(number, "<p>forged by content that looks like it"))));
    default:
      return member + wrap(std::string(6000, '\n'));
  }
}

std::string ArchiveWith(const Wrap& wrap, int percent_irregular, Random* random) {
  std::string archive;
  for (int i = 0; i < 120; ++i) {
    const size_t size = 1 + (*random)() % (Happens(random, 10) ? 150'000 : 20'000);
    archive += Happens(random, percent_irregular) ? Irregular(wrap, i, random)
                                                  : wrap(RecordOfPage(i, "<p>" + Letters(size, random)));
  }
  if (Happens(random, 20)) archive.resize(archive.size() - 100);
  return archive;
}

ExtractOptions AnyLanguage() {
  ExtractOptions options;
  options.codes.clear();
  options.limits.max_bytes = size_t{512} << 10;
  return options;
}

std::unique_ptr<FileBatches> BatchesIn(const std::string& archive) {
  auto file = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(archive));
  auto reader = OpenWarc(std::move(file), "a.warc", AnyLanguage().limits).ValueOrDie();
  return std::make_unique<FileBatches>(std::move(reader), "a.warc", BatchOptions());
}

// What comes of a file: documents and bad records in order, and the counts.
struct Outcome {
  std::vector<std::string> documents;
  std::vector<std::string> quarantined;
  std::string counts;
  int taken = 0;    // batches that were taken as members
  int dropped = 0;  // batches that were not used

  bool operator==(const Outcome& other) const {
    return documents == other.documents && quarantined == other.quarantined && counts == other.counts;
  }
};

// Takes up to `ahead` batches before one is used.
Outcome Read(FileBatches* batches, size_t ahead, Random* random) {
  Outcome outcome;
  ExtractCounts counts;
  BatchProcessor processor(AnyLanguage(), {});
  std::deque<std::vector<PageResults>> waiting;
  PageBatch batch;
  for (bool at_end = false; !at_end || !waiting.empty();) {
    if (!at_end && waiting.size() <= (*random)() % ahead) {
      batch.Clear();
      const auto state = batches->Next(&batch);
      EXPECT_TRUE(state.ok()) << state.status();
      if (*state != FileBatches::State::kWait) {
        at_end = *state == FileBatches::State::kLast;
        outcome.taken += batch.place.is_taken ? 1 : 0;
        auto& parts = waiting.emplace_back();
        EXPECT_TRUE(processor
                        .Process("a.warc", &batch,
                                 [&](PageResults part) {
                                   parts.push_back(std::move(part));
                                   return arrow::Status::OK();
                                 })
                        .ok());
        continue;
      }
      if (waiting.empty()) {
        ADD_FAILURE() << "waits for nothing";
        return outcome;
      }
    }
    if (waiting.empty()) continue;
    for (const PageResults& part : waiting.front()) {
      if (!batches->Use(part)) {
        outcome.dropped += part.is_last ? 1 : 0;
        continue;
      }
      for (const Document& document : part.documents) {
        outcome.documents.push_back(std::to_string(document.offset) + "+" + std::to_string(document.length) + " " +
                                    document.url + " " + document.text);
      }
      for (const QuarantinedRecord& bad : part.quarantined) {
        outcome.quarantined.push_back(std::to_string(bad.offset) + "+" + std::to_string(bad.length) + " " + bad.reason +
                                      " " + bad.bytes);
      }
      counts.Add(part.counts);
    }
    waiting.pop_front();
  }
  outcome.counts = counts.ToJson().dump();
  return outcome;
}

class Batches : public testing::TestWithParam<std::pair<Wrap, int>> {};

TEST_P(Batches, AreThoseOfOneReader) {
  const auto& [wrap, percent] = GetParam();
  int taken = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const std::string archive = ArchiveWith(wrap, percent, &random);
    const Outcome expected = Read(BatchesIn(archive).get(), 1, &random);
    EXPECT_EQ(expected.taken, 0);
    for (const size_t ahead : {size_t{1}, size_t{2}, size_t{9}}) {
      const auto batches = BatchesIn(archive);
      batches->Share();
      const Outcome outcome = Read(batches.get(), ahead, &random);
      EXPECT_TRUE(outcome == expected) << "seed " << seed << " ahead " << ahead << "\n"
                                       << outcome.counts << "\n"
                                       << expected.counts;
      taken += outcome.taken;
      if (percent == 0) EXPECT_EQ(outcome.dropped, 0);
    }
  }
  const bool is_gzip = wrap("").starts_with("\x1f\x8b");
  if (is_gzip) EXPECT_GT(taken, 12 * 3 * 2);
  if (!is_gzip) EXPECT_EQ(taken, 0);
}

INSTANTIATE_TEST_SUITE_P(Gzip, Batches,
                         testing::Values(std::pair(kGzip, 0), std::pair(kGzip, 2), std::pair(kGzip, 30)));
INSTANTIATE_TEST_SUITE_P(Others, Batches, testing::Values(std::pair(kZstd, 2), std::pair(kLz4, 2)));

// As the first bytes of a file that nobody made for this: members in the content of each page.
TEST(FileBatches, GoesOnByOneReaderWhereEachGuessIsFalse) {
  Random random(1);
  std::string archive;
  for (int i = 0; i < 40; ++i) {
    const std::string forged = Gzip(RecordOfPage(i, "<p>forged"));
    archive += Stored(RecordOfPage(i, "<p>" + Letters(100'000, &random) + forged + Letters(100'000, &random) + forged));
  }
  const Outcome expected = Read(BatchesIn(archive).get(), 1, &random);
  EXPECT_GT(expected.documents.size(), 30);
  const auto batches = BatchesIn(archive);
  batches->Share();
  const Outcome outcome = Read(batches.get(), 4, &random);
  EXPECT_TRUE(outcome == expected);
  EXPECT_GT(outcome.dropped, 0);
  EXPECT_LT(outcome.taken, 40);
}

}  // namespace
}  // namespace uzushio
