#include "stages/minhash/texts.h"

namespace uzushio {

arrow::Result<std::unique_ptr<DocumentTexts>> DocumentTexts::Create(SpillSpace* space) {
  std::unique_ptr<DocumentTexts> texts(new DocumentTexts());
  texts->space_ = space;
  ARROW_ASSIGN_OR_RAISE(texts->texts_, space->NewFile());
  ARROW_ASSIGN_OR_RAISE(texts->places_, space->NewFile());
  return texts;
}

arrow::Status DocumentTexts::Write(uint64_t number, std::string_view text) {
  const Place place = {texts_->Extend(text.size()), text.size()};
  space_->Count(static_cast<int64_t>(text.size() + sizeof place));
  ARROW_RETURN_NOT_OK(texts_->Write(place.offset, text));
  return places_->Write(static_cast<int64_t>(number * sizeof place),
                        {reinterpret_cast<const char*>(&place), sizeof place});
}

arrow::Status DocumentTexts::Read(uint64_t number, std::string* text) const {
  Place place;
  ARROW_RETURN_NOT_OK(
      places_->Read(static_cast<int64_t>(number * sizeof place), {reinterpret_cast<char*>(&place), sizeof place}));
  text->resize(place.bytes);
  return texts_->Read(place.offset, *text);
}

}  // namespace uzushio
