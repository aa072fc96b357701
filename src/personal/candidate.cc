#include "personal/candidate.h"

#include <array>

namespace uzushio {
namespace {

constexpr auto kProducts =
    std::to_array<std::string_view>({"型番",      "品番",     "型式",     "形式",     "商品コード", "製品コード",
                                     "製品番号",  "商品番号", "注文番号", "部品番号", "図書番号",   "管理番号",
                                     "伝票番号",  "整理番号", "受付番号", "会員番号", "isbn",       "issn",
                                     "isbn-10",   "isbn-13",  "isbn10",   "isbn13",   "jan",        "jan コード",
                                     "janコード", "asin",     "doi",      "sku",      "part no",    "特許第",
                                     "特開",      "特願",     "請求記号", "学籍番号", "シリアル",   "シリアルナンバー",
                                     "ロット"});

}  // namespace

bool Candidate::BeginsNumber() const {
  const char c = before();
  if (IsAsciiLetter(c) || IsAsciiDigit(c)) return false;
  switch (c) {
    case '_':
    case '.':
    case '-':
    case '+':
    case '$':
    case '#':
    case '%':
    case '\\':
    case '^':
    case '~':
      return false;
    case ':':
    case '/':  // of a path or a time
    case ',':
    case '=':
    case '&':
    case '?':
      return !IsAsciiLetter(before_that()) && !IsAsciiDigit(before_that()) && before_that() != '/';
    default:
      return true;
  }
}

bool Candidate::IsProduct() const { return behind().EndsWith(kProducts); }

}  // namespace uzushio
