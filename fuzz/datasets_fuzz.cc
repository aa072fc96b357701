// Any bytes as a file of a dataset: Parquet, JSON Lines or plain text, by the first byte. It is read, or refused with a
// message, in bounded memory; rows of JSON are objects of the lines that are.
#include <arrow/filesystem/localfs.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/native.h"
#include "bytes.h"
#include "datasets/json_rows.h"
#include "datasets/text_reader.h"

namespace {

constexpr std::array<const char*, 4> kKinds = {".jsonl", ".parquet", ".txt", ".jsonl.gz"};

void ReadRows(std::string_view text) {
  uzushio::JsonObject object;
  uzushio::JsonColumns columns;
  std::vector<std::string> lines;
  while (!text.empty()) {
    lines.emplace_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  for (const std::string& line : lines) {
    if (object.Parse(line) != uzushio::JsonObject::Line::kObject) continue;
    columns.Add(object);
    for (const uzushio::JsonField& field : object.fields()) {
      uzushio_fuzz::Check(field.kind != uzushio::JsonField::Kind::kText ||
                          uz_utf8_valid_up_to(uzushio::AsBytes(field.text), field.text.size()) == field.text.size());
    }
  }
  if (columns.Schema()->GetFieldIndex("text") < 0) return;  // which is then no dataset of texts
  uzushio::JsonRows rows(columns.Schema(), "text", std::nullopt);
  int64_t taken = 0;
  for (const std::string& line : lines) {
    if (object.Parse(line) != uzushio::JsonObject::Line::kObject) continue;
    const auto wrong = rows.Append(object);
    taken += wrong.ok() && *wrong == nullptr ? 1 : 0;
  }
  const auto batch = rows.Finish();
  if (batch.ok()) uzushio_fuzz::Check((*batch == nullptr ? 0 : (*batch)->num_rows()) == taken);
  if (batch.ok() && *batch != nullptr) uzushio_fuzz::Check((*batch)->ValidateFull().ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t kind = data[0] % kKinds.size();
  const std::string_view text = uzushio_fuzz::View(data + 1, size - 1);
  const uzushio_fuzz::File file(text, kKinds[kind]);
  const auto local = std::make_shared<arrow::fs::LocalFileSystem>();
  const std::vector<uzushio::InputFile> inputs = {{file.path(), file.path(), static_cast<int64_t>(text.size()), local}};
  uzushio::TextReaderOptions options;
  options.max_text_bytes = 4096;
  const auto splits = uzushio::FindTextSplits(inputs, options);
  if (!splits.ok()) uzushio_fuzz::Check(!splits.status().message().empty());
  for (const uzushio::Split& split : splits.ok() ? *splits : std::vector<uzushio::Split>()) {
    int64_t cuts = 0;
    const arrow::Status status = uzushio::ReadTexts(
        split, options, [](std::string_view) { return arrow::Status::OK(); },
        [](const uzushio::QuarantinedRecord&) { return arrow::Status::OK(); }, &cuts);
    if (!status.ok()) uzushio_fuzz::Check(!status.message().empty());
  }
  if (kind == 0) ReadRows(text);
  return 0;
}

// Tokens of JSON stay tokens.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  uzushio_fuzz::Chance chance(seed);
  if (size == 0 || data[0] % kKinds.size() != 0 || chance.OneIn(3)) return LLVMFuzzerMutate(data, size, max_size);
  static const std::vector<std::string> others = {"{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  ":",
                                                  ",",
                                                  "\n",
                                                  "\"text\"",
                                                  "\"\\ud83d\"",
                                                  "\"\\u0000\"",
                                                  "\"\\ud83d\\ude00\"",
                                                  "1e400",
                                                  "-0",
                                                  "1E-400",
                                                  "18446744073709551616",
                                                  "-9223372036854775808",
                                                  "null",
                                                  "true",
                                                  "\"あ\"",
                                                  "\"language\"",
                                                  "{\"text\": \"a\"}\n",
                                                  " "};
  std::vector<std::string> tokens;
  for (std::string_view rest = uzushio_fuzz::View(data + 1, size - 1); !rest.empty();) {
    size_t length = 1;
    if (rest[0] == '"') {
      while (length < rest.size() && rest[length] != '"') length += rest[length] == '\\' ? 2 : 1;
      length = std::min(length + 1, rest.size());
    } else {
      length = std::max<size_t>(1, std::min(rest.find_first_of("{}[]:,\" \n"), rest.size()));
    }
    tokens.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  uzushio_fuzz::MutateParts(&tokens, others, &chance);
  return 1 + uzushio_fuzz::Put(uzushio_fuzz::Joined(tokens), data + 1, max_size - 1);
}
