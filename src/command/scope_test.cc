#include "command/scope.h"

#include <gtest/gtest.h>

#include "command/jobs.h"

namespace muster::command {
namespace {

Caller bound_to(std::vector<std::string> names) {
  Caller caller;
  caller.namespaces.emplace();
  for (std::string& name : names) caller.namespaces->emplace_back(std::move(name));
  return caller;
}

TEST(Scope, ACallerThatIsNotBoundUsesEveryNamespace) {
  EXPECT_TRUE(may_use(Caller(), NamespaceName("a")));
  EXPECT_TRUE(authorize_everywhere(Caller(), "x").ok());
  store::RedriveFilter all;
  EXPECT_TRUE(confine(Caller(), all).ok());
  EXPECT_TRUE(all.filter.ns.empty());
}

TEST(Scope, ABoundCallerUsesItsOwnAndNoOther) {
  const Caller caller = bound_to({"a", "b"});
  EXPECT_TRUE(may_use(caller, NamespaceName("b")));
  EXPECT_FALSE(may_use(caller, NamespaceName("c")));
  EXPECT_FALSE(may_use(caller, NamespaceName())) << "the empty name is all of them";
  EXPECT_EQ(authorize_namespace(caller, NamespaceName("c")).code(), Code::permission_denied);
  EXPECT_EQ(authorize_everywhere(caller, "x").code(), Code::permission_denied);
}

TEST(Scope, ARequestThatNamesNoneIsAboutTheOnlyOne) {
  store::RedriveFilter request;
  EXPECT_TRUE(confine(bound_to({"a"}), request).ok());
  EXPECT_EQ(request.filter.ns.text(), "a");
  store::RedriveFilter unclear;
  EXPECT_EQ(confine(bound_to({"a", "b"}), unclear).code(), Code::permission_denied) << "it would reach everybody's";
  store::JobQuery list;
  EXPECT_TRUE(confine(bound_to({"a", "b"}), list).ok()) << "the rows of others are left out";
}

TEST(Scope, EveryJobOfABulkIsLookedAt) {
  JobSubmitBulkRequest request;
  request.jobs.resize(2);
  request.jobs[0].ns = NamespaceName("a");
  EXPECT_EQ(confine(bound_to({"a"}), request).code(), Code::permission_denied) << "the second is in the default one";
  request.jobs[1].ns = NamespaceName("a");
  EXPECT_TRUE(confine(bound_to({"a"}), request).ok());
}

}  // namespace
}  // namespace muster::command
