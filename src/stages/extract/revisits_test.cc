#include "stages/extract/revisits.h"

#include <arrow/array.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/test_support.h"
#include "datasets/documents_writer.h"
#include "stages/extract/part_name.h"
#include "stages/extract/revisit_notes.h"
#include "storage/temporary_folder.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

CaptureKey NumberKey(uint64_t high, uint64_t low) { return {high * 0x9E3779B97F4A7C15ULL + 1, low + 1}; }

// Inputs with documents in two languages, each with a key of its own, and revisits of these.
class RevisitCorpus {
 public:
  explicit RevisitCorpus(size_t inputs) : folder_(*TemporaryFolder::Make(fs::temp_directory_path() / "revisits-")) {
    for (size_t i = 0; i < inputs; ++i) {
      inputs_.push_back({.name = "input" + std::to_string(i)});
      writers_.emplace_back(std::make_unique<DocumentsWriter>(path(), PartName(i)));
      notes_.emplace_back(std::make_unique<RevisitNotes>(path(), "notes/" + PartName(i)));
    }
  }

  void AddDocument(size_t input, const std::string& text, const CaptureKeys& keys) {
    const std::string language = text.size() % 2 == 0 ? "ja" : "en";
    ASSERT_TRUE(writers_[input]->Append({.url = text, .charset = "UTF-8", .language = language, .text = text}).ok());
    ASSERT_TRUE(notes_[input]->AddDocument(language, keys).ok());
  }
  void AddRevisit(size_t input, const std::string& url, const CaptureKeys& page, int64_t length = 100) {
    ASSERT_TRUE(notes_[input]->Add({.page = page, .length = length, .url = url, .date = "2024-01-02"}).ok());
  }
  void Finish() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      inputs_[i].documents = *writers_[i]->Finish();
      inputs_[i].notes = *notes_[i]->Finish();
    }
  }

  ResolvedRevisits Resolve(int threads, const RevisitMemory& memory, int64_t max_inflation = 1000) const {
    auto resolved = ResolveRevisits(path(), inputs_, max_inflation, threads, memory);
    EXPECT_TRUE(resolved.ok()) << resolved.status();
    return resolved.ok() ? *resolved : ResolvedRevisits();
  }

  // URLs and texts of the new documents, file by file.
  std::vector<std::pair<std::string, std::string>> Rows(const std::vector<WrittenFile>& files) const {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const WrittenFile& file : files) {
      const auto opened = *arrow::io::ReadableFile::Open((path() / file.path).string());
      const auto reader = *parquet::arrow::OpenFile(opened, arrow::default_memory_pool());
      const auto table = *(*reader->ReadTable())->CombineChunks();
      const auto column = [&table](const char* name) {
        return std::static_pointer_cast<arrow::StringArray>(table->GetColumnByName(name)->chunk(0));
      };
      for (int64_t row = 0; row < table->num_rows(); ++row) {
        rows.emplace_back(column("url")->GetString(row), column("text")->GetString(row));
      }
    }
    return rows;
  }

  const fs::path& path() const { return folder_->path(); }

 private:
  std::unique_ptr<TemporaryFolder> folder_;
  std::vector<NotedInput> inputs_;
  std::vector<std::unique_ptr<DocumentsWriter>> writers_;
  std::vector<std::unique_ptr<RevisitNotes>> notes_;
};

TEST(Revisits, NotesComeBack) {
  const auto folder = *TemporaryFolder::Make(fs::temp_directory_path() / "revisits-");
  RevisitNotes notes(folder->path(), "notes");
  const CaptureKeys keys = {NumberKey(1, 2), CaptureKey(), NumberKey(3, 4)};
  ASSERT_TRUE(notes.AddDocument("ja", keys).ok());
  const Revisit revisit{keys, 5, 6, "id", "url", "date", "", "modified"};
  ASSERT_TRUE(notes.Add(revisit).ok());
  const auto written = *notes.Finish();
  ASSERT_TRUE(written);
  EXPECT_EQ(written->rows, 1);
  const auto reader = *RevisitNotesReader::Open(folder->path() / "notes");
  RevisitNotesReader::Note note;
  ASSERT_TRUE(*reader->Next(&note));
  EXPECT_FALSE(note.is_revisit);
  EXPECT_EQ(note.language, "ja");
  EXPECT_EQ(note.keys, keys);
  ASSERT_TRUE(*reader->Next(&note));
  EXPECT_TRUE(note.is_revisit);
  EXPECT_EQ(note.revisit.page, keys);
  EXPECT_EQ(note.revisit.url, "url");
  EXPECT_EQ(note.revisit.length, 6);
  EXPECT_EQ(note.revisit.last_modified, "modified");
  EXPECT_FALSE(*reader->Next(&note));
}

// Whatever memory there is, the rows are the same: pages that thousands repeat, keys that are equal in their first
// half, revisits that are elsewhere.
TEST(Revisits, MemoryAndThreadsDoNotMatter) {
  constexpr size_t kInputs = 5;
  RevisitCorpus corpus(kInputs);
  std::map<std::string, std::string> expected;
  const auto key = [](size_t document) { return NumberKey(document % 50, document); };
  for (size_t document = 0; document < 200; ++document) {
    corpus.AddDocument(document % kInputs, "text " + std::to_string(document * 7), {key(document), {}, {}});
  }
  for (size_t i = 0; i < 6000; ++i) {
    const size_t document = i % 3 == 0 ? 7 : i * 31 % 300;  // those from 200 on are elsewhere
    const std::string url = "http://a.jp/" + std::to_string(i);
    corpus.AddRevisit(i * 17 % kInputs, url, {CaptureKey(), key(document), i % 2 == 0 ? key(8) : CaptureKey()});
    if (document < 200 || i % 2 == 0) {
      expected[url] = "text " + std::to_string((document < 200 ? document : 8) * 7);
    }
  }
  corpus.Finish();
  std::vector<std::pair<std::string, std::string>> first;
  for (const auto& [threads, memory] : std::vector<std::pair<int, RevisitMemory>>{
           {1, {}}, {3, {}}, {1, {.entries = 0, .records = 4096}}, {3, {.entries = 10'000, .records = 10'000}}}) {
    const ResolvedRevisits resolved = corpus.Resolve(threads, memory);
    const auto rows = corpus.Rows(resolved.files);
    EXPECT_EQ((std::map<std::string, std::string>(rows.begin(), rows.end())), expected);
    EXPECT_EQ(resolved.counts.documents, static_cast<int64_t>(expected.size()));
    EXPECT_EQ(resolved.unresolved, static_cast<int64_t>(6000 - expected.size()));
    if (first.empty()) first = rows;
    EXPECT_EQ(rows, first);
  }
}

TEST(Revisits, TextIsBoundedByTheRevisits) {
  RevisitCorpus corpus(2);
  const std::string text(size_t{10} << 20, 'x');
  corpus.AddDocument(0, text, {NumberKey(1, 1), {}, {}});
  for (int i = 0; i < 12; ++i) corpus.AddRevisit(1, std::to_string(i), {NumberKey(1, 1), {}, {}}, 1 << 20);
  corpus.Finish();
  // 64 MiB, and 1 or 10 MiB for each.
  EXPECT_EQ(corpus.Resolve(1, {}, 1).inflated, 5);
  EXPECT_EQ(corpus.Resolve(2, {}, 10).inflated, 0);
}

TEST(Revisits, NothingComesOfNothing) {
  RevisitCorpus corpus(3);
  corpus.AddDocument(1, "text", {NumberKey(1, 1), {}, {}});
  corpus.Finish();
  const ResolvedRevisits resolved = corpus.Resolve(2, {});
  EXPECT_EQ(resolved.counts.documents + resolved.unresolved + resolved.inflated, 0);
  EXPECT_TRUE(resolved.files.empty());
}

}  // namespace
}  // namespace uzushio
