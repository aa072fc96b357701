#include "html/main_content/content_marker.h"

#include "html/main_content/justext.h"
#include "html/main_content/main_content.h"
#include "html/main_content/model.h"

namespace uzushio {

std::string NameOf(ContentMethod method) {
  switch (method) {
    case ContentMethod::kNone:
      return "";
    case ContentMethod::kModel:
      return "model " + std::to_string(MainContentModel::Get().digest);
    case ContentMethod::kJustext:
      return "justext";
  }
  return "";
}

std::unique_ptr<ContentMarker> MakeContentMarker(ContentMethod method) {
  switch (method) {
    case ContentMethod::kNone:
      break;
    case ContentMethod::kModel:
      return std::make_unique<MainContent>();
    case ContentMethod::kJustext:
      return std::make_unique<Justext>();
  }
  return nullptr;
}

}  // namespace uzushio
