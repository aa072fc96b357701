#include "stages/filter/host_batches.h"

#include <arrow/array.h>
#include <arrow/builder.h>

#include <cstring>
#include <utility>

#include "datasets/columns.h"

namespace uzushio {

HostSums::HostSums(size_t width, int64_t memory)
    : totals_([this](const EachName& each) { return Take(each); }, width, memory) {}

arrow::Status HostSums::Take(const EachName& each) {
  arrow::StringBuilder hosts;
  arrow::BinaryBuilder sums_of_hosts;
  ARROW_RETURN_NOT_OK(each([&](std::string_view host, std::span<const NameSum> sums) {
    ARROW_RETURN_NOT_OK(hosts.Append(host));
    return sums_of_hosts.Append(reinterpret_cast<const uint8_t*>(sums.data()), static_cast<int32_t>(sums.size_bytes()));
  }));
  const int64_t rows = hosts.length();
  arrow::ArrayVector columns(2);
  ARROW_RETURN_NOT_OK(hosts.Finish(&columns[0]));
  ARROW_RETURN_NOT_OK(sums_of_hosts.Finish(&columns[1]));
  const auto schema =
      arrow::schema({arrow::field("host", arrow::utf8(), false), arrow::field("sums", arrow::binary(), false)});
  batches_.push_back(arrow::RecordBatch::Make(schema, rows, std::move(columns)));
  return arrow::Status::OK();
}

std::shared_ptr<arrow::RecordBatch> HostSums::Next() {
  if (batches_.empty()) return nullptr;
  auto batch = std::move(batches_.front());
  batches_.pop_front();
  return batch;
}

// Rows of the table.
class HostRows::Builder {
 public:
  explicit Builder(const HostColumns& columns)
      : columns_(columns), schema_(columns.Schema()), numbers_(static_cast<size_t>(schema_->num_fields()) - kCounts) {}

  arrow::Status Append(std::string_view host, std::span<const NameSum> sums) {
    ARROW_RETURN_NOT_OK(hosts_.Append(host));
    ARROW_RETURN_NOT_OK(documents_.Append(columns_.Documents(sums)));
    ARROW_RETURN_NOT_OK(characters_.Append(columns_.Characters(sums)));
    columns_.Numbers(sums, &row_);
    for (size_t i = 0; i < numbers_.size(); ++i) ARROW_RETURN_NOT_OK(numbers_[i].Append(row_[i]));
    return arrow::Status::OK();
  }
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish() {
    const int64_t rows = hosts_.length();
    arrow::ArrayVector columns(static_cast<size_t>(schema_->num_fields()));
    ARROW_RETURN_NOT_OK(hosts_.Finish(&columns[0]));
    ARROW_RETURN_NOT_OK(documents_.Finish(&columns[1]));
    ARROW_RETURN_NOT_OK(characters_.Finish(&columns[2]));
    for (size_t i = 0; i < numbers_.size(); ++i) ARROW_RETURN_NOT_OK(numbers_[i].Finish(&columns[kCounts + i]));
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

 private:
  static constexpr size_t kCounts = 3;  // columns before those of doubles

  const HostColumns& columns_;
  std::shared_ptr<arrow::Schema> schema_;
  arrow::StringBuilder hosts_;
  arrow::Int64Builder documents_;
  arrow::Int64Builder characters_;
  std::vector<arrow::DoubleBuilder> numbers_;
  std::vector<double> row_;
};

arrow::Result<std::shared_ptr<arrow::RecordBatch>> HostRows::Add(const arrow::RecordBatch& batch) {
  Builder rows(columns_);
  ARROW_ASSIGN_OR_RAISE(const auto hosts, TextColumn(batch, "host"));
  const auto column = batch.GetColumnByName("sums");
  if (column == nullptr || column->type_id() != arrow::Type::BINARY || column->null_count() > 0) {
    return arrow::Status::Invalid("a column 'sums' of binary is expected");
  }
  const auto& sums_of_hosts = static_cast<const arrow::BinaryArray&>(*column);
  std::vector<NameSum> sums(sums_.size());
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    const std::string_view bytes = sums_of_hosts.GetView(row);
    if (bytes.size() != sums.size() * sizeof(NameSum)) {
      return arrow::Status::Invalid("sums of a host have ", bytes.size(), " bytes, not ", sums.size() * sizeof(NameSum),
                                    ": they are those of another chain");
    }
    std::memcpy(sums.data(), bytes.data(), bytes.size());
    const std::string_view host = hosts->GetView(row);
    if (has_host_ && host == host_) {
      for (size_t i = 0; i < sums.size(); ++i) sums_[i] += sums[i];
      continue;
    }
    if (has_host_) ARROW_RETURN_NOT_OK(rows.Append(host_, sums_));
    has_host_ = true;
    host_ = host;
    sums_.swap(sums);
  }
  return rows.Finish();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> HostRows::Finish() {
  Builder rows(columns_);
  if (has_host_) ARROW_RETURN_NOT_OK(rows.Append(host_, sums_));
  has_host_ = false;
  return rows.Finish();
}

}  // namespace uzushio
