#include "document/robots_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace uzushio {
namespace {

std::string RulesOf(std::string_view value, std::string_view agent = {}) {
  std::string text;
  TextLines lines(&text);
  AddRobotsRules(value, agent.empty() ? RobotsSource::kHeader : RobotsSource::kMeta, agent, &lines);
  return text;
}

std::string ReservationOf(std::string_view name, std::string_view value) {
  std::string text;
  TextLines lines(&text);
  AddReservation(name, value, &lines);
  return text;
}

TEST(RobotsRules, DirectivesAreLowerCaseLines) {
  EXPECT_EQ(RulesOf("noindex, NoFollow"), "noindex\nnofollow");
  EXPECT_EQ(RulesOf(" noai ,,noimageai,noai"), "noai\nnoimageai");
  EXPECT_EQ(RulesOf("noindex nofollow;noarchive"), "noindex\nnofollow\nnoarchive");
  EXPECT_EQ(RulesOf(""), "");
  EXPECT_EQ(RulesOf(", ,"), "");
}

TEST(RobotsRules, ValuesStandBehindAColon) {
  EXPECT_EQ(RulesOf("max-snippet:50, max-image-preview: Large"), "max-snippet:50\nmax-image-preview:large");
  EXPECT_EQ(RulesOf("unavailable_after: 25 Jun 2010 15:00:00 PST"), "unavailable_after:25 jun 2010 15:00:00 pst");
}

// A list with a value in it loses nothing, whatever parts it.
TEST(RobotsRules, WordsStandBesideValues) {
  EXPECT_EQ(RulesOf("noai; max-image-preview:large"), "noai\nmax-image-preview:large");
  EXPECT_EQ(RulesOf("noai noimageai max-snippet:-1"), "noai\nnoimageai\nmax-snippet:-1");
  EXPECT_EQ(RulesOf("max-snippet:-1; noai"), "max-snippet:-1\nnoai");
  EXPECT_EQ(RulesOf("max-snippet: -1 noai"), "max-snippet:-1\nnoai");
  EXPECT_EQ(RulesOf("unavailable_after: 25 Jun 2030 15:00:00 PST; noai"),
            "unavailable_after:25 jun 2030 15:00:00 pst\nnoai");
  EXPECT_EQ(RulesOf("noindex GPTBot: noai"), "noindex\ngptbot: noai");
}

// Only headers name agents.
TEST(RobotsRules, MetaElementsNameNoAgents) {
  std::string text;
  TextLines lines(&text);
  AddRobotsRules("index:all,noai", RobotsSource::kMeta, {}, &lines);
  EXPECT_EQ(text, "noai");
}

TEST(RobotsRules, AnAgentHoldsUntilTheNext) {
  EXPECT_EQ(RulesOf("googlebot: nofollow"), "googlebot: nofollow");
  EXPECT_EQ(RulesOf("noai, GPTBot: noindex, nofollow, CCBot: max-snippet: 0, *: noarchive"),
            "noai\ngptbot: noindex\ngptbot: nofollow\nccbot: max-snippet:0\nnoarchive");
  EXPECT_EQ(RulesOf("noindex, max-snippet:1", "CCBot"), "ccbot: noindex\nccbot: max-snippet:1");
  EXPECT_EQ(RulesOf("googlebot:"), "");
}

TEST(RobotsRules, WhatIsNoDirectiveIsLeftOut) {
  EXPECT_EQ(RulesOf("禁止, noai\x01, noindex, " + std::string(65, 'a')), "noindex");
  EXPECT_EQ(RulesOf("a b: c, noai"), "a\nnoai");
  EXPECT_EQ(RulesOf("noindex unknown: x"), "noindex");
  EXPECT_EQ(RulesOf(std::string("no\0ai", 5)), "");
}

// A header or meta element of any length, and any number of directives.
TEST(RobotsRules, AreBounded) {
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "d" + std::to_string(i) + ",";
  const std::string rules = RulesOf(many);
  EXPECT_EQ(std::ranges::count(rules, '\n'), static_cast<std::ptrdiff_t>(TextLines::kMaxLines) - 1);
  EXPECT_EQ(RulesOf(std::string(5000, ' ') + "noai"), "");
  std::string text;
  TextLines lines(&text);
  for (size_t i = 0; i < TextLines::kMaxTries; ++i) AddRobotsRules("noindex", RobotsSource::kHeader, {}, &lines);
  AddRobotsRules("noai", RobotsSource::kHeader, {}, &lines);
  EXPECT_EQ(text, "noindex");
}

TEST(RobotsRules, LinesAreReadAsTheyWereWritten) {
  EXPECT_EQ(ParseRobotsRule("noai"), (RobotsRule{"", "noai"}));
  EXPECT_EQ(ParseRobotsRule("gptbot: noindex"), (RobotsRule{"gptbot", "noindex"}));
  EXPECT_EQ(ParseRobotsRule("max-snippet:50"), (RobotsRule{"", "max-snippet:50"}));
  EXPECT_EQ(ParseRobotsRule("ccbot: max-snippet:0"), (RobotsRule{"ccbot", "max-snippet:0"}));
  EXPECT_EQ(ParseRobotsRule("tdm-policy:https://example.com/a"), (RobotsRule{"", "tdm-policy:https://example.com/a"}));
}

TEST(RobotsRules, RobotsAreKnownByTheirNames) {
  for (const char* name : {"Googlebot", "googlebot-news", "GPTBot", "CCBot", "bingbot", "Baiduspider", "Slurp",
                           "Google-Extended", "anthropic-ai"}) {
    EXPECT_TRUE(IsRobotName(name)) << name;
  }
  for (const char* name : {"", "robots", "description", "viewport", "twitter:card", "bots", "a bot"}) {
    EXPECT_FALSE(IsRobotName(name)) << name;
  }
}

TEST(RobotsRules, ReservationsOfTextAndDataMining) {
  EXPECT_EQ(ReservationOf("tdm-reservation", "1"), "tdm-reservation:1");
  EXPECT_EQ(ReservationOf("TDM-Reservation", " 0 "), "tdm-reservation:0");
  EXPECT_EQ(ReservationOf("tdm-reservation", "yes"), "");
  EXPECT_EQ(ReservationOf("tdm-policy", "https://example.com/P.json"), "tdm-policy:https://example.com/P.json");
  EXPECT_EQ(ReservationOf("tdm-policy", "\"https://example.com/p\""), "tdm-policy:https://example.com/p");
  EXPECT_EQ(ReservationOf("tdm-policy", "/p.json"), "");
  EXPECT_EQ(ReservationOf("tdm-policy", "https://example.com/a b"), "");
  EXPECT_EQ(ReservationOf("description", "1"), "");
}

}  // namespace
}  // namespace uzushio
