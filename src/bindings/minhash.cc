#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/declare.h"
#include "bindings/interop.h"
#include "bindings/options.h"
#include "dedup/document_index.h"
#include "stages/minhash/bucket_task.h"
#include "stages/minhash/indexes.h"
#include "stages/minhash/kernel.h"
#include "stages/minhash/minhash.h"
#include "stages/minhash/verifier.h"
#include "storage/inputs.h"
#include "storage/store_place.h"

namespace uzushio::python {
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;
using SharedIndex = std::shared_ptr<const DocumentIndex>;
using IndexList = std::vector<std::optional<SharedIndex>>;  // none: this run's documents

MinhashOptions OptionsOf(const nlohmann::json& json) {
  MinhashOptions options = Picked(DeclaredMinhashOptions(), json);
  Check(Complete(&options));
  return options;
}

arrow::Result<std::shared_ptr<arrow::BinaryArray>> BinaryColumn(const arrow::RecordBatch& batch,
                                                                const std::string& name) {
  const auto column = batch.GetColumnByName(name);
  if (column == nullptr || column->type_id() != arrow::Type::BINARY) {
    return arrow::Status::Invalid("a column '", name, "' of binary is expected");
  }
  return std::static_pointer_cast<arrow::BinaryArray>(column);
}

template <typename Numbers>
arrow::Result<std::shared_ptr<Numbers>> NumberColumn(const arrow::RecordBatch& batch, const std::string& name) {
  const auto column = batch.GetColumnByName(name);
  if (column == nullptr || column->type_id() != Numbers::TypeClass::type_id || column->null_count() > 0) {
    return arrow::Status::Invalid("a column '", name, "' of ", Numbers::TypeClass::type_name(), " is expected");
  }
  return std::static_pointer_cast<Numbers>(column);
}

std::span<const uint8_t> BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

arrow::Result<Batch> OneColumn(arrow::ArrayBuilder* builder, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const auto column, builder->Finish());
  const auto schema = arrow::schema({arrow::field(name, column->type(), column->null_count() > 0)});
  return arrow::RecordBatch::Make(schema, column->length(), {column});
}

// What tasks do with a batch's documents. Not for several threads at once.
class Documents {
 public:
  // `tmp`: the folder for temporary data, of the comparison of very long texts.
  Documents(const std::string& options, const std::filesystem::path& tmp)
      : options_(OptionsOf(Json(options))),
        kernel_(Value(MinhashKernel::Make(options_))),
        space_(tmp),
        verifier_(options_, &budget_, &space_) {
    Check(arrow::compute::Initialize());
  }

  // Columns id, high, low, dated, text_bytes, buckets, sketch, text (its frame for an index with texts, or empty); and
  // the places of rows that are not UTF-8.
  nb::object Sign(nb::handle batch) {
    const auto taken = BatchOf(batch);
    std::vector<int64_t> bad;
    const Batch made = Value(WithoutLock([&]() -> arrow::Result<Batch> {
      ARROW_ASSIGN_OR_RAISE(const SignedDocuments documents, kernel_->Sign(*taken, [&bad](int64_t row) {
        bad.push_back(row);
        return arrow::Status::OK();
      }));
      return ToBatch(documents);
    }));
    return nb::make_tuple(ToPython(made), bad);
  }

  // The texts that are compared, and the places of their rows, of those whose place among the batch's documents, from
  // `first` on, is in `numbers`, which increase; and how many documents there are.
  nb::object Texts(nb::handle batch, int64_t first, const std::vector<int64_t>& numbers) {
    const auto taken = BatchOf(batch);
    int64_t documents = 0;
    const Batch made = Value(WithoutLock([&]() -> arrow::Result<Batch> {
      arrow::Int64Builder number;
      arrow::BinaryBuilder texts;
      const auto wanted = [&](int64_t n) { return std::ranges::binary_search(numbers, first + n); };
      const auto use = [&](int64_t n, std::string_view document) -> arrow::Status {
        ARROW_RETURN_NOT_OK(number.Append(first + n));
        return texts.Append(document);
      };
      ARROW_ASSIGN_OR_RAISE(documents, kernel_->ForEachDocument(*taken, wanted, use));
      arrow::ArrayVector columns(2);
      ARROW_RETURN_NOT_OK(number.Finish(columns.data()));
      ARROW_RETURN_NOT_OK(texts.Finish(&columns[1]));
      const auto schema =
          arrow::schema({arrow::field("number", arrow::int64(), false), arrow::field("text", arrow::binary(), false)});
      const int64_t rows = columns[0]->length();
      return arrow::RecordBatch::Make(schema, rows, std::move(columns));
    }));
    return nb::make_tuple(ToPython(made), documents);
  }

  // Kept documents, duplicates, and how many documents there are. `duplicates`: columns number, which increases, id and
  // similarity; the batch's documents have the numbers from `first` on.
  nb::object Part(nb::handle batch, int64_t first, nb::handle duplicates) {
    const auto taken = BatchOf(batch);
    const auto given = BatchOf(duplicates);
    int64_t documents = 0;
    const PartedRows rows = Value(WithoutLock([&] { return PartOf(taken, first, *given, &documents); }));
    return nb::make_tuple(ToPython(rows.kept), ToPython(rows.duplicates), documents);
  }

  // The estimated Jaccard index of each row's `sketch` and `other`; where that is null, of document `leader` of
  // `source`.
  nb::object Estimate(nb::handle batch, const IndexList& indexes) {
    const auto taken = BatchOf(batch);
    return ToPython(Value(WithoutLock([&] { return Estimates(*taken, indexes); })));
  }

  // How similar each row's `text` and `other` are; where that is null, document `leader` of `source` is the other.
  // Null: they are no near-duplicates.
  nb::object Compare(nb::handle batch, const IndexList& indexes) {
    const auto taken = BatchOf(batch);
    return ToPython(Value(WithoutLock([&] { return Similarities(*taken, indexes); })));
  }

 private:
  arrow::Result<Batch> ToBatch(const SignedDocuments& made) const {
    const auto buckets = static_cast<size_t>(options_.signature.buckets);
    const size_t sketch = options_.signature.sketch_bytes();
    std::array<arrow::Int64Builder, 3> numbers;  // high, low, text_bytes
    std::array<arrow::BinaryBuilder, 4> texts;   // id, buckets, sketch, text
    arrow::BooleanBuilder dated;
    for (size_t i = 0; i < made.documents.size(); ++i) {
      const SignedDocument& document = made.documents[i];
      const auto own = std::span(made.buckets).subspan(i * buckets, buckets);
      ARROW_RETURN_NOT_OK(numbers[0].Append(static_cast<int64_t>(document.priority.high)));
      ARROW_RETURN_NOT_OK(numbers[1].Append(static_cast<int64_t>(document.priority.low)));
      ARROW_RETURN_NOT_OK(numbers[2].Append(document.text_bytes));
      ARROW_RETURN_NOT_OK(texts[0].Append(document.id));
      ARROW_RETURN_NOT_OK(
          texts[1].Append(reinterpret_cast<const uint8_t*>(own.data()), static_cast<int32_t>(own.size_bytes())));
      ARROW_RETURN_NOT_OK(texts[2].Append(made.sketches.data() + i * sketch, static_cast<int32_t>(sketch)));
      ARROW_RETURN_NOT_OK(texts[3].Append(made.text(i)));
      ARROW_RETURN_NOT_OK(dated.Append(document.is_dated));
    }
    arrow::ArrayVector columns(8);
    ARROW_RETURN_NOT_OK(texts[0].Finish(columns.data()));
    ARROW_RETURN_NOT_OK(numbers[0].Finish(&columns[1]));
    ARROW_RETURN_NOT_OK(numbers[1].Finish(&columns[2]));
    ARROW_RETURN_NOT_OK(dated.Finish(&columns[3]));
    ARROW_RETURN_NOT_OK(numbers[2].Finish(&columns[4]));
    ARROW_RETURN_NOT_OK(texts[1].Finish(&columns[5]));
    ARROW_RETURN_NOT_OK(texts[2].Finish(&columns[6]));
    ARROW_RETURN_NOT_OK(texts[3].Finish(&columns[7]));
    const auto schema = arrow::schema(
        {arrow::field("id", arrow::binary(), false), arrow::field("high", arrow::int64(), false),
         arrow::field("low", arrow::int64(), false), arrow::field("dated", arrow::boolean(), false),
         arrow::field("text_bytes", arrow::int64(), false), arrow::field("buckets", arrow::binary(), false),
         arrow::field("sketch", arrow::binary(), false), arrow::field("text", arrow::binary(), false)});
    return arrow::RecordBatch::Make(schema, static_cast<int64_t>(made.documents.size()), std::move(columns));
  }

  arrow::Result<PartedRows> PartOf(const Batch& batch, int64_t first, const arrow::RecordBatch& given,
                                   int64_t* documents) {
    ARROW_ASSIGN_OR_RAISE(const auto numbers, NumberColumn<arrow::Int64Array>(given, "number"));
    ARROW_ASSIGN_OR_RAISE(const auto ids, BinaryColumn(given, "id"));
    ARROW_ASSIGN_OR_RAISE(const auto similarities, NumberColumn<arrow::DoubleArray>(given, "similarity"));
    ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> rows, kernel_->DocumentRows(*batch));
    *documents = static_cast<int64_t>(rows.size());
    std::vector<DuplicateRow> duplicates;
    const int64_t* const begin = numbers->raw_values();
    const int64_t* const end = begin + numbers->length();
    for (const int64_t* at = std::lower_bound(begin, end, first); at != end && *at - first < *documents; ++at) {
      const int64_t place = at - begin;
      duplicates.push_back({rows[static_cast<size_t>(*at - first)], ids->GetString(place), similarities->Value(place)});
    }
    return PartBatch(batch, rows, duplicates);
  }

  // The index that a row's leader is of.
  static arrow::Result<const DocumentIndex*> IndexOf(const IndexList& indexes, int32_t source) {
    const auto place = static_cast<size_t>(source);
    if (place < indexes.size() && indexes[place]) return indexes[place]->get();
    return arrow::Status::UnknownError("a document of this run is gone that others are like; run this again");
  }

  arrow::Result<Batch> Similarities(const arrow::RecordBatch& batch, const IndexList& indexes) {
    ARROW_ASSIGN_OR_RAISE(const auto texts, BinaryColumn(batch, "text"));
    ARROW_ASSIGN_OR_RAISE(const auto others, BinaryColumn(batch, "other"));
    ARROW_ASSIGN_OR_RAISE(const auto sources, NumberColumn<arrow::Int32Array>(batch, "source"));
    ARROW_ASSIGN_OR_RAISE(const auto leaders, NumberColumn<arrow::Int64Array>(batch, "leader"));
    TextDecompressor decompressor;
    std::string read;
    arrow::DoubleBuilder similarities;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      // Rows of one leader follow one another.
      const bool is_same =
          row > 0 && sources->Value(row) == sources->Value(row - 1) && leaders->Value(row) == leaders->Value(row - 1);
      if (!is_same && others->IsNull(row)) {
        ARROW_ASSIGN_OR_RAISE(const DocumentIndex* index, IndexOf(indexes, sources->Value(row)));
        if (index->texts() == nullptr) return arrow::Status::UnknownError(index->name(), ": has no texts");
        ARROW_RETURN_NOT_OK(index->texts()->Read(static_cast<uint64_t>(leaders->Value(row)), &decompressor, &read));
      }
      if (!is_same) verifier_.SetLeader(others->IsNull(row) ? std::string_view(read) : others->GetView(row));
      verifier_.SetDocument(texts->GetView(row));
      ARROW_ASSIGN_OR_RAISE(const auto similarity, verifier_.Compare());
      ARROW_RETURN_NOT_OK(similarity ? similarities.Append(*similarity) : similarities.AppendNull());
    }
    return OneColumn(&similarities, "similarity");
  }

  arrow::Result<Batch> Estimates(const arrow::RecordBatch& batch, const IndexList& indexes) const {
    ARROW_ASSIGN_OR_RAISE(const auto sketches, BinaryColumn(batch, "sketch"));
    ARROW_ASSIGN_OR_RAISE(const auto others, BinaryColumn(batch, "other"));
    ARROW_ASSIGN_OR_RAISE(const auto sources, NumberColumn<arrow::Int32Array>(batch, "source"));
    ARROW_ASSIGN_OR_RAISE(const auto leaders, NumberColumn<arrow::Int64Array>(batch, "leader"));
    const size_t functions = options_.signature.functions();
    arrow::DoubleBuilder similarities;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::vector<uint8_t> read;
      std::span<const uint8_t> other = BytesOf(others->GetView(row));
      if (others->IsNull(row)) {
        ARROW_ASSIGN_OR_RAISE(const DocumentIndex* index, IndexOf(indexes, sources->Value(row)));
        ARROW_ASSIGN_OR_RAISE(IndexedDocument document,
                              index->documents().Read(static_cast<uint64_t>(leaders->Value(row))));
        read = std::move(document.sketch);
        other = read;
      }
      const std::span<const uint8_t> own = BytesOf(sketches->GetView(row));
      if (own.size() != options_.signature.sketch_bytes() || other.size() != own.size()) {
        return arrow::Status::Invalid("damaged sketches");
      }
      ARROW_RETURN_NOT_OK(similarities.Append(EstimateJaccard(own, other, functions)));
    }
    return OneColumn(&similarities, "similarity");
  }

  MinhashOptions options_;
  std::unique_ptr<MinhashKernel> kernel_;
  MemoryBudget budget_{0};  // hashes of very long texts are put on disk
  SpillSpace space_;
  Verifier verifier_;
};

// Errors of options, before anything is looked for.
void CheckOptions(const std::string& text) {
  const nlohmann::json json = Json(text);
  MinhashConfig config;
  config.options = OptionsOf(json);
  config.against = json.at("against").get<std::vector<std::string>>();
  config.beside = json.at("beside").get<std::vector<std::string>>();
  config.index_only = json.at("index_only").get<bool>();
  Check(CheckMinhash(config));
}

// Name, identity of the documents, and checksum of each of the indexes that an option names.
std::vector<std::tuple<std::string, std::string, std::string>> FindIndexes(const std::string& options,
                                                                           const std::string& option,
                                                                           const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!IsOnStore(name)) continue;
    Check(arrow::Status::Invalid(option, " ", WithoutCredentials(name),
                                 ": on Spark, tasks read an index from a folder ",
                                 "that all executors have; copy it there, or run uzushio minhash on one machine"));
  }
  const MinhashOptions given = OptionsOf(Json(options));
  const DocumentIndexKind kind = Value(KindOf(given));
  const Indexes indexes = Value(WithoutLock([&] { return OpenIndexes(option, names, kind, given, ""); }));
  std::vector<std::tuple<std::string, std::string, std::string>> found;
  for (const auto& index : indexes) found.emplace_back(index->name(), index->identity(), index->checksum());
  return found;
}

// What is settled of options, as JSON. Errors: as CheckOptions.
std::string Settled(const std::string& text) {
  MinhashOptions options = OptionsOf(Json(text));
  Check(FindDictionary(&options));
  nlohmann::json settled = Value(SettledOptions(options));
  if (!options.sudachi.empty()) settled["sudachi_file"] = options.sudachi;
  return settled.dump();
}

void CheckColumns(nb::handle schema, const std::string& options) {
  const auto columns = SchemaOf(schema);
  Check(MinhashKernel::Check(*columns, OptionsOf(Json(options))));
  Check(DuplicatesSchema(*columns).status());
}

nb::object SchemaOfDuplicates(nb::handle schema) { return ToPython(Value(DuplicatesSchema(*SchemaOf(schema)))); }

nb::list Spread(nb::handle batch, int bits) {
  const auto taken = BatchOf(batch);
  const auto partitions = Value(WithoutLock([&] { return SpreadBuckets(*taken, bits); }));
  nb::list list;
  for (size_t partition = 0; partition < partitions.size(); ++partition) {
    if (partitions[partition] != nullptr) list.append(nb::make_tuple(partition, ToPython(partitions[partition])));
  }
  return list;
}

std::unique_ptr<BucketTask> MakeBucketTask(const std::string& text, const IndexList& sets) {
  const nlohmann::json json = Json(text);
  const MinhashOptions options = OptionsOf(json);
  BucketTaskConfig config;
  for (const auto& set : sets) config.sets.push_back(set.value_or(nullptr));
  config.decided = json.at("decided").get<uint64_t>();
  config.by_ids = options.keep != KeepRule::kFirst;
  config.leaders = {LeadersOf(options), options.index_texts ? kVerifiedLeaders : 1};
  config.index_only = json.at("index_only").get<bool>();
  config.memory = json.at("memory").get<int64_t>();
  config.tmp = PathOfName(json.at("tmp").get<std::string>());
  return Value(BucketTask::Make(std::move(config)));
}

// `whole` is false where the index is only for its identity, which texts are no part of.
std::unique_ptr<DocumentIndexWriter> MakeIndexWriter(const std::filesystem::path& folder, const std::string& options,
                                                     bool whole) {
  DocumentIndexKind kind = Value(KindOf(OptionsOf(Json(options))));
  kind.texts = kind.texts && whole;
  return Value(DocumentIndexWriter::Create(folder, kind));
}

arrow::Status AddDocuments(const arrow::RecordBatch& batch, DocumentIndexWriter* writer) {
  ARROW_ASSIGN_OR_RAISE(const auto ids, BinaryColumn(batch, "id"));
  ARROW_ASSIGN_OR_RAISE(const auto sketches, BinaryColumn(batch, "data"));
  ARROW_ASSIGN_OR_RAISE(const auto texts, BinaryColumn(batch, "text"));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    ARROW_RETURN_NOT_OK(writer->AddDocument(ids->GetView(row), BytesOf(sketches->GetView(row)), texts->GetView(row)));
  }
  return arrow::Status::OK();
}

arrow::Status AddBuckets(std::string_view bytes, DocumentIndexWriter* writer) {
  DocumentBucket bucket;
  for (size_t at = 0; at + sizeof bucket <= bytes.size(); at += sizeof bucket) {
    std::memcpy(&bucket, bytes.data() + at, sizeof bucket);
    ARROW_RETURN_NOT_OK(writer->AddBucket(bucket));
  }
  return arrow::Status::OK();
}

}  // namespace

void DeclareMinhash(nb::module_& module) {
  module.def("check_near_documents_options", &CheckOptions, nb::arg("options"));
  module.def("settled_near_documents_options", &Settled, nb::arg("options"));
  module.def("check_near_documents_columns", &CheckColumns, nb::arg("schema"), nb::arg("options"));
  module.def("duplicates_schema", &SchemaOfDuplicates, nb::arg("schema"),
             nb::sig("def duplicates_schema(schema: typing.Any) -> ArrowSchema"));
  module.def("find_document_indexes", &FindIndexes, nb::arg("options"), nb::arg("option"), nb::arg("names"));
  module.def("spread_buckets", &Spread, nb::arg("documents"), nb::arg("bits"),
             nb::sig("def spread_buckets(documents: typing.Any, bits: int) -> list[tuple[int, ArrowBatch]]"));
  module.attr("DUPLICATES_FOLDER") = kDuplicatesFolder;
  module.attr("DOCUMENT_INDEX_FOLDER") = kDocumentIndexFolder.path;

  nb::class_<Documents>(module, "MinhashKernel", "What tasks do with documents that are compared.")
      .def(nb::init<const std::string&, const std::filesystem::path&>(), nb::arg("options"), nb::arg("tmp"))
      .def("sign", &Documents::Sign, nb::arg("batch"),
           nb::sig("def sign(self, batch: typing.Any) -> tuple[ArrowBatch, list[int]]"))
      .def("texts", &Documents::Texts, nb::arg("batch"), nb::arg("first"), nb::arg("numbers"),
           nb::sig("def texts(self, batch: typing.Any, first: int, numbers: collections.abc.Sequence[int]) -> "
                   "tuple[ArrowBatch, int]"))
      .def("part", &Documents::Part, nb::arg("batch"), nb::arg("first"), nb::arg("duplicates"),
           nb::sig("def part(self, batch: typing.Any, first: int, duplicates: typing.Any) -> "
                   "tuple[ArrowBatch | None, ArrowBatch | None, int]"))
      .def("estimate", &Documents::Estimate, nb::arg("batch"), nb::arg("indexes"),
           nb::sig("def estimate(self, batch: typing.Any, indexes: collections.abc.Sequence[DocumentIndex | None]) -> "
                   "ArrowBatch"))
      .def("compare", &Documents::Compare, nb::arg("batch"), nb::arg("indexes"),
           nb::sig("def compare(self, batch: typing.Any, indexes: collections.abc.Sequence[DocumentIndex | None]) -> "
                   "ArrowBatch"));

  nb::class_<DocumentIndex>(module, "DocumentIndex", "The index that `uzushio minhash` writes.")
      .def_static(
          "open",
          [](const std::string& folder) {
            return std::shared_ptr<DocumentIndex>(Value(WithoutLock([&] { return DocumentIndex::Open(folder); })));
          },
          nb::arg("folder"))
      .def("checksum", &DocumentIndex::checksum);

  nb::class_<BucketTask>(module, "BucketTask",
                         "Who follows whom in a partition's buckets; see stages/minhash/bucket_task.h.")
      .def(nb::new_(&MakeBucketTask), nb::arg("config"), nb::arg("sets"))
      .def("add",
           [](BucketTask& self, nb::handle rows) {
             const auto taken = BatchOf(rows);
             Check(WithoutLock([&] { return self.Add(*taken); }));
           })
      .def("next", [](BucketTask& self) { return ToPython(Value(WithoutLock([&] { return self.Next(); }))); });

  nb::class_<DocumentIndexWriter>(module, "DocumentIndexWriter", "Writes an index: documents, then buckets, in order.")
      .def(nb::new_(&MakeIndexWriter), nb::arg("folder"), nb::arg("options"), nb::arg("whole"))
      .def("add_documents",
           [](DocumentIndexWriter& self, nb::handle batch) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return AddDocuments(*taken, &self); }));
           })
      .def("finish_documents",
           [](DocumentIndexWriter& self) { return Value(WithoutLock([&] { return self.FinishDocuments(); })); })
      .def("add_buckets",
           [](DocumentIndexWriter& self, const nb::bytes& bytes) {
             Check(AddBuckets(std::string_view(bytes.c_str(), bytes.size()), &self));
           })
      .def("finish", [](DocumentIndexWriter& self) { Check(WithoutLock([&] { return self.Finish(); })); })
      .def("buckets", &DocumentIndexWriter::buckets)
      .def("text_bytes", &DocumentIndexWriter::text_bytes);
}

}  // namespace uzushio::python
