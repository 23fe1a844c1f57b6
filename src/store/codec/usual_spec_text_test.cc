#include "store/codec/usual_spec_text.h"

#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "store/codec/spec_text.h"

namespace muster::store {
namespace {

using namespace std::chrono_literals;

JobSpec a_run() {
  JobSpec spec;
  spec.needs = CapabilitySet({"workflow:bench", "label:zone=a"});
  spec.correlation = "01890000-0000-7000-8000-000000000000";
  spec.rescues_max = 4;
  spec.run = RunSpec{.external_id = "order-1"};
  spec.unique = UniqueKey{"kagzi:order-1", UniqueWhile::unfinished};
  return spec;
}

// Of descriptions that are usual.
std::vector<JobSpec> usual_ones() {
  JobSpec plain;
  JobSpec run = a_run();
  JobSpec older = a_run();
  older.run->backoff = StepBackoff::multiplied_first;
  older.run->version = "2";
  older.unique.reset();
  older.idempotency_key = "k";
  older.timeout = 5s;
  JobSpec bare;
  bare.run = RunSpec();
  JobSpec unversioned;
  unversioned.run = RunSpec{.version = ""};
  JobSpec empty_key;
  empty_key.unique = UniqueKey{"", UniqueWhile::waiting};
  return {plain, run, older, bare, unversioned, empty_key};
}

TEST(UsualSpecText, IsTheTextThatATreeWrites) {
  for (const JobSpec& spec : usual_ones()) {
    const auto text = usual_spec_to_text(spec);
    ASSERT_TRUE(text);
    const auto tree = json::parse(*text);
    ASSERT_TRUE(tree) << *text;
    EXPECT_EQ(*text, json::dump(*tree));
    JobSpec back;
    EXPECT_TRUE(usual_spec_from_text(*text, back)) << *text;
    EXPECT_EQ(back, spec) << *text;
  }
}

TEST(UsualSpecText, LeavesWhatIsNotUsualToTheTree) {
  std::vector<JobSpec> others(12, a_run());
  others[0].labels = {{"k", "v"}};
  others[1].correlation = "says \"x\"";
  others[2].needs = CapabilitySet({"tool:h\u00e9"});
  others[3].run->steps.attempts_max = 3;
  others[4].run->metadata = {{"k", "v"}};
  others[5].run->context = "{}";
  others[6].run->external_id = "a\\b";
  others[7].retry.attempts_max = 9;
  others[8].deadline = from_ms(5);
  others[9].run->parent = RunParent{JobId{{1, 2}}, "s"};
  others[10].unique->key = "line\nbreak";
  others[11].lease_ttl = 7s;
  for (const JobSpec& spec : others) {
    EXPECT_FALSE(usual_spec_to_text(spec));
    JobSpec back;
    EXPECT_FALSE(usual_spec_from_text(spec_to_text(spec), back)) << spec_to_text(spec);
    EXPECT_EQ(back, JobSpec());
    spec_from_text(spec_to_text(spec), back);
    EXPECT_EQ(back, spec);
  }
}

TEST(UsualSpecText, ADamagedTextChangesNothing) {
  const std::string whole = *usual_spec_to_text(a_run());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    JobSpec back;
    EXPECT_FALSE(usual_spec_from_text(whole.substr(0, size), back)) << size;
    EXPECT_EQ(back, JobSpec());
  }
  for (const char* text : {R"({"rescues":-1})", R"({"rescues":1.5})", R"({"rescues":4294967296})", R"({"rescues":"4"})",
                           R"({"needs":"a"})", R"({"needs":["a",]})", R"({"needs":[1]})", R"({"run":[]})", R"({"run":null})",
                           R"({"unique":{"key":1}})", R"({"correlation":7})", R"({"timeout":1e3})", R"([])", "{}x"}) {
    JobSpec back;
    EXPECT_FALSE(usual_spec_from_text(text, back)) << text;
    EXPECT_EQ(back, JobSpec()) << text;
  }
}

}  // namespace
}  // namespace muster::store
