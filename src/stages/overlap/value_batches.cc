#include "stages/overlap/value_batches.h"

#include <arrow/array.h>
#include <arrow/builder.h>

#include <bit>
#include <utility>

#include "datasets/columns.h"

namespace uzushio {
namespace {

arrow::Result<std::shared_ptr<arrow::Array>> Int64s(const std::vector<int64_t>& values) {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues(values));
  return builder.Finish();
}

}  // namespace

ValueBatches::ValueBatches(size_t dataset, std::string text_column, std::string url_column, bool is_statistics)
    : dataset_bit_(static_cast<int64_t>(uint64_t{1} << dataset)),
      is_statistics_(is_statistics),
      reader_(std::move(text_column), std::move(url_column), [this](ValueKind kind, const ValueHash& hash) {
        const uint64_t rest = LowAndKind(kind, hash);
        if (recent_.IsNew(hash.high, rest)) {
          highs_.push_back(static_cast<int64_t>(hash.high));
          rests_.push_back(static_cast<int64_t>(rest));
        }
        return arrow::Status::OK();
      }) {}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ValueBatches::Take(const arrow::RecordBatch& batch,
                                                                      std::vector<int64_t>* bad) {
  highs_.clear();
  rests_.clear();
  bad->clear();
  if (is_statistics_) {
    ARROW_RETURN_NOT_OK(reader_.TakeStatistics(batch));
  } else {
    ARROW_RETURN_NOT_OK(reader_.Take(batch, [bad](int64_t row) {
      bad->push_back(row);
      return arrow::Status::OK();
    }));
  }
  ARROW_ASSIGN_OR_RAISE(const auto high, Int64s(highs_));
  ARROW_ASSIGN_OR_RAISE(const auto rest, Int64s(rests_));
  ARROW_ASSIGN_OR_RAISE(const auto datasets, Int64s(std::vector<int64_t>(highs_.size(), dataset_bit_)));
  const auto schema =
      arrow::schema({arrow::field("high", arrow::int64(), false), arrow::field("rest", arrow::int64(), false),
                     arrow::field("datasets", arrow::int64(), false)});
  return arrow::RecordBatch::Make(schema, high->length(), {high, rest, datasets});
}

arrow::Status CountValues(const arrow::RecordBatch& batch, SharedCounts* counts) {
  ARROW_ASSIGN_OR_RAISE(const auto rests, IntegerColumn(batch, "rest"));
  ARROW_ASSIGN_OR_RAISE(const auto datasets, IntegerColumn(batch, "datasets"));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    const ValueKind kind = KindOf(static_cast<uint64_t>(rests->Value(row)));
    const auto bits = static_cast<uint64_t>(datasets->Value(row));
    if (static_cast<size_t>(kind) >= kValueKinds || static_cast<size_t>(std::bit_width(bits)) > counts->datasets()) {
      return arrow::Status::Invalid("these are values of other datasets");
    }
    counts->Add(kind, bits);
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ToBatch(const SharedCounts& counts) {
  arrow::Int32Builder kinds;
  arrow::Int32Builder lefts;
  arrow::Int32Builder rights;
  arrow::Int64Builder boths;
  for (size_t kind = 0; kind < kValueKinds; ++kind) {
    for (size_t a = 0; a < counts.datasets(); ++a) {
      for (size_t b = a; b < counts.datasets(); ++b) {
        const int64_t both = counts.Both(static_cast<ValueKind>(kind), a, b);
        if (both == 0) continue;
        ARROW_RETURN_NOT_OK(kinds.Append(static_cast<int32_t>(kind)));
        ARROW_RETURN_NOT_OK(lefts.Append(static_cast<int32_t>(a)));
        ARROW_RETURN_NOT_OK(rights.Append(static_cast<int32_t>(b)));
        ARROW_RETURN_NOT_OK(boths.Append(both));
      }
    }
  }
  const int64_t rows = kinds.length();
  arrow::ArrayVector columns(4);
  ARROW_RETURN_NOT_OK(kinds.Finish(&columns[0]));
  ARROW_RETURN_NOT_OK(lefts.Finish(&columns[1]));
  ARROW_RETURN_NOT_OK(rights.Finish(&columns[2]));
  ARROW_RETURN_NOT_OK(boths.Finish(&columns[3]));
  const auto schema =
      arrow::schema({arrow::field("kind", arrow::int32(), false), arrow::field("a", arrow::int32(), false),
                     arrow::field("b", arrow::int32(), false), arrow::field("both", arrow::int64(), false)});
  return arrow::RecordBatch::Make(schema, rows, std::move(columns));
}

arrow::Status AddBatch(const arrow::RecordBatch& batch, SharedCounts* counts) {
  ARROW_ASSIGN_OR_RAISE(const auto kinds, IntegerColumn(batch, "kind"));
  ARROW_ASSIGN_OR_RAISE(const auto lefts, IntegerColumn(batch, "a"));
  ARROW_ASSIGN_OR_RAISE(const auto rights, IntegerColumn(batch, "b"));
  ARROW_ASSIGN_OR_RAISE(const auto boths, IntegerColumn(batch, "both"));
  const auto datasets = static_cast<int64_t>(counts->datasets());
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    const int64_t kind = kinds->Value(row);
    const int64_t a = lefts->Value(row);
    const int64_t b = rights->Value(row);
    if (kind < 0 || kind >= static_cast<int64_t>(kValueKinds) || a < 0 || a >= datasets || b < 0 || b >= datasets) {
      return arrow::Status::Invalid("these are counts of other datasets");
    }
    counts->Add(static_cast<ValueKind>(kind), static_cast<size_t>(a), static_cast<size_t>(b), boths->Value(row));
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
