#include <arrow/array.h>
#include <arrow/util/byte_size.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <parquet/metadata.h>

#include "base/bounded_producer.h"
#include "base/counters.h"
#include "bindings/declare.h"
#include "bindings/interop.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/full_data_writer.h"
#include "datasets/parquet_file.h"
#include "datasets/row_reader.h"
#include "datasets/text_reader.h"
#include "stages/extract/extract.h"
#include "stages/filter/metrics.h"
#include "statistics/folder.h"
#include "statistics/frequency_index.h"
#include "statistics/tasks/step_task.h"
#include "storage/azure_store.h"
#include "storage/output_names.h"

namespace uzushio::python {
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

// Bytes of batches that are read ahead of the one in hand.
constexpr int64_t kReadAhead = int64_t{8} << 20;

// What whole clusters read is not read by the driver before.
constexpr int kOnlySizes = 0;

// A row group (-1: a whole file of lines) of a file that a task reads.
struct NamedSplit {
  std::string name;
  int row_group = -1;
  std::string language;
  int64_t begin = 0;  // and the bytes of a part of a text
  int64_t bytes = 0;
};

std::vector<NamedSplit> SplitsOfJson(const nlohmann::json& json) {
  std::vector<NamedSplit> splits;
  for (const nlohmann::json& split : json) {
    splits.push_back({split.at("name"), split.at("row_group"), split.value("language", ""),
                      split.value("begin", int64_t{0}), split.value("bytes", int64_t{0})});
  }
  return splits;
}

// Opens files one after another; splits of one file follow each other.
class FileOfPiece {
 public:
  arrow::Status Open(const NamedSplit& split) {
    if (split.name == file_.uri()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(file_, OpenInput(split.name));
    metadata_ = nullptr;
    if (split.row_group < 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(metadata_, ReadParquetMetadata(file_));
    return arrow::Status::OK();
  }
  const InputFile& file() const { return file_; }
  const std::shared_ptr<parquet::FileMetaData>& metadata() const { return metadata_; }

 private:
  InputFile file_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
};

// How files are read, where it is given: `all` (parquet, jsonl, text) and `delimiter`; files whose endings say nothing
// are text then; `column_option` names the column of texts.
std::optional<RowFormats> Formats(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const nlohmann::json json = Json(text);
  RowFormats formats;
  formats.other = RowFormat::kText;
  formats.delimiter = json.at("delimiter");
  formats.column_option = json.at("column_option");
  if (json.at("all").is_number()) formats.all = static_cast<RowFormat>(json.at("all").get<int>());
  return formats;
}

// The rows of splits, in batches of some MiB, read ahead by a thread.
class RowStream {
 public:
  RowStream(nb::handle schema, const std::string& text_column, bool language_of_path, const std::string& splits,
            const std::string& folder, const std::string& name, const std::string& formats)
      : splits_(SplitsOfJson(Json(splits))),
        quarantine_(folder, name),
        batches_(kReadAhead, [this](const BoundedProducer<Batch>::Push& push) { return Read(push); }) {
    inputs_.schema = SchemaOf(schema);
    inputs_.text_column = text_column;
    inputs_.language_of_path = language_of_path;
    if (auto given = Formats(formats)) inputs_.formats = std::move(*given);
  }

  nb::object Next() {
    auto next = Value(WithoutLock([this] { return batches_.Next(); }));
    return next ? ToPython(*next) : nb::none();
  }
  std::string quarantined() const { return nlohmann::json(quarantined_.counts()).dump(); }

 private:
  arrow::Status Read(const BoundedProducer<Batch>::Push& push) {
    FileOfPiece open;
    for (const NamedSplit& split : splits_) {
      ARROW_RETURN_NOT_OK(open.Open(split));
      RowSplit row_split;
      row_split.file = &open.file();
      row_split.metadata = open.metadata();
      row_split.row_group = split.row_group;
      row_split.language = split.language;
      row_split.format = inputs_.formats.Of(split.name);
      row_split.begin = split.begin;
      row_split.bytes = split.bytes;
      ARROW_RETURN_NOT_OK(ReadRows(
          inputs_, row_split, [&](const Batch& batch) { return push(batch, arrow::util::TotalBufferSize(*batch)); },
          [this](const QuarantinedRecord& bad) {
            quarantined_.Add(bad.reason);
            return quarantine_.Append(bad);
          }));
    }
    return quarantine_.Finish();
  }

  std::vector<NamedSplit> splits_;
  RowInputs inputs_;
  QuarantineWriter quarantine_;
  Counters quarantined_;
  BoundedProducer<Batch> batches_;  // the last: its thread ends first
};

// A split of what a run reads: a row group, or a whole file.
nlohmann::json SplitJson(const Split& split) {
  nlohmann::json json = {{"name", split.file->uri()}, {"row_group", -1}, {"bytes", split.bytes}};
  if (split.metadata != nullptr) {
    json["row_group"] = split.row_group;
    json["plain_bytes"] = split.metadata->RowGroup(split.row_group)->total_byte_size();
  }
  return json;
}

// The form of the texts of inputs and of outputs that are read beside them; empty where none says it.
std::string TextFormOf(const Paths& names) {
  TextForms forms;
  Value(WithoutLock([&]() -> arrow::Result<bool> {
    for (const std::string& name : Natives(names)) ARROW_RETURN_NOT_OK(forms.AddOutput(name));
    return true;
  }));
  return forms.form();
}

nb::object FindRowSplits(const Paths& inputs, const std::string& text_column, const std::string& id_column,
                         bool allow_incomplete, const std::string& formats) {
  const std::optional<RowFormats> given = Formats(formats);
  std::vector<InputFile> files;
  const RowInputs rows = Value(WithoutLock([&]() -> arrow::Result<RowInputs> {
    ARROW_ASSIGN_OR_RAISE(files, ResolveInputs(Natives(inputs), given ? kTextSuffixes : kDocumentSuffixes));
    TextForms forms;
    ARROW_RETURN_NOT_OK(CheckDatasets(files, allow_incomplete, kOnlySizes, &forms));
    return FindRows(files, text_column, id_column, {}, given.value_or(RowFormats()));
  }));
  nlohmann::json splits = nlohmann::json::array();
  for (const RowSplit& split : rows.splits) {
    splits.push_back(SplitJson(split));
    splits.back()["language"] = split.language;
    splits.back()["begin"] = split.begin;
  }
  return nb::make_tuple(splits.dump(), ToPython(rows.schema), rows.language_of_path, InputNames(files).dump());
}

nb::object FindTexts(const Paths& inputs, const std::string& column, bool allow_incomplete) {
  std::vector<InputFile> files;
  TextReaderOptions options;
  options.column = column;
  const auto found = Value(WithoutLock([&]() -> arrow::Result<std::vector<Split>> {
    ARROW_ASSIGN_OR_RAISE(files, ResolveInputs(Natives(inputs), kTextSuffixes));
    TextForms forms;
    ARROW_RETURN_NOT_OK(CheckDatasets(files, allow_incomplete, kOnlySizes, &forms));
    return FindTextSplits(files, options);
  }));
  nlohmann::json splits = nlohmann::json::array();
  for (const Split& split : found) splits.push_back(SplitJson(split));
  return nb::make_tuple(splits.dump(), InputNames(files).dump());
}

nb::object FindStatisticsSplits(const Paths& inputs, bool allow_incomplete) {
  std::vector<InputFile> files;
  const auto found = Value(WithoutLock([&]() -> arrow::Result<std::vector<Split>> {
    ARROW_ASSIGN_OR_RAISE(files, ResolveStatistics(Natives(inputs)));
    TextForms forms;
    ARROW_RETURN_NOT_OK(CheckDatasets(files, allow_incomplete, kOnlySizes, &forms));
    return FindStatistics(files);
  }));
  nlohmann::json splits = nlohmann::json::array();
  for (const Split& split : found) splits.push_back(SplitJson(split));
  return nb::make_tuple(splits.dump(), InputNames(files).dump());
}

// The texts of splits into a task that counts them; the quarantined, by reason, and the cuts in plain text.
std::string ReadTextSplits(StepTask& task, const std::string& splits, const std::string& column,
                           const std::string& folder, const std::string& name) {
  TextReaderOptions options;
  options.column = column;
  Counters quarantined;
  int64_t cuts = 0;
  Check(WithoutLock([&]() -> arrow::Status {
    QuarantineWriter quarantine(folder, name);
    FileOfPiece open;
    for (const NamedSplit& split : SplitsOfJson(Json(splits))) {
      ARROW_RETURN_NOT_OK(open.Open(split));
      const Split text = {&open.file(), open.metadata(), split.row_group};
      ARROW_RETURN_NOT_OK(ReadTexts(
          text, options, [&](std::string_view document) { return task.AddText(document); },
          [&](const QuarantinedRecord& bad) {
            quarantined.Add(bad.reason);
            return quarantine.Append(bad);
          },
          &cuts));
    }
    return quarantine.Finish();
  }));
  return nlohmann::json({{"quarantined", quarantined.counts()}, {"cuts_in_plain_text", cuts}}).dump();
}

void ReadStatisticsSplits(StepTask& task, const std::string& splits) {
  constexpr int64_t kRows = 4096;
  Check(WithoutLock([&]() -> arrow::Status {
    FileOfPiece open;
    for (const NamedSplit& split : SplitsOfJson(Json(splits))) {
      ARROW_RETURN_NOT_OK(open.Open(split));
      const auto add = [&](const arrow::RecordBatch& batch) { return task.AddStatistics(batch); };
      const arrow::Status status = ReadRowGroup(open.file(), open.metadata(), split.row_group,
                                                {.columns = {}, .batch_rows = kRows, .memory = {}}, add);
      if (!status.ok()) return status.WithMessage(open.file().name, ": ", status.message());
    }
    return arrow::Status::OK();
  }));
}

// The index of statistics whose files, in this order, are in order of hashes.
void WriteIndex(const std::vector<std::string>& files, const std::string& path) {
  constexpr int64_t kRows = 65536;
  Check(WithoutLock([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto index, FrequencyIndexWriter::Create(path));
    const auto append = [&](const arrow::RecordBatch& batch) {
      return ForEachEntry(batch, [&](const FrequencyEntry& entry) { return index->Append(entry); });
    };
    for (const std::string& name : files) {
      ARROW_ASSIGN_OR_RAISE(const InputFile file, OpenInput(name));
      ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(file));
      for (int group = 0; group < metadata->num_row_groups(); ++group) {
        ARROW_RETURN_NOT_OK(
            ReadRowGroup(file, metadata, group, {.columns = {}, .batch_rows = kRows, .memory = {}}, append));
      }
    }
    return index->Finish();
  }));
}

// The inputs of a run, as they were when it began; of stores the manifests only, as files would take a request each.
class FoundInputs {
 public:
  explicit FoundInputs(const std::vector<std::string>& names) {
    Check(WithoutLock([&]() -> arrow::Status {
      ManifestCache manifests;
      for (const std::string& name : names) {
        ARROW_ASSIGN_OR_RAISE(const InputPlace place, LocateInput(name));
        InputFile& file = files_.emplace_back(place.File(arrow::fs::FileInfo(place.path, arrow::fs::FileType::File)));
        if (IsOfLocalFiles(*place.filesystem)) {
          ARROW_ASSIGN_OR_RAISE(file, OpenInput(name));
        }
        const std::string folder = std::filesystem::path(file.path).parent_path().string();
        ARROW_ASSIGN_OR_RAISE(file.manifest, manifests.Around(file.filesystem, folder));
        if (file.manifest != nullptr && FindListed(*file.manifest, file.path) == nullptr) file.manifest = nullptr;
      }
      return arrow::Status::OK();
    }));
  }
  void CheckUnchanged() const {
    Check(WithoutLock([this] { return uzushio::CheckUnchanged(files_); }));
  }

 private:
  std::vector<InputFile> files_;
};

// What opens a place on Azure as the program does: arguments of pyarrow.fs.AzureFileSystem, and the path there.
nb::tuple AzureArguments(const std::string& uri) {
  std::string path;
  const arrow::fs::AzureOptions options = Value(ReadAzureOptions(uri, &path));
  nb::dict arguments;
  arguments["account_name"] = options.account_name;
  arguments["blob_storage_authority"] = options.blob_storage_authority;
  arguments["dfs_storage_authority"] = options.dfs_storage_authority;
  arguments["blob_storage_scheme"] = options.blob_storage_scheme;
  arguments["dfs_storage_scheme"] = options.dfs_storage_scheme;
  if (!options.AccountKey().empty()) arguments["account_key"] = options.AccountKey();
  if (!options.SasToken().empty()) arguments["sas_token"] = options.SasToken();
  return nb::make_tuple(arguments, path);
}

std::string FindWarcs(const Paths& inputs) {
  return InputNames(Value(WithoutLock([&] { return ResolveInputs(Natives(inputs), kWarcSuffixes); }))).dump();
}

// What opens the archives that a pattern matches.
std::vector<std::string> UrisOfWarcs(const std::string& pattern) {
  std::vector<std::string> uris;
  for (const InputFile& file : Value(WithoutLock([&] { return ResolveInputs({pattern}, kWarcSuffixes); }))) {
    uris.push_back(file.uri());
  }
  return uris;
}

}  // namespace

void DeclareDatasets(nb::module_& module) {
  module.attr("MANIFEST") = kManifestName.path;
  module.attr("OLD_MANIFEST") = kManifestName.old_path;
  module.attr("OWN_FOLDER") = kOwnFolder;
  module.attr("OWN_ENDING") = kOwnParquetEnding;
  module.attr("INCOMPLETE") = kIncompleteMark;
  module.attr("QUARANTINE_FOLDER") = kQuarantineFolder;
  module.attr("FULL_DATA_FOLDER") = kFullDataFolder;
  module.attr("SORTED_FOLDER") = kSortedFolder;
  module.attr("FREQUENCY_INDEX") = kFrequencyIndexName.path;
  module.attr("OLD_FREQUENCY_INDEX") = kFrequencyIndexName.old_path;
  module.attr("INTERMEDIATE_FILE") = kIntermediateFile.path;
  nb::class_<RowStream>(module, "RowStream")
      .def(nb::init<nb::handle, const std::string&, bool, const std::string&, const std::string&, const std::string&,
                    const std::string&>(),
           nb::arg("schema"), nb::arg("text_column"), nb::arg("language_of_path"), nb::arg("splits"),
           nb::arg("quarantine_folder"), nb::arg("quarantine_name"), nb::arg("formats") = "")
      .def("next", &RowStream::Next)
      .def("quarantined", &RowStream::quarantined);
  nb::class_<QuarantineWriter>(module, "QuarantineWriter")
      .def(nb::init<const std::filesystem::path&, const std::string&>(), nb::arg("folder"), nb::arg("name"))
      .def(
          "append",
          [](QuarantineWriter& self, const std::string& warc, int64_t offset, int64_t length, const std::string& reason,
             const nb::bytes& bytes) {
            Check(self.Append({warc, offset, length, reason, std::string(bytes.c_str(), bytes.size())}));
          },
          nb::arg("warc"), nb::arg("offset"), nb::arg("length"), nb::arg("reason"), nb::arg("data"))
      .def("finish", [](QuarantineWriter& self) { Check(self.Finish()); });
  nb::class_<FoundInputs>(module, "FoundInputs")
      .def(nb::init<const std::vector<std::string>&>(), nb::arg("names"))
      .def("check_unchanged", &FoundInputs::CheckUnchanged,
           "Raises what has changed: a mark, or a local file's size or time.");
  module.def("find_rows", &FindRowSplits, nb::arg("inputs"), nb::arg("text_column"), nb::arg("id_column"),
             nb::arg("allow_incomplete"), nb::arg("formats") = "",
             nb::sig("def find_rows(inputs: Sequence[str | os.PathLike[str]], text_column: str, id_column: str, "
                     "allow_incomplete: bool, formats: str = '') -> tuple[str, ArrowSchema, bool, str]"));
  module.def("text_form_of", &TextFormOf, nb::arg("names"),
             nb::sig("def text_form_of(names: Sequence[str | os.PathLike[str]]) -> str"));
  module.def("find_texts", &FindTexts, nb::arg("inputs"), nb::arg("column"), nb::arg("allow_incomplete"),
             nb::sig("def find_texts(inputs: Sequence[str | os.PathLike[str]], column: str, allow_incomplete: bool) -> "
                     "tuple[str, str]"));
  module.def("find_statistics", &FindStatisticsSplits, nb::arg("inputs"), nb::arg("allow_incomplete"),
             nb::sig("def find_statistics(inputs: Sequence[str | os.PathLike[str]], allow_incomplete: bool) -> "
                     "tuple[str, str]"));
  module.def("find_warcs", &FindWarcs, nb::arg("inputs"));
  module.def("azure_arguments", &AzureArguments, nb::arg("uri"),
             nb::sig("def azure_arguments(uri: str) -> tuple[dict[str, str], str]"));
  module.def("uris_of_warcs", &UrisOfWarcs, nb::arg("pattern"));
  module.def(
      "name_of_path", [](const std::filesystem::path& path) { return WithoutCredentials(NameOfPath(path.native())); },
      nb::arg("path"));
  module.def(
      "check_documents",
      [](nb::handle schema, const std::string& text_column, const std::string& id_column) {
        const auto columns = SchemaOf(schema);
        Check(CheckTextColumn(*columns, text_column));
        Check(CheckIdColumn(*columns, id_column));
      },
      nb::arg("schema"), nb::arg("text_column"), nb::arg("id_column"));
  module.def(
      "check_statistics",
      [](nb::handle schema) {
        const auto columns = SchemaOf(schema);
        Check(CheckStatistics(*columns, IsIntermediate(*columns)));
      },
      nb::arg("schema"));
  module.def("read_texts", &ReadTextSplits, nb::arg("task"), nb::arg("splits"), nb::arg("column"),
             nb::arg("quarantine_folder"), nb::arg("quarantine_name"));
  module.def("read_statistics", &ReadStatisticsSplits, nb::arg("task"), nb::arg("splits"));
  module.def("write_index", &WriteIndex, nb::arg("files"), nb::arg("path"));
}

}  // namespace uzushio::python
