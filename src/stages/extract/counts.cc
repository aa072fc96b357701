#include "stages/extract/counts.h"

#include <utility>
#include <vector>

namespace uzushio {

void ExtractCounts::Add(const ExtractCounts& other) {
  records += other.records;
  documents += other.documents;
  paragraphs += other.paragraphs;
  rejected.Add(other.rejected);
  quarantined.Add(other.quarantined);
  languages.Add(other.languages);
  damaged.Add(other.damaged);
  replaced += other.replaced;
  file_bytes += other.file_bytes;
  decoded_bytes += other.decoded_bytes;
  text_bytes += other.text_bytes;
  characters = characters && other.characters ? std::optional(*characters + *other.characters) : std::nullopt;
  if (other.requests) requests = requests.value_or(0) + *other.requests;
  if (other.body_bytes) body_bytes = body_bytes.value_or(0) + *other.body_bytes;
}

nlohmann::json ExtractCounts::ToJson() const {
  nlohmann::json json = {{"records", records},
                         {"documents", documents},
                         {"paragraphs", paragraphs},
                         {"rejected", rejected.counts()},
                         {"quarantined", quarantined.counts()},
                         {"languages", languages.counts()},
                         {"damaged", damaged.counts()},
                         {"replaced_characters", replaced},
                         {"file_bytes", file_bytes},
                         {"decoded_bytes", decoded_bytes},
                         {"text_bytes", text_bytes}};
  if (characters) json["characters"] = *characters;
  if (requests) json["requests"] = *requests;
  if (body_bytes) json["body_bytes"] = *body_bytes;
  return json;
}

arrow::Result<ExtractCounts> ExtractCounts::FromJson(const nlohmann::json& json) {
  ExtractCounts counts;
  const std::pair<const char*, int64_t*> numbers[] = {
      {"records", &counts.records},       {"documents", &counts.documents},   {"paragraphs", &counts.paragraphs},
      {"file_bytes", &counts.file_bytes}, {"text_bytes", &counts.text_bytes}, {"decoded_bytes", &counts.decoded_bytes}};
  std::vector<std::pair<const char*, Counters*>> groups = {
      {"rejected", &counts.rejected}, {"quarantined", &counts.quarantined}, {"languages", &counts.languages}};
  try {
    for (const auto& [name, number] : numbers) *number = json.at(name).get<int64_t>();
    counts.characters.reset();
    if (json.contains("characters")) counts.characters = json.at("characters").get<int64_t>();
    counts.replaced = json.value("replaced_characters", int64_t{0});
    if (json.contains("damaged")) groups.emplace_back("damaged", &counts.damaged);
    if (json.contains("requests")) counts.requests = json.at("requests").get<int64_t>();
    if (json.contains("body_bytes")) counts.body_bytes = json.at("body_bytes").get<int64_t>();
    for (const auto& [name, counters] : groups) {
      for (const auto& [reason, count] : json.at(name).items()) counters->Add(reason, count.get<int64_t>());
    }
  } catch (const nlohmann::json::exception& error) {
    return arrow::Status::Invalid("damaged counts of an earlier run: ", error.what());
  }
  return counts;
}

}  // namespace uzushio
