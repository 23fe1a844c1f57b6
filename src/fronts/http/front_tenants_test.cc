// Tokens that are bound to namespaces, on the wire and the real store.
#include <fmt/format.h>

#include <map>
#include <set>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using command::Role;

// A token bound to namespaces, another one to a second, and work in both.
class Tenants : public TickingFrontTest {
 protected:
  void start_with_tenants() {
    HttpOptions options;
    options.auth.required = true;
    const std::vector<NamespaceName> a{NamespaceName("a")};
    const std::vector<NamespaceName> both{NamespaceName("a"), NamespaceName("default")};
    options.auth.tokens = {
        {.name = "ops", .role = Role::operator_role, .secret = "operator-secret", .worker = {}},
        {.name = "a-ops", .role = Role::operator_role, .secret = "a-operator", .worker = {}, .namespaces = a},
        {.name = "a-fleet", .role = Role::worker, .secret = "a-worker", .worker = {}, .namespaces = a},
        {.name = "a-eyes", .role = Role::read_only, .secret = "a-reader", .worker = {}, .namespaces = a},
        {.name = "two", .role = Role::read_only, .secret = "two-reader", .worker = {}, .namespaces = both},
    };
    start(options);
    for (const char* name : {"a", "b"})
      ASSERT_EQ(status("operator-secret", "POST", "/api/v1/namespaces", fmt::format(R"({{"name":"{}"}})", name)), 201);
    for (const char* ns : {"a", "b", "default"}) {
      const Answer made = as("operator-secret", "POST", "/api/v1/jobs", fmt::format(R"({{"type":"t","namespace":"{}"}})", ns));
      ASSERT_EQ(made.status, 201) << made.body;
      jobs[ns] = nlohmann::json::parse(made.body)["id"];
    }
  }
  int status(std::string_view secret, std::string_view method, std::string_view target, std::string_view body = {}) {
    return as(secret, method, target, body).status;
  }
  Answer as(std::string_view secret, std::string_view method, std::string_view target, std::string_view body = {}) {
    return call(method, target, body, fmt::format("Authorization: Bearer {}\r\n", secret));
  }
  std::string path(const std::string& ns, std::string_view rest = {}) { return fmt::format("/api/v1/jobs/{}{}", jobs[ns], rest); }
  std::map<std::string, std::string> jobs;
};

TEST_F(Tenants, ATokenReachesItsOwnNamespacesAndNoOther) {
  start_with_tenants();
  EXPECT_EQ(status("a-reader", "GET", path("a")), 200);
  EXPECT_EQ(status("a-operator", "POST", "/api/v1/jobs", R"({"type":"t","namespace":"a"})"), 201);
  EXPECT_EQ(status("a-operator", "POST", "/api/v1/queues/q/pause", R"({"namespace":"a"})"), 200);
  EXPECT_EQ(status("a-operator", "POST", path("a", "/cancel"), "{}"), 200);
  EXPECT_EQ(status("a-worker", "POST", "/api/v1/workers", R"({"id":"w","namespace":"a"})"), 201);

  EXPECT_EQ(status("a-reader", "GET", path("b")), 403);
  EXPECT_EQ(status("a-reader", "GET", path("b", "/why")), 403);
  EXPECT_EQ(status("a-reader", "GET", path("b", "/logs")), 403);
  EXPECT_EQ(status("a-reader", "GET", "/api/v1/jobs?namespace=b"), 403);
  EXPECT_EQ(status("a-reader", "GET", "/api/v1/workers?namespace=b"), 403);
  EXPECT_EQ(status("a-reader", "GET", "/events?namespace=b"), 403);
  EXPECT_EQ(status("a-reader", "GET", "/metrics"), 403) << "they count everybody's";
  EXPECT_EQ(status("a-operator", "POST", "/api/v1/jobs", R"({"type":"t","namespace":"b"})"), 403);
  EXPECT_EQ(status("a-operator", "POST", "/api/v1/jobs", R"({"type":"t"})"), 403) << "that is the default one";
  EXPECT_EQ(status("a-operator", "POST", "/api/v1/jobs/bulk",
                   R"({"jobs":[{"type":"t","namespace":"a"},{"type":"t","namespace":"b"}]})"),
            403);
  EXPECT_EQ(status("a-operator", "POST", path("b", "/cancel"), "{}"), 403);
  EXPECT_EQ(status("a-operator", "POST", path("b", "/retry")), 403);
  EXPECT_EQ(status("a-operator", "POST", "/api/v1/queues/q/pause", R"({"namespace":"b"})"), 403);
  EXPECT_EQ(status("a-operator", "POST", "/api/v1/namespaces", R"({"name":"c"})"), 403);
  EXPECT_EQ(status("a-operator", "DELETE", "/api/v1/namespaces/b"), 403);
  EXPECT_EQ(status("a-operator", "POST", "/api/v1/backups", R"({"name":"x"})"), 403);
  EXPECT_EQ(status("a-worker", "POST", "/api/v1/workers", R"({"id":"w","namespace":"b"})"), 403);
  EXPECT_EQ(status("a-worker", "POST", "/api/v1/jobs/claim", R"({"worker":"w","namespace":"b"})"), 403);
}

TEST_F(Tenants, AListThatNamesNoNamespaceShowsItsOwn) {
  start_with_tenants();
  const auto listed = [&](std::string_view secret) {
    std::set<std::string> seen;
    const auto page = nlohmann::json::parse(as(secret, "GET", "/api/v1/jobs").body);
    for (const auto& job : page["jobs"]) seen.insert(job["namespace"].get<std::string>());
    return seen;
  };
  EXPECT_EQ(listed("a-reader"), std::set<std::string>{"a"});
  EXPECT_EQ(listed("two-reader"), (std::set<std::string>{"a", "default"}));
  EXPECT_EQ(listed("operator-secret"), (std::set<std::string>{"a", "b", "default"}));
  const auto names = nlohmann::json::parse(as("a-reader", "GET", "/api/v1/namespaces").body)["namespaces"];
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ(names[0]["name"], "a");
  const auto queues = nlohmann::json::parse(as("two-reader", "GET", "/api/v1/queues").body);
  EXPECT_FALSE(queues["queues"].empty());
  for (const auto& queue : queues["queues"]) EXPECT_NE(queue["namespace"], "b");
}

TEST_F(Tenants, AWorkersTokenSettlesNothingOfAnotherNamespace) {
  start_with_tenants();
  ASSERT_EQ(status("operator-secret", "POST", "/api/v1/workers", R"({"id":"w","namespace":"b"})"), 201);
  const Answer claimed = as("operator-secret", "POST", "/api/v1/jobs/claim", R"({"worker":"w","namespace":"b"})");
  const auto grant = nlohmann::json::parse(claimed.body)["jobs"][0];
  ASSERT_EQ(grant["id"], jobs["b"]);
  const std::string fence = fmt::format(R"({{"fence":{}}})", grant["fence"].dump());
  for (const char* verb : {"/complete", "/fail", "/release", "/heartbeat"})
    EXPECT_EQ(status("a-worker", "POST", path("b", verb), fence), 403) << verb;
  EXPECT_EQ(status("operator-secret", "POST", path("b", "/complete"), fence), 200);
}

}  // namespace
}  // namespace muster::http
