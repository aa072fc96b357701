// Batches as kernels take them, whatever the pyarrow of the process can do with them: small, and without views.
#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "bindings/declare.h"
#include "bindings/interop.h"

namespace uzushio::python {
namespace {

using Type = std::shared_ptr<arrow::DataType>;

// Whether a type has others in it, whose values are children of an array's.
bool IsNested(const arrow::DataType& type) { return type.num_fields() > 0 && arrow::is_nested(type.id()); }

// The type with offsets for one of views; others are as they are. Within a nested type offsets are of 64 bits: a batch
// of it is converted at once, and may have more than 32 bits hold.
Type WithoutViews(const Type& type, bool is_nested = false) {
  switch (type->id()) {
    case arrow::Type::STRING_VIEW:
      return is_nested ? arrow::large_utf8() : arrow::utf8();
    case arrow::Type::BINARY_VIEW:
      return is_nested ? arrow::large_binary() : arrow::binary();
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
      return arrow::dictionary(dictionary.index_type(), WithoutViews(dictionary.value_type()), dictionary.ordered());
    }
    default:
      break;
  }
  if (!IsNested(*type)) return type;
  arrow::FieldVector fields;
  for (const auto& field : type->fields()) fields.push_back(field->WithType(WithoutViews(field->type(), true)));
  switch (type->id()) {
    case arrow::Type::LIST:
      return arrow::list(fields[0]);
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(fields[0]);
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(fields[0], static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    case arrow::Type::STRUCT:
      return arrow::struct_(fields);
    default:
      return type;
  }
}

std::shared_ptr<arrow::Schema> WithoutViews(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) fields.push_back(field->WithType(WithoutViews(field->type())));
  return arrow::schema(std::move(fields), schema.metadata());
}

arrow::Result<std::shared_ptr<arrow::Array>> As(const std::shared_ptr<arrow::Array>& array, const Type& type) {
  if (array->type()->Equals(*type)) return array;
  if (type->id() == arrow::Type::DICTIONARY) {
    const auto& of = static_cast<const arrow::DictionaryArray&>(*array);
    const auto& values = static_cast<const arrow::DictionaryType&>(*type).value_type();
    ARROW_ASSIGN_OR_RAISE(const auto dictionary, As(of.dictionary(), values));
    return arrow::DictionaryArray::FromArrays(type, of.indices(), dictionary);
  }
  if (!IsNested(*type)) return arrow::compute::Cast(*array, type);
  // Children keep their lengths, so what says where each row's values are stays as it is.
  auto data = array->data()->Copy();
  data->type = type;
  for (size_t i = 0; i < data->child_data.size(); ++i) {
    const auto child = arrow::MakeArray(data->child_data[i]);
    ARROW_ASSIGN_OR_RAISE(const auto plain, As(child, type->field(static_cast<int>(i))->type()));
    data->child_data[i] = plain->data();
  }
  return arrow::MakeArray(data);
}

// Slices of a batch of at most so many rows and about so many bytes, at least a row each.
class PlainSlices final : public arrow::RecordBatchReader {
 public:
  static arrow::Result<std::shared_ptr<PlainSlices>> Make(const arrow::RecordBatch& batch, int64_t rows,
                                                          int64_t bytes) {
    arrow::ArrayVector columns = batch.columns();
    arrow::FieldVector fields = batch.schema()->fields();
    for (size_t i = 0; i < columns.size(); ++i) {  // dictionaries and children here, once for all slices
      if (columns[i]->type_id() != arrow::Type::DICTIONARY && !IsNested(*columns[i]->type())) continue;
      ARROW_ASSIGN_OR_RAISE(columns[i], As(columns[i], WithoutViews(columns[i]->type())));
      fields[i] = fields[i]->WithType(columns[i]->type());
    }
    auto schema = arrow::schema(std::move(fields), batch.schema()->metadata());
    return std::make_shared<PlainSlices>(
        arrow::RecordBatch::Make(std::move(schema), batch.num_rows(), std::move(columns)), rows, bytes);
  }
  PlainSlices(std::shared_ptr<arrow::RecordBatch> batch, int64_t rows, int64_t bytes)
      : batch_(std::move(batch)), schema_(WithoutViews(*batch_->schema())) {
    const int64_t size = arrow::util::ReferencedBufferSize(*batch_).ValueOr(arrow::util::TotalBufferSize(*batch_));
    const auto fit = static_cast<int64_t>(static_cast<double>(bytes) * static_cast<double>(batch_->num_rows()) /
                                          static_cast<double>(std::max<int64_t>(1, size)));
    step_ = std::max<int64_t>(1, std::min(rows, fit));
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    if (at_ >= batch_->num_rows()) {
      out->reset();
      return arrow::Status::OK();
    }
    const auto slice = batch_->Slice(at_, step_);
    at_ += slice->num_rows();
    arrow::ArrayVector columns;
    for (int i = 0; i < slice->num_columns(); ++i) {
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), As(slice->column(i), schema_->field(i)->type()));
    }
    *out = arrow::RecordBatch::Make(schema_, slice->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::shared_ptr<arrow::Schema> schema_;
  int64_t step_ = 1;
  int64_t at_ = 0;
};

}  // namespace

void DeclarePlainBatches(nb::module_& module) {
  module.def(
      "without_views", [](nb::handle schema) { return ToPython(WithoutViews(*SchemaOf(schema))); }, nb::arg("schema"));
  module.def(
      "plain_slices",
      [](nb::handle batch, int64_t rows, int64_t bytes) {
        return ToPython(Value(PlainSlices::Make(*BatchOf(batch), rows, bytes)));
      },
      nb::arg("batch"), nb::arg("rows"), nb::arg("bytes"));
}

}  // namespace uzushio::python
