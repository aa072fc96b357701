#include "personal/find.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace uzushio {
namespace {

// The text with `[kind value]` for what is found.
std::string Shown(std::string_view text) {
  std::vector<PersonalSpan> spans;
  FindPersonalData(text, PersonalKindSet().set(), &spans);
  std::string shown;
  size_t at = 0;
  for (const PersonalSpan& span : spans) {
    shown.append(text, at, span.begin - at);
    shown += '[';
    shown += NameOf(span.kind).name;
    shown += ' ';
    shown.append(text, span.begin, span.end - span.begin);
    shown += ']';
    at = span.end;
  }
  return shown.append(text, at);
}

void ExpectStays(std::string_view text) { EXPECT_EQ(Shown(text), text); }

void ExpectWhole(std::string_view kind, std::string_view value) {
  EXPECT_EQ(Shown(std::string("前は ") + std::string(value) + " 後"),
            "前は [" + std::string(kind) + " " + std::string(value) + "] 後");
}

TEST(PersonalData, Emails) {
  for (const char* const value : {"taro.yamada@uzushio.co.jp", "t_y+x-1@mail.uzushio.com",
                                  "ｔａｒｏ＠ｕｚｕｓｈｉｏ．ｃｏ．ｊｐ", "taro＠uzushio.ne.jp", "taro(at)uzushio.jp",
                                  "taro [at] uzushio.jp", "taro（at）uzushio.jp", "TARO@UZUSHIO.JP", "a@b.xn--p1ai"}) {
    ExpectWhole("email", value);
  }
  EXPECT_EQ(Shown("宛先:taro@uzushio.jp。"), "宛先:[email taro@uzushio.jp]。");
  EXPECT_EQ(Shown("<mailto:taro@uzushio.jp>"), "<mailto:[email taro@uzushio.jp]>");
  EXPECT_EQ(Shown("メールはtaro@uzushio.jpまで"), "メールは[email taro@uzushio.jp]まで");
  EXPECT_EQ(Shown("to=taro@uzushio.jp. 次"), "to=[email taro@uzushio.jp]. 次");
  EXPECT_EQ(Shown("**taro@uzushio.jp**か*hanako@uzushio.jp*"),
            "**[email taro@uzushio.jp]**か*[email hanako@uzushio.jp]*");
  EXPECT_EQ(Shown("＊taro@uzushio.jp"), "＊[email taro@uzushio.jp]");
  for (const char* const before : {"ありがとう！", "お問合せ!", "お問合せ!!", "メール#", "＃", "＠"}) {
    EXPECT_EQ(Shown(std::string(before) + "taro@uzushio.jp"), std::string(before) + "[email taro@uzushio.jp]");
  }
  for (const std::string& behind : {std::string("---------"), std::string(80, '-'), std::string("- 営業時間"),
                                    std::string("-\n"), std::string("-営業時間"), std::string("-.")}) {
    EXPECT_EQ(Shown("info@city.uzushio.jp" + behind), "[email info@city.uzushio.jp]" + behind);
  }
  for (const char* const text : {"@taro さん",
                                 "a@b.jp-x",
                                 "a@b.jp--1",
                                 "*!user@host.uzushio.jp",
                                 "nick_!user@host.uzushio.jp",
                                 "user@example.com",
                                 "user@mail.example.co.jp",
                                 "git@github.com:me/it.git",
                                 "icon@2x.png",
                                 "ssh://me@host.uzushio.jp/x",
                                 "scp a me@host.uzushio.jp:/tmp",
                                 "npm i a@1.2.3",
                                 "a@b",
                                 "root@localhost",
                                 "taro.@uzushio.jp",
                                 "getty@tty1.service",
                                 "@taro@uzushio.jp",
                                 "#room@irc.uzushio.jp",
                                 "a!b@host.uzushio.jp",
                                 "ssh -A taro@host.uzushio.jp",
                                 "DD@HH.MM.XX",
                                 "chacha20-poly1305@openssh.com",
                                 "@",
                                 "a@.jp",
                                 "値段は@500.円"}) {
    ExpectStays(text);
  }
}

TEST(PersonalData, EmailsWithWordsForSigns) {
  for (const char* const value :
       {"eric-n --at-- is.uzushio.jp", "eric-n--AT--is.uzushio.jp", "taro (at) uzushio (dot) jp",
        "taro[at]mail[dot]uzushio[dot]jp", "taro（at）uzushio（dot）co（dot）jp", "taro_AT_uzushio.jp",
        "taro_yamada_AT_mail.uzushio.co.jp"}) {
    ExpectWhole("email", value);
  }
  EXPECT_EQ(Shown("taro (at) uzushio (dot) jp (東京)"), "[email taro (at) uzushio (dot) jp] (東京)");
  for (const char* const text :
       {"LOOK_AT_ME.JP", "STOP_AT_first.com", "stop_AT_First.com", "stop_AT_first.md", "created_at_uzushio.jp",
        "found_AT_index.py", "_AT_uzushio.jp", "run --at uzushio.jp", "run --at-- uzushio.sh", "run --at--",
        "taro@uzushio (dot) jp", "taro (at) example (dot) com", "taro (at) uzushio (dot) (dot) jp",
        "見る (at) 駅 (dot) 前", "f(at)", "a (dot) jp"}) {
    ExpectStays(text);
  }
}

TEST(PersonalData, Telephones) {
  for (const char* const value : {"03-1234-5678",
                                  "0422-51-5131",
                                  "04992-2-1234",
                                  "06(6123)4567",
                                  "(03)1234-5678",
                                  "（０３）１２３４－５６７８",
                                  "０４５ー１２３ー４５６７",
                                  "090-1234-5678",
                                  "09012345678",
                                  "080 1234 5678",
                                  "050-1234-5678",
                                  "0120-123-456",
                                  "0120-12-3456",
                                  "0120123456",
                                  "0800-123-4567",
                                  "0570-012-345",
                                  "+81-3-1234-5678",
                                  "+81 90 1234 5678",
                                  "+81-(0)3-1234-5678",
                                  "+819012345678",
                                  "＋81-3-1234-5678",
                                  "+1-617-542-5942",
                                  "03‐1234‐5678",
                                  "03−1234−5678",
                                  "03 - 1234 - 5678",
                                  "03.1234.5678",
                                  "03-12345678"}) {
    ExpectWhole("telephone", value);
  }
  EXPECT_EQ(Shown("TEL：0312345678"), "TEL：[telephone 0312345678]");
  EXPECT_EQ(Shown("電話番号は1234-5678です"), "電話番号は[telephone 1234-5678]です");
  EXPECT_EQ(Shown("TEL03-1234-5678"), "TEL[telephone 03-1234-5678]");
  EXPECT_EQ(Shown("ＴＥＬ／ＦＡＸ　０３－１２３４－５６７８"), "ＴＥＬ／ＦＡＸ　[telephone ０３－１２３４－５６７８]");
  EXPECT_EQ(Shown("Tel.03-1234-5678"), "Tel.[telephone 03-1234-5678]");
  EXPECT_EQ(Shown("03-1234-5678/03-1234-5679"), "[telephone 03-1234-5678]/[telephone 03-1234-5679]");
  EXPECT_EQ(Shown("03-1234-5678、5679"), "[telephone 03-1234-5678]、5679");
  for (const char* const text : {"0312-34-5678",
                                 "01-1234-5678",
                                 "2020-01-02",
                                 "03-1234-5678-9",
                                 "A03-1234-5678",
                                 "型番：045-123-4567",
                                 "0123456789",
                                 "ISBN 978-4-06-123456-7",
                                 "4-06-123456-7",
                                 "ISSN 0387-1234",
                                 "02-2021-1234",
                                 "0422 12 3456",
                                 "03:12:34",
                                 "1,234-5678",
                                 "2020-2021",
                                 "v03-1234-5678",
                                 "平成11年法律第87号",
                                 "3,1234,5678円",
                                 "http://uzushio.jp/03-1234-5678.html",
                                 "119番",
                                 "10+819012345678",
                                 "1234-5678"}) {
    ExpectStays(text);
  }
}

TEST(PersonalData, PostalCodes) {
  EXPECT_EQ(Shown("〒100-0001 東京都"), "〒[postal_code 100-0001] 東京都");
  EXPECT_EQ(Shown("〒１００－０００１東京都"), "〒[postal_code １００－０００１]東京都");
  EXPECT_EQ(Shown("〒 1000001"), "〒 [postal_code 1000001]");
  EXPECT_EQ(Shown("郵便番号：100-0001"), "郵便番号：[postal_code 100-0001]");
  EXPECT_EQ(Shown("060-8611 北海道札幌市"), "[postal_code 060-8611] 北海道札幌市");
  EXPECT_EQ(Shown("956-0817　新潟市秋葉区"), "[postal_code 956-0817]　新潟市秋葉区");
  EXPECT_EQ(Shown("〒166 杉並区"), "〒[postal_code 166] 杉並区");
  for (const char* const text : {"100-0001", "300-1200-150", "範囲は 300-1020 です", "〒マーク", "100-0001 の市"}) {
    ExpectStays(text);
  }
}

TEST(PersonalData, NationalNumbers) {
  EXPECT_EQ(Shown("マイナンバーは123456789018です"), "マイナンバーは[my_number 123456789018]です");
  EXPECT_EQ(Shown("番号 1234-5678-9018"), "番号 [my_number 1234-5678-9018]");
  EXPECT_EQ(Shown("個人番号：１２３４　５６７８　９０１８"), "個人番号：[my_number １２３４　５６７８　９０１８]");
  ExpectStays("マイナンバーは123456789012です");
  ExpectStays("202001021234");
  EXPECT_EQ(Shown("法人番号：7000012050002"), "法人番号：[corporate_number 7000012050002]");
  EXPECT_EQ(Shown("登録番号 T7000012050002"), "登録番号 T[corporate_number 7000012050002]");
  EXPECT_EQ(Shown("T7-0000-1205-0002"), "T[corporate_number 7-0000-1205-0002]");
  ExpectStays("法人番号：7000012050003");
  ExpectStays("JAN 7000012050002");
}

TEST(PersonalData, Cards) {
  for (const char* const value :
       {"4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111", "3782-822463-10005", "378282246310005",
        "5555555555554444", "3530111333300000", "6011111111111117", "3056 930902 5904"}) {
    ExpectWhole("card", value);
  }
  EXPECT_EQ(Shown("カード ５５５５－５５５５－５５５５－４４４４"),
            "カード [card ５５５５－５５５５－５５５５－４４４４]");
  // What is written behind a card: the month that it ends with, its code.
  for (const char* const behind : {" 12/25", " 123", "　１２／２５", " (03/27)"}) {
    EXPECT_EQ(Shown(std::string("4111 1111 1111 1111") + behind), std::string("[card 4111 1111 1111 1111]") + behind);
    EXPECT_EQ(Shown(std::string("4111-1111-1111-1111") + behind), std::string("[card 4111-1111-1111-1111]") + behind);
  }
  EXPECT_EQ(Shown("Amex 3782 822463 10005 1234"), "Amex [card 3782 822463 10005] 1234");
  for (const char* const text :
       {"4111 1111 1111 1112", "0.4111111111111111", "41111111111111111", "1111 1111 1111 1117", "9784061234567",
        "注文番号4111111111111111", "4111 1111-1111 1111", "4111 1111 1111 1111 1111", "4111-1111-1111-1111-12",
        "カード 4111-1111-1111-1111-1111", "4111-1111-1111-1111 1111", "4111 1111 1111 1111-12"}) {
    ExpectStays(text);
  }
}

TEST(PersonalData, BankAccounts) {
  EXPECT_EQ(Shown("みずほ銀行 本店 普通 1234567"), "みずほ銀行 本店 普通 [bank_account 1234567]");
  EXPECT_EQ(Shown("普通預金　口座番号：１２３４５６７"), "普通預金　口座番号：[bank_account １２３４５６７]");
  EXPECT_EQ(Shown("（普）1234567"), "（普）[bank_account 1234567]");
  EXPECT_EQ(Shown("ゆうちょ銀行 記号 12345 番号 12345678"),
            "ゆうちょ銀行 記号 [bank_account 12345] 番号 [bank_account 12345678]");
  EXPECT_EQ(Shown("郵便振替 00123-4-567890"), "郵便振替 [bank_account 00123-4-567890]");
  for (const char* const text : {"普通 1234567円", "1234567", "普通は12345", "当座の 1234567人"}) ExpectStays(text);
}

TEST(PersonalData, IpAddresses) {
  for (const char* const value : {"130.89.148.77", "8.8.8.200", "2001:67c:2564:a119::77", "2a01:4f8:0:a101::1:1",
                                  "2400:cb00:2048:1:0:0:c629:d7a2", "2404:6800::8.8.4.4"}) {
    EXPECT_EQ(Shown("IPアドレス " + std::string(value) + " は"),
              "IPアドレス [ip_address " + std::string(value) + "] は");
  }
  EXPECT_EQ(Shown("：2400:c4b0:52ea:b0ef::2606"), "：[ip_address 2400:c4b0:52ea:b0ef::2606]");
  EXPECT_EQ(Shown("ip4:199.127.61.96"), "ip4:[ip_address 199.127.61.96]");
  EXPECT_EQ(Shown("HIER_DIRECT/52.196.192.109"), "HIER_DIRECT/[ip_address 52.196.192.109]");
  EXPECT_EQ(Shown("1.1.1.1/24"), "[ip_address 1.1.1.1]/24");
  EXPECT_EQ(Shown("2001:67c:2564:a119::77."), "[ip_address 2001:67c:2564:a119::77].");
  ExpectStays("Application Server 9.0.5.8");
  ExpectStays("description: Rails を 4.2.7.1 に");
  EXPECT_EQ(Shown("nameserver 8.8.8.8"), "nameserver [ip_address 8.8.8.8]");
  EXPECT_EQ(Shown("http://130.89.148.77:80/"), "http://[ip_address 130.89.148.77]:80/");
  for (const char* const text :
       {"192.168.0.1", "10.0.0.1", "127.0.0.1", "172.16.1.1", "203.0.113.9", "255.255.255.0", "2001:db8::1", "fe80::1",
        "バージョン 130.89.148.77", "Ver.4.6.2.0", "Chrome/79.0.45.88", "7.3.54.1. 概要", "1.2.3.4", "12:34:56",
        "130.89.148.777", "1.130.89.148.77", "130.89.0.0"}) {
    ExpectStays(text);
  }
}

TEST(PersonalData, LicensePlates) {
  for (const char* const value : {"品川 300 さ 12-34", "横浜500あ・・12", "尾張小牧 50 た 1234", "なにわ 33A す 12-34",
                                  "品川３００さ１２－３４"}) {
    ExpectWhole("license_plate", value);
  }
  for (const char* const text : {"横浜 2 の 3", "品川 300 お 12-34", "空想 300 さ 12-34", "大阪3の12"})
    ExpectStays(text);
}

TEST(PersonalData, Coordinates) {
  EXPECT_EQ(Shown("35.681236, 139.767125"), "[coordinates 35.681236, 139.767125]");
  EXPECT_EQ(Shown("緯度が35度40分52.975秒"), "緯度が[coordinates 35度40分52.975秒]");
  EXPECT_EQ(Shown("緯度：35.681"), "緯度：[coordinates 35.681]");
  EXPECT_EQ(Shown("北緯35度40分52.9秒、東経139度46分"),
            "北緯[coordinates 35度40分52.9秒]、東経[coordinates 139度46分]");
  EXPECT_EQ(Shown("35°41′22″N 139°41′30″E"), "[coordinates 35°41′22″]N [coordinates 139°41′30″]E");
  EXPECT_EQ(Shown("lat: 53.347778, lon: -6.259722"), "lat: [coordinates 53.347778], lon: [coordinates -6.259722]");
  for (const char* const text : {"北緯50度", "35°41′22″", "E 2.71828", "3.14159, 2.71828", "1.5, 2.5", "45.5分"}) {
    ExpectStays(text);
  }
}

TEST(PersonalData, SwitchedKindsAlone) {
  std::vector<PersonalSpan> spans;
  const std::string text = "03-1234-5678 taro@uzushio.jp";
  PersonalKindSet kinds;
  FindPersonalData(text, kinds, &spans);
  EXPECT_TRUE(spans.empty());
  kinds.set(static_cast<size_t>(PersonalKind::kTelephone));
  FindPersonalData(text, kinds, &spans);
  EXPECT_THAT(spans, testing::ElementsAre(PersonalSpan{0, 12, PersonalKind::kTelephone}));
}

// A place is found wherever it lies in the sixteen bytes that are looked at, and with anything behind it.
TEST(PersonalData, AnyPlace) {
  for (size_t before = 0; before < 40; ++before) {
    for (size_t after = 0; after < 40; ++after) {
      const std::string text = std::string(before, ' ') + "０３-1234-5678" + std::string(after, ' ');
      std::vector<PersonalSpan> spans;
      FindPersonalData(text, PersonalKindSet().set(), &spans);
      ASSERT_THAT(spans, testing::ElementsAre(PersonalSpan{before, before + 16, PersonalKind::kTelephone}));
    }
  }
}

// Only a bounded number of characters around a place is read, so that time is linear in the length of hostile text:
// what is found in its beginning does not depend on what follows far behind.
TEST(PersonalData, ReadsBoundedSurroundings) {
  constexpr size_t kReach = 512;  // bytes, more than the longest span and its context
  for (const char* const piece :
       {"1",         "1a",      "@",        "a@",     "a.",  "0-",   "03-1234-", "2001:",           "1.1.",
        "品川300さ", "電話は",  "（（0",    "０",     "-1 ", "a@a.", "(at)",     "a (at) a (dot) ", "a@a.jp-",
        "--at--",    "a_AT_a.", "35.1234,", "普通 1 "}) {
    std::string beginning;
    while (beginning.size() < 20'000) beginning += piece;
    std::string text = beginning;
    while (text.size() < 200'000) text += piece;
    const auto found = [](const std::string& in, size_t end) {
      std::vector<PersonalSpan> spans;
      FindPersonalData(in, PersonalKindSet().set(), &spans);
      std::erase_if(spans, [end](const PersonalSpan& span) { return span.end > end; });
      return spans;
    };
    const size_t end = beginning.size() - kReach;
    EXPECT_EQ(found(text, end), found(beginning, end)) << piece;
  }
}

}  // namespace
}  // namespace uzushio
