#include "html/license_gate.h"

#include <string_view>

#include "document/licenses.h"
#include "html/license_names.h"
#include "html/tag_scan.h"

namespace uzushio {
namespace {

std::string_view ValueOfToken(const lxb_html_token_attr_t* attribute) {
  if (attribute->value_begin == nullptr || attribute->value == nullptr) return {};
  return {reinterpret_cast<const char*>(attribute->value), attribute->value_size};
}

}  // namespace

void LicenseGate::SeeLink(const lxb_html_token_t* token) {
  for (const lxb_html_token_attr_t* attribute = token->attr_first; attribute != nullptr; attribute = attribute->next) {
    if (attribute->name == nullptr) continue;
    const lxb_dom_attr_id_t id = attribute->name->attr_id;
    if (id == LXB_DOM_ATTR_HREF) {
      is_open_ |= FamilyOfUrl(TrimMarkup(ValueOfToken(attribute))) != LicenseFamily::kNone;
    } else if (id == LXB_DOM_ATTR_REL) {
      is_open_ |= IsLicenseRel(ValueOfToken(attribute));
    }
  }
}

void LicenseGate::SeeMeta(const lxb_html_token_t* token) {
  for (const lxb_html_token_attr_t* attribute = token->attr_first; attribute != nullptr; attribute = attribute->next) {
    is_open_ |= KindOfMeta(ValueOfToken(attribute)) != LicenseMeta::kNone;
  }
}

void LicenseGate::SeeScript(const lxb_html_token_t* token) {
  in_linked_data_ = false;
  for (const lxb_html_token_attr_t* attribute = token->attr_first; attribute != nullptr; attribute = attribute->next) {
    if (attribute->name == nullptr || attribute->name->attr_id != LXB_DOM_ATTR_TYPE) continue;
    in_linked_data_ = ValueOfToken(attribute).starts_with(kLinkedDataType);
  }
}

void LicenseGate::SeeLinkedData(const lxb_html_token_t* token) {
  const auto* const text = reinterpret_cast<const char*>(token->text_start);
  is_open_ |= MayNameLicense({text, static_cast<size_t>(token->text_end - token->text_start)});
}

}  // namespace uzushio
