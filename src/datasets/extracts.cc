#include "datasets/extracts.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/table.h>
#include <parquet/arrow/writer.h>
#include <parquet/metadata.h>

#include "datasets/columns.h"
#include "datasets/file_properties.h"
#include "datasets/parquet_file.h"

namespace uzushio {
namespace {

std::shared_ptr<arrow::DataType> ParagraphType() {
  return arrow::struct_({arrow::field("path", arrow::utf8(), false), arrow::field("text", arrow::utf8(), false),
                         arrow::field("removedBy", arrow::int32())});
}

std::shared_ptr<arrow::Schema> ExtractsSchema() {
  return arrow::schema({arrow::field("docId", arrow::utf8(), false), arrow::field("url", arrow::utf8(), false),
                        arrow::field("title", arrow::utf8()), arrow::field("cut", arrow::boolean(), false),
                        arrow::field("paragraphs", arrow::list(ParagraphType()), false)});
}

arrow::Result<std::shared_ptr<arrow::Array>> ParagraphsOf(const std::vector<Extract>& extracts) {
  const auto paths = std::make_shared<arrow::StringBuilder>();
  const auto texts = std::make_shared<arrow::StringBuilder>();
  const auto removed_by = std::make_shared<arrow::Int32Builder>();
  const auto paragraphs = std::make_shared<arrow::StructBuilder>(
      ParagraphType(), arrow::default_memory_pool(),
      std::vector<std::shared_ptr<arrow::ArrayBuilder>>{paths, texts, removed_by});
  arrow::ListBuilder lists(arrow::default_memory_pool(), paragraphs);
  for (const Extract& extract : extracts) {
    ARROW_RETURN_NOT_OK(lists.Append());
    for (const Extract::Paragraph& paragraph : extract.paragraphs) {
      ARROW_RETURN_NOT_OK(paragraphs->Append());
      ARROW_RETURN_NOT_OK(paths->Append(paragraph.path));
      ARROW_RETURN_NOT_OK(texts->Append(paragraph.text));
      ARROW_RETURN_NOT_OK(paragraph.removed_by ? removed_by->Append(*paragraph.removed_by) : removed_by->AppendNull());
    }
  }
  return lists.Finish();
}

void TakeRow(const arrow::RecordBatch& batch, int64_t row, std::vector<Extract>* extracts) {
  const auto text = [](const arrow::Array& array, int64_t at) {
    return std::string(static_cast<const arrow::StringArray&>(array).GetView(at));
  };
  Extract& extract = extracts->emplace_back();
  extract.doc_id = text(*batch.column(0), row);
  extract.url = text(*batch.column(1), row);
  if (batch.column(2)->IsValid(row)) extract.title = text(*batch.column(2), row);
  extract.cut = static_cast<const arrow::BooleanArray&>(*batch.column(3)).Value(row);
  const auto& lists = static_cast<const arrow::ListArray&>(*batch.column(4));
  const auto& paragraphs = static_cast<const arrow::StructArray&>(*lists.values());
  const auto& removed_by = static_cast<const arrow::Int32Array&>(*paragraphs.field(2));
  for (int64_t i = lists.value_offset(row); i < lists.value_offset(row + 1); ++i) {
    Extract::Paragraph& paragraph = extract.paragraphs.emplace_back();
    paragraph.path = text(*paragraphs.field(0), i);
    paragraph.text = text(*paragraphs.field(1), i);
    if (removed_by.IsValid(i)) paragraph.removed_by = removed_by.Value(i);
  }
}

}  // namespace

arrow::Result<WrittenFile> WriteExtracts(const std::filesystem::path& folder, const std::vector<Extract>& extracts) {
  arrow::StringBuilder ids;
  arrow::StringBuilder urls;
  arrow::StringBuilder titles;
  arrow::BooleanBuilder cuts;
  for (const Extract& extract : extracts) {
    ARROW_RETURN_NOT_OK(ids.Append(extract.doc_id));
    ARROW_RETURN_NOT_OK(urls.Append(extract.url));
    ARROW_RETURN_NOT_OK(extract.title ? titles.Append(*extract.title) : titles.AppendNull());
    ARROW_RETURN_NOT_OK(cuts.Append(extract.cut));
  }
  arrow::ArrayVector columns(5);
  ARROW_RETURN_NOT_OK(ids.Finish(&columns[0]));
  ARROW_RETURN_NOT_OK(urls.Finish(&columns[1]));
  ARROW_RETURN_NOT_OK(titles.Finish(&columns[2]));
  ARROW_RETURN_NOT_OK(cuts.Finish(&columns[3]));
  ARROW_ASSIGN_OR_RAISE(columns[4], ParagraphsOf(extracts));
  const auto rows = static_cast<int64_t>(extracts.size());
  const auto table = arrow::Table::Make(ExtractsSchema(), columns, rows);
  ARROW_ASSIGN_OR_RAISE(const auto file, HashedFile::Create(folder / kExtractsFile.path));
  ARROW_RETURN_NOT_OK(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file,
                                                 static_cast<int64_t>(kMostExtracts), FileProperties().build()));
  ARROW_RETURN_NOT_OK(file->Close());
  return file->Written(kExtractsFile.path, rows);
}

arrow::Result<std::vector<Extract>> ReadExtracts(const InputFile& file) {
  ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(file));
  const auto refuse = [&file] {
    return arrow::Status::Invalid(file.name, ": is no sample of uzushio metrics; compute the metrics anew");
  };
  if (metadata->num_rows() > static_cast<int64_t>(kMostExtracts)) return refuse();
  std::vector<Extract> extracts;
  for (int group = 0; group < metadata->num_row_groups(); ++group) {
    ARROW_RETURN_NOT_OK(ReadRowGroup(file, metadata, group, {}, [&](const arrow::RecordBatch& batch) -> arrow::Status {
      if (!batch.schema()->Equals(*ExtractsSchema(), false) || !batch.Validate().ok()) return refuse();
      for (int64_t row = 0; row < batch.num_rows(); ++row) TakeRow(batch, row, &extracts);
      return arrow::Status::OK();
    }));
  }
  return extracts;
}

}  // namespace uzushio
