#include <gtest/gtest.h>

#include "base/json_depth.h"
#include "fronts/grpc/dialect/json.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/roster.h"
#include "fronts/grpc/dialect/values.h"
#include "model/limits.h"
#include "model/validate.h"

namespace muster::rpc {
namespace {

TEST(Names, EveryTextHasANameAndComesBack) {
  for (const std::string& text :
       {std::string("plain"), std::string(""), std::string("a b"), std::string("a/b"), std::string("100%"), std::string("%00"),
        std::string("%2F"), std::string("tab\there"), std::string("gr\xC3\xBC\xC3\x9F"), std::string("nul\0l", 5)}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(validate_name("name", encode_name(text)).ok()) << encode_name(text);
    EXPECT_EQ(decode_name(encode_name(text)), text);
    EXPECT_EQ(decode_name(encode_step(text)), text);
  }
  EXPECT_EQ(encode_name("plain"), "plain");
  EXPECT_EQ(encode_name(""), "%00");
  EXPECT_NE(encode_name("%00"), encode_name(""));
  EXPECT_EQ(encode_step("a b/c"), "a b/c");
}

TEST(Names, ANameOfAnotherWireIsShownAsItIs) {
  EXPECT_EQ(decode_name("50%off"), "50%off");
  EXPECT_EQ(decode_name("x%"), "x%");
  EXPECT_EQ(decode_name("x%FF"), "x%FF");
}

TEST(Names, UuidsAreReadInEveryForm) {
  const std::string text = "01890a5d-ac96-774b-bcce-b302099a8057";
  for (const std::string& form : {text, std::string("01890a5dac96774bbcceb302099a8057"), "{" + text + "}", "urn:uuid:" + text,
                                  std::string("01890A5D-AC96-774B-BCCE-B302099A8057"), "URN:UUID:" + text}) {
    const auto uuid = parse_uuid(form);
    ASSERT_TRUE(uuid) << form;
    EXPECT_EQ(uuid->text(), text);
  }
  for (const char* bad :
       {"", "x", "{}", "{01890a5d-ac96-774b-bcce-b302099a8057", "urn:uuid:", "01890a5d-ac96-774b-bcce-b302099a805"})
    EXPECT_FALSE(parse_uuid(bad)) << bad;
}

TEST(Names, AnIdDerivedFromANameIsAlwaysTheSameOne) {
  EXPECT_EQ(uuid_of_name("default"), uuid_of_name("default"));
  EXPECT_NE(uuid_of_name("default"), uuid_of_name("defaulu"));
  EXPECT_EQ(uuid_of_name("x").text()[14], '8');
}

TEST(Json, ValuesAreAccepted) {
  for (const char* good :
       {"null", "true", "false", "0", "-0", "-1.5e+10", "1E5", "\"\"", "\"a\\u00e9\\n\\\"\"", "[]", "{}", " [1, 2 ] ",
        "{\"a\":{\"b\":[1,{\"c\":null}]},\"d\":\"\"}", "\"\\ud83d\\ude00\"", "\"gr\xC3\xBC\xC3\x9F\"", "1e400"})
    EXPECT_TRUE(is_json(good)) << good;
  EXPECT_TRUE(is_json(std::string(muster::json::kDepthMax, '[') + std::string(muster::json::kDepthMax, ']')));
}

TEST(Json, NothingElseIs) {
  for (const char* bad : {"",
                          " ",
                          "nul",
                          "nulll",
                          "tru",
                          "01",
                          "-",
                          "1.",
                          ".5",
                          "1e",
                          "+1",
                          "'a'",
                          "\"a",
                          "\"\\x\"",
                          "\"\\u12\"",
                          "\"\n\"",
                          "[",
                          "]",
                          "[1",
                          "[1,]",
                          "[,1]",
                          "[1 2]",
                          "{",
                          "}",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\":1,}",
                          "{a:1}",
                          "{1:2}",
                          "[}",
                          "{]",
                          "1 2",
                          "null null",
                          "NaN",
                          "Infinity",
                          "// c\n1",
                          "\xEF\xBB\xBF"
                          "1",
                          "\"\xFF\"",
                          "\"\xC0\x80\"",
                          "\"\\ud800\"",
                          "\"\\ude00\"",
                          "[1]]",
                          "undefined"})
    EXPECT_FALSE(is_json(bad)) << bad;
  EXPECT_FALSE(is_json(std::string(muster::json::kDepthMax + 1, '[') + std::string(muster::json::kDepthMax + 1, ']')));
  EXPECT_FALSE(is_json(std::string_view("1\0", 2)));
}

TEST(Values, InstantsKeepTheirMilliseconds) {
  for (const std::int64_t ms : {std::int64_t{0}, std::int64_t{1'700'000'000'123}, std::int64_t{999}}) {
    google::protobuf::Timestamp at;
    put_instant(from_ms(ms), &at);
    EXPECT_EQ(*instant_of("at", at), from_ms(ms));
  }
  google::protobuf::Timestamp bad;
  bad.set_nanos(1'000'000'000);
  EXPECT_FALSE(instant_of("at", bad).ok());
  bad.set_nanos(0);
  bad.set_seconds(-1);
  EXPECT_FALSE(instant_of("at", bad).ok());
}

TEST(Values, AttemptsButTheFirstAreRescues) {
  EXPECT_EQ(rescues_of(0), 4U);
  EXPECT_EQ(rescues_of(1), 0U);
  EXPECT_EQ(rescues_of(7), 6U);
  EXPECT_EQ(rescues_of(-1), limits::kRescuesMax);
  EXPECT_EQ(rescues_of(1'000'000), limits::kRescuesMax);
}

TEST(Values, ErrorTextsAreMadeFit) {
  const TextRule rule{.bytes_max = limits::kErrorBytesMax, .one_line = false};
  EXPECT_EQ(error_text("as it is\n"), "as it is\n");
  EXPECT_EQ(error_text("a\xFF"
                       "b"),
            "a\xEF\xBF\xBD"
            "b");
  for (const std::string& text : {std::string(9'000, 'x'), std::string(9'000, '\xC3'), std::string("nul\0l", 5)})
    EXPECT_TRUE(validate_text("error", error_text(text), rule).ok());
}

TEST(Values, TokensAreOpaqueAndChecked) {
  EXPECT_EQ(page_token(""), "");
  EXPECT_EQ(*cursor_of(""), "");
  EXPECT_EQ(*cursor_of(page_token("n:42")), "n:42");
  for (const char* bad : {"!!", "abcd", "Og==", "n:42"}) EXPECT_EQ(cursor_of(bad).code(), Code::invalid_argument) << bad;
  EXPECT_EQ(page_size(0, {.usual = 20, .most = 100}), 20U);
  EXPECT_EQ(page_size(-1, {.usual = 20, .most = 100}), 20U);
  EXPECT_EQ(page_size(101, {.usual = 20, .most = 100}), 100U);
  EXPECT_EQ(page_size(7, {.usual = 20, .most = 100}), 7U);
}

TEST(Roster, RegistrationsOfOneKeyFollowEachOther) {
  ManualClock clock;
  Roster roster(clock);
  std::string order;
  roster.enter("k", [&order] { order += "a"; });
  roster.enter("k", [&order] { order += "b"; });
  roster.enter("other", [&order] { order += "x"; });
  EXPECT_EQ(order, "ax");
  roster.leave("k");
  EXPECT_EQ(order, "axb");
  roster.leave("k");
  roster.enter("k", [&order] { order += "c"; });
  EXPECT_EQ(order, "axbc");
}

TEST(Roster, AnEchoIsExpectedOnceAndNotForLong) {
  ManualClock clock;
  Roster roster(clock);
  const JobId run{Uuid{1, 2}};
  EXPECT_FALSE(roster.take_echo(run));
  roster.expect_echo(run);
  EXPECT_TRUE(roster.take_echo(run));
  EXPECT_FALSE(roster.take_echo(run));
  roster.expect_echo(run);
  clock.advance(Roster::kEchoKept);
  EXPECT_FALSE(roster.take_echo(run));
}

TEST(Roster, OnlyLeasesThatWereHeldBothTimesAreLost) {
  ManualClock clock;
  Roster roster(clock);
  const Uuid worker{3, 4};
  roster.put(worker, WorkerSpec(), "");
  const LeaseRef old{JobId{Uuid{1, 1}}, Fence{1}};
  const LeaseRef fresh{JobId{Uuid{1, 2}}, Fence{2}};
  EXPECT_TRUE(roster.suspect(worker, {old}).empty());
  EXPECT_EQ(roster.suspect(worker, {old, fresh}), std::vector{old});
  roster.trust(worker);
  EXPECT_TRUE(roster.suspect(worker, {old, fresh}).empty());
}

TEST(Roster, TotalsGoOnFromWhatTheRegistryKept) {
  ManualClock clock;
  Roster roster(clock);
  const Uuid worker{3, 4};
  roster.put(worker, WorkerSpec(), R"({"active":0,"completed":5,"failed":1})");
  EXPECT_EQ(roster.count(worker, 2, -7).completed, 7U);
  EXPECT_EQ(roster.count(worker, 0, 1).failed, 2U);
  EXPECT_FALSE(roster.count(worker, 0, 0).renew);
  clock.advance(Roster::kIdentityRenewed);
  EXPECT_TRUE(roster.count(worker, 0, 0).renew);
  EXPECT_FALSE(roster.count(worker, 0, 0).renew);
}

}  // namespace
}  // namespace muster::rpc
