// The audit book over HTTP: what was done is listed, filtered and paged, by operators alone.
#include <fmt/format.h>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

class AuditFront : public FrontTest {};

TEST_F(AuditFront, ListsWhatWasDoneNewestFirstWithCursorAndFilters) {
  start();
  for (const char* queue : {"a", "b", "c"}) call_json("POST", fmt::format("/api/v1/queues/{}/pause", queue), "{}");
  call_json("POST", "/api/v1/queues/a/resume", "{}");

  const auto all = call_json("GET", "/api/v1/audit");
  ASSERT_EQ(all["audit"].size(), 4U) << all;
  EXPECT_FALSE(all.contains("next"));
  check_members("AuditRow", all["audit"][0]);
  check_members("AuditPage", all);
  EXPECT_EQ(all["audit"][0]["action"], "queue.resume");
  EXPECT_EQ(all["audit"][0]["target"], "default/a");
  EXPECT_EQ(all["audit"][0]["outcome"], "ok");
  EXPECT_EQ(all["audit"][0]["namespace"], "default");
  EXPECT_EQ(all["audit"][0]["role"], "operator");

  const auto first = call_json("GET", "/api/v1/audit?limit=3");
  ASSERT_EQ(first["audit"].size(), 3U);
  const auto rest = call_json("GET", fmt::format("/api/v1/audit?limit=3&cursor={}", first["next"].get<std::string>()));
  ASSERT_EQ(rest["audit"].size(), 1U);
  EXPECT_EQ(rest["audit"][0], all["audit"][3]);

  const auto count = [&](const std::string& query) { return call_json("GET", "/api/v1/audit?" + query)["audit"].size(); };
  EXPECT_EQ(count("action=queue.pause"), 3U);
  EXPECT_EQ(count("action=queue&target=default/a"), 2U);
  EXPECT_EQ(count("namespace=other"), 0U);
  EXPECT_EQ(count("outcome=not_found"), 0U);
  EXPECT_EQ(count("since=2033-01-01T00:00:00Z"), 0U);
  EXPECT_EQ(count("until=2033-01-01T00:00:00Z"), 4U);
}

TEST_F(AuditFront, RefusesWhatIsNoCursorNoTimeOrNoFilter) {
  start();
  EXPECT_NE(refused("GET", "/api/v1/audit?cursor=x", {}, 400).find("cursor \"x\""), std::string::npos);
  refused("GET", "/api/v1/audit?limit=0", {}, 400);
  refused("GET", "/api/v1/audit?limit=1001", {}, 400);
  refused("GET", "/api/v1/audit?since=yesterday", {}, 400);
  refused("GET", "/api/v1/audit?actor=me", {}, 400);
}

TEST_F(AuditFront, IsForOperatorsAndShowsABoundOneItsOwn) {
  HttpOptions options;
  options.auth.required = true;
  options.auth.tokens = {
      {.name = "ops", .role = command::Role::operator_role, .secret = "operator-secret", .worker = {}},
      {.name = "bound",
       .role = command::Role::operator_role,
       .secret = "bound-secret",
       .worker = {},
       .namespaces = std::vector{NamespaceName("a")}},
      {.name = "eyes", .role = command::Role::read_only, .secret = "reader-secret", .worker = {}},
  };
  start(options);
  const auto as = [&](std::string_view secret, std::string_view method, std::string_view target, std::string_view body = {}) {
    return call(method, target, body, fmt::format("Authorization: Bearer {}\r\n", secret));
  };
  ASSERT_EQ(as("operator-secret", "POST", "/api/v1/namespaces", R"({"name":"a"})").status, 201);
  ASSERT_EQ(as("operator-secret", "POST", "/api/v1/queues/q/pause", R"({"namespace":"a"})").status, 200);
  ASSERT_EQ(as("operator-secret", "POST", "/api/v1/queues/q/pause", "{}").status, 200);
  EXPECT_EQ(as("reader-secret", "GET", "/api/v1/audit").status, 403);
  EXPECT_EQ(as("bound-secret", "GET", "/api/v1/audit?namespace=default").status, 403);
  const auto own = nlohmann::json::parse(as("bound-secret", "GET", "/api/v1/audit").body);
  ASSERT_EQ(own["audit"].size(), 2U) << own;
  EXPECT_EQ(own["audit"][0]["target"], "a/q");
  EXPECT_EQ(own["audit"][0]["who"], "ops");
}

}  // namespace
}  // namespace muster::http
