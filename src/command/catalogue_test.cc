#include "command/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "command/context.h"

namespace muster::command {
namespace {

TEST(Catalogue, IsSortedByNameWithoutRepeats) {
  const auto specs = catalogue();
  ASSERT_FALSE(specs.empty());
  for (std::size_t i = 1; i < specs.size(); ++i) EXPECT_LT(specs[i - 1]->name, specs[i]->name);
}

TEST(Catalogue, NamesAreNounDotVerb) {
  for (const Spec* spec : catalogue()) {
    EXPECT_EQ(std::count(spec->name.begin(), spec->name.end(), '.'), 1) << spec->name;
    EXPECT_EQ(spec->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_."), std::string_view::npos) << spec->name;
  }
}

TEST(Catalogue, SummariesAreSentences) {
  for (const Spec* spec : catalogue()) {
    ASSERT_FALSE(spec->summary.empty()) << spec->name;
    EXPECT_TRUE(spec->summary.front() >= 'A' && spec->summary.front() <= 'Z') << spec->name;
    EXPECT_EQ(spec->summary.back(), '.') << spec->name;
    EXPECT_FALSE(spec->since.empty()) << spec->name;
  }
}

TEST(Catalogue, OnlyOperatorsMayDoWhatIsAudited) {
  for (const Spec* spec : catalogue()) {
    if (!spec->audited) continue;
    EXPECT_EQ(spec->auth, Auth::operator_only) << spec->name;
    EXPECT_EQ(spec->effect, Effect::write) << spec->name;
  }
}

TEST(Catalogue, ReadersMayNotWrite) {
  for (const Spec* spec : catalogue()) {
    if (spec->auth != Auth::read_only) continue;
    EXPECT_EQ(spec->effect, Effect::read) << spec->name;
  }
}

TEST(Authorize, LetsARoleDoWhatLowerRolesMay) {
  const Spec read{.name = "x.read", .since = "0.1", .auth = Auth::read_only, .effect = Effect::read, .summary = "R."};
  const Spec work{.name = "x.work", .since = "0.1", .auth = Auth::worker, .summary = "W."};
  const Spec rule{.name = "x.rule", .since = "0.1", .auth = Auth::operator_only, .summary = "O."};
  const auto code = [](Role role, const Spec& spec) { return authorize(Caller{.role = role}, spec).code(); };
  EXPECT_EQ(code(Role::read_only, read), Code::ok);
  EXPECT_EQ(code(Role::read_only, work), Code::permission_denied);
  EXPECT_EQ(code(Role::worker, work), Code::ok);
  EXPECT_EQ(code(Role::worker, read), Code::ok);
  EXPECT_EQ(code(Role::worker, rule), Code::permission_denied);
  EXPECT_EQ(code(Role::operator_role, rule), Code::ok);
}

TEST(Authorize, BindsACallerToItsWorker) {
  const Caller bound{.role = Role::worker, .worker = WorkerId("w1")};
  EXPECT_TRUE(authorize_worker(bound, WorkerId("w1")).ok());
  EXPECT_EQ(authorize_worker(bound, WorkerId("w2")).code(), Code::permission_denied);
  EXPECT_TRUE(authorize_worker(Caller{.role = Role::worker}, WorkerId("w2")).ok());
}

}  // namespace
}  // namespace muster::command
