#include "html/content_marker.h"

#include "html/justext.h"

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

arrow::Result<std::unique_ptr<ContentMarker>> MakeContentMarker(ContentMethod method) {
  switch (method) {
    case ContentMethod::kNone:
      break;
    case ContentMethod::kModel:
      return arrow::Status::NotImplemented("--main-content model: this build has no model; use --main-content justext");
    case ContentMethod::kJustext:
      return std::make_unique<Justext>();
  }
  return nullptr;
}

}  // namespace uzushio
