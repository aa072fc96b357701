#include "filters/declaration.h"

#include <map>
#include <mutex>
#include <utility>

#include "base/file_stamp.h"
#include "storage/hashed_file.h"

namespace uzushio {
namespace {

// The checksum of a file, which is read once: chains are made again for every part of a run.
arrow::Result<std::string> KnownChecksum(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::pair<std::string, std::string>> known;  // by path, its stamp and checksum
  const std::lock_guard lock(mutex);
  const std::string stamp = FileStamp(path);
  auto& [of, checksum] = known[path];
  if (of != stamp || checksum.empty()) {
    ARROW_ASSIGN_OR_RAISE(checksum, ChecksumOfFile(path));
    of = stamp;
  }
  return checksum;
}

}  // namespace

DeclarationBuilder::DeclarationBuilder(std::string_view name, std::string_view kind, std::string_view summary) {
  declaration_.name = name;
  declaration_.kind = kind;
  declaration_.summary = summary;
}

DeclarationBuilder::~DeclarationBuilder() = default;

void DeclarationBuilder::SetMetric(std::string_view name, std::string_view help) {
  declaration_.metrics = {{std::string(name), std::string(help)}};
  declaration_.metric = name;
  declaration_.metric_help = help;
}

void DeclarationBuilder::SetMetrics(std::vector<DeclaredMetric> metrics) { declaration_.metrics = std::move(metrics); }

void DeclarationBuilder::SetBounded() { declaration_.bounded = true; }

FilterParameter& DeclarationBuilder::Add(std::string_view name, FilterParameter::Type type, std::string_view help,
                                         Setter<const ParameterValue&> set) {
  FilterParameter& parameter = declaration_.parameters.emplace_back();
  parameter.name = name;
  parameter.type = type;
  parameter.help = help;
  setters_.push_back(std::move(set));
  return parameter;
}

void DeclarationBuilder::AddInt(std::string_view name, int64_t default_value, int64_t least, int64_t most,
                                std::string_view help, Setter<int64_t> set) {
  FilterParameter& parameter = Add(
      name, FilterParameter::Type::kInt, help,
      [set = std::move(set)](Filter* filter, const ParameterValue& value) { set(filter, std::get<int64_t>(value)); });
  parameter.default_value = default_value;
  parameter.least = static_cast<double>(least);
  parameter.most = static_cast<double>(most);
}

void DeclarationBuilder::AddFloat(std::string_view name, double default_value, double least, double most,
                                  std::string_view help, Setter<double> set) {
  FilterParameter& parameter = Add(
      name, FilterParameter::Type::kFloat, help,
      [set = std::move(set)](Filter* filter, const ParameterValue& value) { set(filter, std::get<double>(value)); });
  parameter.default_value = default_value;
  parameter.least = least;
  parameter.most = most;
}

void DeclarationBuilder::AddText(std::string_view name, const std::string* default_value, std::string_view help,
                                 Texts choices, Setter<const std::string&> set) {
  FilterParameter& parameter = Add(name, FilterParameter::Type::kText, help,
                                   [set = std::move(set)](Filter* filter, const ParameterValue& value) {
                                     set(filter, std::get<std::string>(value));
                                   });
  if (default_value != nullptr) parameter.default_value = *default_value;
  parameter.choices = std::move(choices);
}

void DeclarationBuilder::AddTexts(std::string_view name, const Texts* default_value, std::string_view help,
                                  Setter<const Texts&> set) {
  FilterParameter& parameter =
      Add(name, FilterParameter::Type::kTexts, help,
          [set = std::move(set)](Filter* filter, const ParameterValue& value) { set(filter, std::get<Texts>(value)); });
  if (default_value != nullptr) parameter.default_value = *default_value;
}

void DeclarationBuilder::AddFlag(std::string_view name, bool default_value, std::string_view help, Setter<bool> set) {
  const std::string text = default_value ? "true" : "false";
  AddText(name, &text, help, {"false", "true"},
          [set = std::move(set)](Filter* filter, const std::string& value) { set(filter, value == "true"); });
}

void DeclarationBuilder::LetLastBeEmpty() { declaration_.parameters.back().may_be_empty = true; }

void DeclarationBuilder::LetLastBeFile() { declaration_.parameters.back().is_file = true; }

arrow::Status DeclarationBuilder::TakeContents(const std::vector<ParameterValue>& values,
                                               const std::vector<size_t>& files, Filter* filter) {
  std::string& contents = filter->contents_of_files_;
  for (const size_t file : files) {
    const Texts* texts = std::get_if<Texts>(&values[file]);
    for (const std::string& path : texts != nullptr ? *texts : Texts{std::get<std::string>(values[file])}) {
      std::string checksum;  // of a name that is not given, none
      if (!path.empty()) {
        ARROW_ASSIGN_OR_RAISE(checksum, KnownChecksum(path));
      }
      contents += (contents.empty() ? "" : " ") + (checksum.empty() ? "-" : checksum);
    }
  }
  return arrow::Status::OK();
}

FilterDeclaration DeclarationBuilder::Finish(std::unique_ptr<Filter> (*make)(),
                                             arrow::Status (*prepare)(Filter*, int64_t memory), bool says_contents) {
  std::vector<size_t> files;
  for (size_t i = 0; i < declaration_.parameters.size() && !says_contents; ++i) {
    if (declaration_.parameters[i].is_file) files.push_back(i);
  }
  declaration_.make = [make, prepare, setters = setters_, files = std::move(files)](
                          const std::vector<ParameterValue>& values,
                          int64_t memory) -> arrow::Result<std::unique_ptr<Filter>> {
    std::unique_ptr<Filter> filter = make();
    for (size_t i = 0; i < setters.size(); ++i) setters[i](filter.get(), values[i]);
    ARROW_RETURN_NOT_OK(prepare(filter.get(), memory));
    ARROW_RETURN_NOT_OK(TakeContents(values, files, filter.get()));
    return filter;
  };
  return std::move(declaration_);
}

}  // namespace uzushio
