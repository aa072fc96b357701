#include "stages/report/funnel.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/json.h"

namespace uzushio {
namespace {

constexpr const char* kUnits[] = {"records", "documents", "paragraphs", "characters", "bytes"};

class Funnel {
 public:
  Funnel(const ReportOutput& output, size_t stage, nlohmann::json* rows)
      : output_(output), stage_(stage), rows_(*rows) {}

  arrow::Status Add() {
    if (output_.stage == "extract") return AddExtract();
    if (output_.stage == "filter" || output_.stage == "clean") return AddFilter();
    if (output_.stage == "minhash") return AddMinHash();
    return arrow::Status::OK();
  }

 private:
  nlohmann::json& Row(const std::string& label, const char* kind) {
    rows_.push_back({{"label", label}, {"stage", stage_}, {"kind", kind}});
    for (const char* unit : kUnits) rows_.back()[unit] = nullptr;
    return rows_.back();
  }

  // The sum of counts by reason.
  arrow::Result<int64_t> SumOf(const char* name) const {
    int64_t sum = 0;
    const nlohmann::json& counts = MemberOf(output_.counts(), name);
    if (!counts.is_object()) return output_.Damaged(std::string("no '") + name + "'");
    for (const auto& [reason, count] : counts.items()) {
      ARROW_ASSIGN_OR_RAISE(const int64_t one, output_.Number(counts, reason.c_str()));
      sum += one;
    }
    return sum;
  }

  // Sets units of a row from counts: unit, and what it is called there.
  arrow::Status Set(nlohmann::json* row, const nlohmann::json& counts,
                    std::initializer_list<std::pair<const char*, const char*>> units) const {
    for (const auto& [unit, name] : units) {
      ARROW_ASSIGN_OR_RAISE((*row)[unit], output_.Number(counts, name));
    }
    if (!counts.contains("characters")) return arrow::Status::OK();  // as of earlier versions, and of minhash
    ARROW_ASSIGN_OR_RAISE((*row)["characters"], output_.Number(counts, "characters"));
    return arrow::Status::OK();
  }

  arrow::Status AddQuarantined(const char* unit) {
    ARROW_ASSIGN_OR_RAISE(const int64_t count, SumOf("quarantined"));
    if (count > 0) Row("quarantined", "rejected")[unit] = count;
    return arrow::Status::OK();
  }

  // The same of documents that were read; their row counts them, too.
  arrow::Status AddQuarantinedOf(nlohmann::json* input) {
    ARROW_ASSIGN_OR_RAISE(const int64_t count, SumOf("quarantined"));
    (*input)["documents"] = (*input)["documents"].get<int64_t>() + count;
    return AddQuarantined("documents");
  }

  arrow::Status AddExtract() {
    const nlohmann::json& counts = output_.counts();
    nlohmann::json& records = Row("WARC records", "input");
    ARROW_ASSIGN_OR_RAISE(records["records"], output_.Number(counts, "records"));
    ARROW_RETURN_NOT_OK(SumOf("rejected"));
    const nlohmann::json& rejected = counts["rejected"];
    std::vector<std::pair<int64_t, std::string>> reasons;  // the most frequent first
    for (const auto& [reason, count] : rejected.items()) reasons.emplace_back(-count.get<int64_t>(), reason);
    std::ranges::sort(reasons);
    for (const auto& [count, reason] : reasons) Row(reason, "rejected")["records"] = -count;
    ARROW_RETURN_NOT_OK(AddQuarantined("records"));
    // Bytes are those of the markup, too.
    return Set(&Row("documents", "output"), counts, {{"documents", "documents"}, {"paragraphs", "paragraphs"}});
  }

  arrow::Status SetTexts(nlohmann::json* row, const nlohmann::json& counts) const {
    return Set(row, counts, {{"documents", "documents"}, {"paragraphs", "paragraphs"}, {"bytes", "text_bytes"}});
  }

  arrow::Status AddFilter() {
    const nlohmann::json& counts = output_.counts();
    nlohmann::json& input = Row("documents", "input");
    ARROW_RETURN_NOT_OK(SetTexts(&input, MemberOf(counts, "input")));
    ARROW_RETURN_NOT_OK(AddQuarantinedOf(&input));
    const nlohmann::json& removed = MemberOf(counts, "removed");
    if (!removed.is_array()) return output_.Damaged("no list 'removed'");
    for (const nlohmann::json& one : removed) ARROW_RETURN_NOT_OK(AddRemoved(one));
    const nlohmann::json& empty = MemberOf(counts, "empty");
    ARROW_ASSIGN_OR_RAISE(const int64_t empty_ones, output_.Number(empty, "documents"));
    if (empty_ones > 0) ARROW_RETURN_NOT_OK(SetTexts(&Row("empty", "removed"), empty));
    return SetTexts(&Row("passed", "output"), MemberOf(counts, "passed"));
  }

  // What was removed for one reason; nothing where that is nothing.
  arrow::Status AddRemoved(const nlohmann::json& removed) {
    ARROW_ASSIGN_OR_RAISE(const int64_t documents, output_.Number(removed, "documents"));
    ARROW_ASSIGN_OR_RAISE(const int64_t paragraphs, output_.Number(removed, "paragraphs"));
    if (documents == 0 && paragraphs == 0) return arrow::Status::OK();
    const nlohmann::json& reason = MemberOf(removed, "reason");
    ARROW_ASSIGN_OR_RAISE(const int64_t step, output_.Number(removed, "step"));
    const nlohmann::json& filters = MemberOf(output_.configuration(), "filters");
    if (!reason.is_string() || !filters.is_array() || static_cast<size_t>(step) >= filters.size()) {
      return output_.Damaged("a reason of no filter");
    }
    nlohmann::json& row = Row(reason.get<std::string>(), "removed");
    row["step"] = step;
    row["class"] = MemberOf(filters[static_cast<size_t>(step)], "class");
    return SetTexts(&row, removed);
  }

  arrow::Status AddMinHash() {
    const nlohmann::json& counts = output_.counts();
    if (!counts.contains("kept")) return arrow::Status::OK();  // an index alone was made
    nlohmann::json& input = Row("documents", "input");
    ARROW_RETURN_NOT_OK(Set(&input, counts, {{"documents", "documents"}, {"bytes", "text_bytes"}}));
    ARROW_RETURN_NOT_OK(AddQuarantinedOf(&input));
    const auto number_of = [&](const char* name) -> arrow::Result<int64_t> {
      return counts.contains(name) ? output_.Number(counts, name) : 0;
    };
    ARROW_ASSIGN_OR_RAISE(const int64_t duplicates, output_.Number(counts, "duplicates"));
    ARROW_ASSIGN_OR_RAISE(const int64_t older, number_of("older_captures"));
    ARROW_ASSIGN_OR_RAISE(const int64_t contained, number_of("contained"));
    if (duplicates < older + contained) return output_.Damaged("fewer 'duplicates' than of two of their reasons");
    if (counts.contains("older_captures")) Row("older_captures", "removed")["documents"] = older;
    Row("duplicates", "removed")["documents"] = duplicates - older - contained;
    if (counts.contains("contained")) Row("contained", "removed")["documents"] = contained;
    return Set(&Row("kept", "output"), counts, {{"documents", "kept"}});
  }

  const ReportOutput& output_;
  size_t stage_;
  nlohmann::json& rows_;
};

}  // namespace

arrow::Result<nlohmann::json> FunnelOf(const std::vector<ReportOutput>& outputs) {
  nlohmann::json rows = nlohmann::json::array();
  for (size_t i = 0; i < outputs.size(); ++i) ARROW_RETURN_NOT_OK(Funnel(outputs[i], i, &rows).Add());
  return rows;
}

}  // namespace uzushio
