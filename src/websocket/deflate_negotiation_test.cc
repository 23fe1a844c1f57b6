#include "websocket/deflate_negotiation.h"

#include <gtest/gtest.h>

namespace muster::websocket {
namespace {

constexpr DeflateDirection kTakeover{.takeover = true, .window_bits = 15};
constexpr DeflatePolicy kGenerous{.most = {.server = kTakeover, .client = kTakeover}};

std::optional<DeflateAgreement> chosen(std::string_view offers, const DeflatePolicy& policy = kGenerous) {
  const auto parsed = parse_extensions({offers});
  EXPECT_TRUE(parsed.ok()) << offers;
  return parsed.ok() ? choose_deflate(*parsed, policy) : std::nullopt;
}

std::string answer_to(std::string_view offers, const DeflatePolicy& policy = kGenerous) {
  const auto agreed = chosen(offers, policy);
  return agreed ? agreed->answer : "none";
}

TEST(ChooseDeflate, ByDefaultForbidsTakeoverInBothDirections) {
  const auto agreed = chosen("permessage-deflate; client_max_window_bits", {});
  ASSERT_TRUE(agreed);
  EXPECT_EQ(agreed->answer, "permessage-deflate; server_no_context_takeover; client_no_context_takeover");
  EXPECT_EQ(agreed->terms, (DeflateTerms{}));
  EXPECT_FALSE(agreed->terms.server.takeover || agreed->terms.client.takeover);
}

TEST(ChooseDeflate, AnswersEachParameterAsTheRfcSays) {
  EXPECT_EQ(answer_to("permessage-deflate"), "permessage-deflate");
  EXPECT_EQ(answer_to("permessage-deflate; server_no_context_takeover"), "permessage-deflate; server_no_context_takeover");
  EXPECT_EQ(answer_to("permessage-deflate; client_no_context_takeover"), "permessage-deflate; client_no_context_takeover");
  EXPECT_EQ(answer_to("permessage-deflate; server_max_window_bits=10"), "permessage-deflate; server_max_window_bits=10");
  EXPECT_EQ(answer_to("permessage-deflate; server_max_window_bits=15"), "permessage-deflate; server_max_window_bits=15")
      << "what was asked for is answered";
  EXPECT_EQ(answer_to("permessage-deflate; server_max_window_bits=\"8\""), "permessage-deflate; server_max_window_bits=8");
  EXPECT_EQ(answer_to("permessage-deflate; client_max_window_bits"), "permessage-deflate");
  EXPECT_EQ(answer_to("permessage-deflate; client_max_window_bits=9"), "permessage-deflate; client_max_window_bits=9");
}

TEST(ChooseDeflate, LimitsBothWindowsToThePolicy) {
  const DeflatePolicy small{
      .most = {.server = {.takeover = true, .window_bits = 11}, .client = {.takeover = true, .window_bits = 12}}};
  const auto agreed = chosen("permessage-deflate; client_max_window_bits; server_max_window_bits=13", small);
  ASSERT_TRUE(agreed);
  EXPECT_EQ(agreed->answer, "permessage-deflate; server_max_window_bits=11; client_max_window_bits=12");
  EXPECT_EQ(agreed->terms, small.most);
  EXPECT_EQ(answer_to("permessage-deflate", small), "none") << "this client cannot be told to use a smaller window";
}

TEST(ChooseDeflate, DeclinesABadOfferAndTakesTheNext) {
  for (const std::string_view bad :
       {"server_no_context_takeover=1", "client_no_context_takeover=true", "server_max_window_bits", "server_max_window_bits=7",
        "server_max_window_bits=16", "server_max_window_bits=08", "client_max_window_bits=0", "client_max_window_bits=1a",
        "client_max_window_bits=015", "unknown", "server_no_context_takeover; server_no_context_takeover",
        "client_max_window_bits=10; client_max_window_bits=10"}) {
    const std::string offer = "permessage-deflate; " + std::string(bad);
    EXPECT_EQ(answer_to(offer), "none") << bad;
    EXPECT_EQ(answer_to("x-webkit-deflate-frame, " + offer + ", permessage-deflate; server_max_window_bits=9"),
              "permessage-deflate; server_max_window_bits=9")
        << bad;
  }
  EXPECT_EQ(answer_to("permessage-bzip2"), "none");
  EXPECT_EQ(answer_to("permessage-deflate", {.enabled = false}), "none");
}

Result<std::optional<DeflateTerms>> judged(std::string_view answer, const DeflatePolicy& policy = kGenerous) {
  const auto parsed = parse_extensions({answer});
  return parsed.ok() ? judge_deflate_answer(*parsed, policy) : parsed.status();
}

TEST(JudgeDeflateAnswer, TakesEveryAnswerThatFitsTheOffer) {
  EXPECT_EQ(*judged(""), std::nullopt);
  EXPECT_EQ(**judged("permessage-deflate"), kGenerous.most);
  const auto terms = judged(
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=9; "
      "client_max_window_bits=8");
  ASSERT_TRUE(terms.ok() && *terms);
  EXPECT_EQ(**terms,
            (DeflateTerms{.server = {.takeover = false, .window_bits = 9}, .client = {.takeover = false, .window_bits = 8}}));
}

TEST(JudgeDeflateAnswer, KeepsItsOwnLimitsForWhatItSends) {
  const DeflatePolicy own{.most = {.server = kTakeover, .client = {.takeover = false, .window_bits = 10}}};
  EXPECT_EQ((**judged("permessage-deflate", own)).client, own.most.client);
  EXPECT_EQ((**judged("permessage-deflate; client_max_window_bits=9", own)).client.window_bits, 9);
}

TEST(JudgeDeflateAnswer, RefusesWhatWasNotOffered) {
  for (const std::string_view answer :
       {"foo", "permessage-deflate, permessage-deflate", "permessage-deflate; unknown",
        "permessage-deflate; client_max_window_bits", "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_no_context_takeover=1",
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover"})
    EXPECT_EQ(judged(answer).code(), Code::invalid_argument) << answer;
  EXPECT_FALSE(judged("permessage-deflate", {.enabled = false}).ok());
  EXPECT_FALSE(judged("permessage-deflate", {}).ok()) << "no takeover of the server was asked for";
  const DeflatePolicy small{.most = {.server = {.takeover = true, .window_bits = 10}, .client = kTakeover}};
  EXPECT_FALSE(judged("permessage-deflate", small).ok()) << "a smaller window was asked for";
  EXPECT_FALSE(judged("permessage-deflate; server_max_window_bits=11", small).ok());
  EXPECT_TRUE(judged("permessage-deflate; server_max_window_bits=10", small).ok());
}

TEST(Deflate, EveryOfferOfOursIsAcceptedByEveryPolicyOfOursThatAllowsItAndBothAgree) {
  std::size_t agreements = 0;
  for (int bits = 0; bits < 16; ++bits) {
    for (const int window : {8, 9, 12, 15}) {
      const DeflatePolicy client{.most = {.server = {.takeover = (bits & 1) != 0, .window_bits = window},
                                          .client = {.takeover = (bits & 2) != 0, .window_bits = 23 - window}}};
      const DeflatePolicy server{.most = {.server = {.takeover = (bits & 4) != 0, .window_bits = 15},
                                          .client = {.takeover = (bits & 8) != 0, .window_bits = window}}};
      const auto agreed = chosen(deflate_offer(client), server);
      ASSERT_TRUE(agreed);
      const auto seen = judged(agreed->answer, client);
      ASSERT_TRUE(seen.ok() && *seen) << agreed->answer;
      EXPECT_EQ(**seen, agreed->terms) << agreed->answer;
      ++agreements;
    }
  }
  EXPECT_EQ(agreements, 64U);
}

}  // namespace
}  // namespace muster::websocket
