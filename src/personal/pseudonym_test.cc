#include "personal/pseudonym.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace uzushio {
namespace {

TEST(Pseudonyms, AreHmacSha256) {
  // Python: hmac.new(b"0123456789abcdef", b"PHONE:0312345678", "sha256").hexdigest()[:16]
  std::string text;
  Pseudonyms("0123456789abcdef").Append(PersonalKind::kTelephone, "03-1234-5678", &text);
  EXPECT_EQ(text, "<PHONE:7df3fbabaf5f6318>");
}

TEST(Pseudonyms, AreOfTheValueHoweverWritten) {
  EXPECT_EQ(PlainForm(PersonalKind::kTelephone, "０３（１２３４）５６７８"), "0312345678");
  EXPECT_EQ(PlainForm(PersonalKind::kTelephone, "+81-3-1234-5678"), "0312345678");
  EXPECT_EQ(PlainForm(PersonalKind::kTelephone, "+81-(0)3-1234-5678"), "0312345678");
  EXPECT_EQ(PlainForm(PersonalKind::kTelephone, "+1 617 542 5942"), "+16175425942");
  EXPECT_EQ(PlainForm(PersonalKind::kEmail, "Taro＠Uzushio.jp"), "taro@uzushio.jp");
  EXPECT_EQ(PlainForm(PersonalKind::kEmail, "taro (at) uzushio.jp"), "taro@uzushio.jp");
  for (const char* const value : {"taro (at) uzushio (dot) jp", "Taro（AT）uzushio（dot）jp", "taro[at]uzushio[DOT]jp",
                                  "taro --at-- uzushio.jp", "taro_AT_uzushio.jp"}) {
    EXPECT_EQ(PlainForm(PersonalKind::kEmail, value), "taro@uzushio.jp");
  }
  EXPECT_EQ(PlainForm(PersonalKind::kEmail, "a_AT_b--at--c@uzushio.jp"), "a_at_b--at--c@uzushio.jp");
  EXPECT_EQ(PlainForm(PersonalKind::kLicensePlate, "品川 ３００ さ 12-34"), "品川300さ12-34");
}

TEST(Pseudonyms, KeysAreFilesOfSomeLength) {
  const std::string path = testing::TempDir() + "/key";
  EXPECT_FALSE(Pseudonyms::Read(path + "-none").ok());
  std::ofstream(path) << "short\n";
  EXPECT_NE(Pseudonyms::Read(path).status().message().find("has 5 bytes"), std::string::npos);
  std::ofstream(path) << "0123456789abcdef\r\n";
  EXPECT_EQ(Pseudonyms::Read(path).ValueOrDie()->Fingerprint(), Pseudonyms("0123456789abcdef").Fingerprint());
  EXPECT_NE(Pseudonyms("0123456789abcdeg").Fingerprint(), Pseudonyms("0123456789abcdef").Fingerprint());
  std::remove(path.c_str());
}

}  // namespace
}  // namespace uzushio
