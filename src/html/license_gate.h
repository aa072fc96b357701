// Tells pages that may name a licence from all others while they are parsed, so that few are read for it.
#pragma once

#include <lexbor/html/html.h>

namespace uzushio {

class LicenseGate {
 public:
  void Begin() { *this = {}; }
  // Each token of the page, with the attributes that are read (html/read_attributes.h).
  void See(const lxb_html_token_t* token) {
    switch (token->tag_id) {
      case LXB_TAG__TEXT:
        if (in_linked_data_) SeeLinkedData(token);
        return;
      case LXB_TAG_A:
      case LXB_TAG_AREA:
      case LXB_TAG_LINK:
        if (!is_open_) SeeLink(token);
        return;
      case LXB_TAG_META:
        if (!is_open_) SeeMeta(token);
        return;
      case LXB_TAG_SCRIPT:
        SeeScript(token);
        return;
      default:
        return;
    }
  }
  // Whether one of them may name a licence as html/page_rights.h reads them. It is not always so, but never missed.
  bool is_open() const { return is_open_; }

 private:
  void SeeLinkedData(const lxb_html_token_t* token);
  void SeeLink(const lxb_html_token_t* token);
  void SeeMeta(const lxb_html_token_t* token);
  void SeeScript(const lxb_html_token_t* token);

  bool is_open_ = false;
  bool in_linked_data_ = false;
};

}  // namespace uzushio
