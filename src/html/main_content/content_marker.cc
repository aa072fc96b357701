#include "html/main_content/content_marker.h"

#include "html/main_content/justext.h"
#include "html/main_content/main_content.h"

namespace uzushio {

std::string_view NameOf(ContentMethod method) {
  switch (method) {
    case ContentMethod::kNone:
      return "";
    case ContentMethod::kModel:
      return "model";
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
