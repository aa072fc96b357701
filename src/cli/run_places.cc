#include "cli/run_places.h"

#include <fmt/format.h>

#include <set>

#include "storage/nearest_folder.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

arrow::Result<std::optional<fs::path>> PlaceOf(const std::string& named) {
  if (named.empty()) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(fs::path place, OneNameOf(named));
  return place;
}

// What a step is to do instead of naming a path below the output of another, or of itself.
std::string AdviceFor(const PipelineFile& file, size_t step, const NamedPath& path, size_t other,
                      const std::string& below) {
  const size_t stage = file.steps()[step].stage;
  const size_t writing = file.steps()[other].stage;
  const std::string& name = file.stages()[writing].name;
  if (path.is_of_chain) {
    return fmt::format(
        "of the stage '{}', and chains are read before any stage is run; make it by another pipeline, "
        "with another --output",
        name);
  }
  if (writing < stage) return fmt::format("of a stage before it; write \"@{}{}\"", name, below);
  if (writing > stage) {
    return fmt::format("of the stage '{0}' behind it; put this stage behind that one, and write \"@{0}{1}\"", name,
                       below);
  }
  return fmt::format("of {}, which is of the same stage and may run beside it; make a stage of its own of one of them",
                     file.steps()[other].folder);
}

}  // namespace

arrow::Result<StepPlaces> StepPlaces::Of(const PipelineFile& file, const fs::path& output) {
  StepPlaces places;
  for (size_t i = 0; i < file.steps().size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(fs::path place, OneNameOf((output / file.steps()[i].folder).string()));
    places.steps_.emplace(std::move(place), i);
  }
  return places;
}

std::optional<StepPlaces::Found> StepPlaces::Find(const fs::path& path) const {
  const auto found = FindNearestFolder(steps_, path);
  if (found == steps_.end()) return std::nullopt;
  return Found{found->second, found->first == path ? "" : "/" + path.lexically_relative(found->first).string()};
}

arrow::Status StepPlaces::CheckPath(const PipelineFile& file, size_t step, const NamedPath& path) const {
  ARROW_ASSIGN_OR_RAISE(const auto place, PlaceOf(path.text));
  const auto found = place ? Find(*place) : std::nullopt;
  if (!found || (found->step == step && !path.is_of_chain)) return arrow::Status::OK();
  return arrow::Status::Invalid(file.stages()[file.steps()[step].stage].place, ".", path.key, ": '",
                                WithoutCredentials(path.text), "' is in the output ",
                                AdviceFor(file, step, path, found->step, found->below));
}

arrow::Status StepPlaces::CheckFiles(const PipelineFile& file, size_t step, const std::string& key,
                                     const std::vector<InputFile>& files) const {
  const auto& sources = file.steps()[step].sources;
  const std::set<size_t> named(sources.begin(), sources.end());
  for (const InputFile& input : files) {
    const std::string name = IsOfLocalFiles(*input.filesystem) ? NameOfPath(input.path) : input.name;
    ARROW_ASSIGN_OR_RAISE(const fs::path place, OneNameOf(name));
    const auto found = Find(place);
    if (!found || named.contains(found->step)) continue;
    ARROW_RETURN_NOT_OK(CheckPath(file, step, {key, name, false}));
  }
  return arrow::Status::OK();
}

arrow::Result<bool> StepPlaces::MayMatch(const std::string& pattern) const {
  ARROW_ASSIGN_OR_RAISE(const auto above, PlaceOf(BeforeWildcards(PathOfName(pattern))));
  const auto next = above ? steps_.lower_bound(*above) : steps_.end();
  return next != steps_.end() && IsIn(next->first, *above);
}

}  // namespace uzushio
