#include "fronts/resp/work/registration.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace muster::resp::work {
namespace {

std::string with(std::string_view fields) {
  return fmt::format(R"({{"worker_id":"w-1","hostname":"h","agw_version":"0.1.0",{}}})", fields);
}

std::string refusal(std::string_view json) {
  const auto spec = read_registration(json);
  return spec.ok() ? "accepted" : spec.status().message();
}

TEST(Registration, ReadsEveryFieldOfTheProtocol) {
  const std::string json =
      with(R"("platform":"darwin-arm64","capabilities":{"tools":["sort","/usr/bin/uniq"],"agentic_units":["agx-ocr"]},)"
           R"("max_concurrent_jobs":4,"tags":{"environment":"local","gpu":true,"rank":3})");
  const auto spec = read_registration(json);
  ASSERT_TRUE(spec.ok()) << spec.status().text();
  EXPECT_EQ(spec->id, WorkerId("w-1"));
  EXPECT_EQ(spec->dialect, Dialect::resp);
  EXPECT_EQ(spec->capabilities, CapabilitySet({"tool:agx-ocr", "tool:sort", "tool:uniq"}));
  EXPECT_EQ(spec->slots, 4U);
  EXPECT_EQ(spec->hostname, "h");
  EXPECT_EQ(spec->version, "0.1.0");
  EXPECT_EQ(spec->labels, (Labels{{"environment", "local"}, {"gpu", "true"}, {"rank", "3"}}));
  EXPECT_EQ(spec->metadata, json) << "the text is kept as it came";
}

TEST(Registration, AcceptsCapabilitiesAsAnObjectOrAnArray) {
  const CapabilitySet both({"tool:sort", "tool:uniq"});
  EXPECT_EQ(read_registration(with(R"("capabilities":{"tools":["sort","uniq"]})"))->capabilities, both);
  EXPECT_EQ(read_registration(with(R"("capabilities":["uniq","sort"])"))->capabilities, both);
  EXPECT_TRUE(read_registration(with(R"("capabilities":{"tools":[]})"))->capabilities.empty());
}

TEST(Registration, RefusesCapabilitiesThatAreNone) {
  for (const char* capabilities :
       {R"("capabilities":5)", R"("capabilities":"x")", R"("capabilities":"")", R"("capabilities":{"tools":"sort"})",
        R"("capabilities":[1])", R"("capabilities":{"agentic_units":[]})", R"("capabilities":["two words"])",
        R"("capabilities":["a",""])", R"("capabilities":{"tools":[],"agentic_units":"x"})", R"("platform":"linux")"})
    EXPECT_EQ(refusal(with(capabilities)), "Invalid capabilities format") << capabilities;
}

TEST(Registration, RefusesIdsInTheWordsOfTheProtocol) {
  const auto named = [](std::string_view id) {
    return refusal(fmt::format(R"({{"worker_id":"{}","hostname":"h","agw_version":"1","capabilities":[]}})", id));
  };
  EXPECT_EQ(named("w 2"), "Invalid worker ID characters");
  EXPECT_EQ(named("w:2"), "Invalid worker ID characters");
  EXPECT_EQ(named("wörk"), "Invalid worker ID characters");
  EXPECT_EQ(named(std::string(65, 'w')), "Worker ID too long");
  EXPECT_EQ(named(std::string(64, 'w')), "accepted");
  EXPECT_EQ(named("under_score-9"), "accepted");
  EXPECT_EQ(named(""), "Invalid worker registration: worker_id is empty");
  EXPECT_EQ(named("anonymous-x"), "Invalid worker registration: worker_id must not begin with 'anonymous-'");
}

TEST(Registration, NamesWhatIsMissingOrWrong) {
  EXPECT_EQ(refusal("{"), "Invalid worker registration: expected a JSON object");
  EXPECT_EQ(refusal("[]"), "Invalid worker registration: expected a JSON object");
  EXPECT_EQ(refusal(std::string(1000, '[')), "Invalid worker registration: expected a JSON object");
  EXPECT_EQ(refusal(R"({"hostname":"h"})"), "Invalid worker registration: missing field worker_id");
  EXPECT_EQ(refusal(R"({"worker_id":7})"), "Invalid worker registration: worker_id must be a string");
  EXPECT_EQ(refusal(R"({"worker_id":"w"})"), "Invalid worker registration: missing field hostname");
  EXPECT_EQ(refusal(R"({"worker_id":"w","hostname":"h"})"), "Invalid worker registration: missing field agw_version");
  EXPECT_EQ(refusal(with(R"("capabilities":[],"max_concurrent_jobs":0)")),
            "Invalid worker registration: max_concurrent_jobs must be an integer from 1 to 100000");
  EXPECT_EQ(refusal(with(R"("capabilities":[],"tags":["x"])")), "Invalid worker registration: tags must be an object");
  const std::string large = with(fmt::format(R"("capabilities":[],"note":"{}")", std::string(limits::kMetadataBytesMax, 'x')));
  EXPECT_TRUE(refusal(large).starts_with("Invalid worker registration: ")) << refusal(large);
}

TEST(Registration, KeepsTagsThatCannotBeLabelsInTheMetadataOnly) {
  const auto spec = read_registration(with(R"("capabilities":[],"tags":{"a b":"x","list":[1],"ok":"y"})"));
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->labels, (Labels{{"ok", "y"}}));
}

TEST(Registration, ReadsToolLists) {
  EXPECT_EQ(*read_tool_list("sort,uniq"), CapabilitySet({"tool:sort", "tool:uniq"}));
  EXPECT_TRUE(read_tool_list("")->empty());
  EXPECT_EQ(read_tool_list("sort,,uniq").status().message(), "Invalid capabilities format");
}

TEST(Registration, WantsStatsToBeAnObject) {
  EXPECT_TRUE(validate_stats(R"({"active_jobs":0})").ok());
  for (const char* stats : {"[1]", "5", "{", "\"x\""})
    EXPECT_EQ(validate_stats(stats).message(), "Invalid worker stats: expected a JSON object") << stats;
}

}  // namespace
}  // namespace muster::resp::work
