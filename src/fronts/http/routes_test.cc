// The route table, the catalogue and the OpenAPI document say the same.
#include "fronts/http/routes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "base/ascii.h"
#include "command/catalogue.h"
#include "command/context.h"
#include "fronts/http/openapi/document.h"
#include "fronts/http/problem.h"

namespace muster::http {
namespace {

using nlohmann::json;

json document() { return json::parse(openapi_document()); }

const json& resolve(const json& doc, const json& schema) {
  if (!schema.contains("$ref")) return schema;
  return doc.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1)));
}

// One type, or several of which it has one.
bool has_type(const json& value, const json& type) {
  if (type.is_array()) return std::any_of(type.begin(), type.end(), [&](const json& each) { return has_type(value, each); });
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "null") return value.is_null();
  return type == "boolean" && value.is_boolean();
}

// The part of JSON Schema the document uses. Empty: the value fits.
std::string misfit(const json& doc, const json& unresolved, const json& value, const std::string& at) {
  const json& schema = resolve(doc, unresolved);
  if (schema.contains("anyOf")) {
    for (const json& option : schema["anyOf"])
      if (misfit(doc, option, value, at).empty()) return {};
    return at + ": fits none of anyOf";
  }
  if (schema.contains("type") && !has_type(value, schema["type"])) return fmt::format("{}: is not {}", at, schema["type"].dump());
  if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return at + ": not in enum";
  if (schema.contains("minimum") && value < schema["minimum"]) return at + ": below minimum";
  if (schema.contains("maximum") && value > schema["maximum"]) return at + ": above maximum";
  if (value.is_array() && schema.contains("items"))
    for (std::size_t i = 0; i < value.size(); ++i)
      if (auto wrong = misfit(doc, schema["items"], value[i], fmt::format("{}[{}]", at, i)); !wrong.empty()) return wrong;
  if (!value.is_object()) return {};
  for (const auto& name : schema.value("required", json::array()))
    if (!value.contains(name)) return fmt::format("{}: {} is missing", at, name.dump());
  for (const auto& [name, member] : value.items()) {
    const std::string inside = at + "." + name;
    if (schema.contains("properties") && schema["properties"].contains(name)) {
      if (auto wrong = misfit(doc, schema["properties"][name], member, inside); !wrong.empty()) return wrong;
    } else if (schema.contains("additionalProperties")) {
      const json& rest = schema["additionalProperties"];
      if (rest == false) return inside + ": not described";
      if (rest.is_object())
        if (auto wrong = misfit(doc, rest, member, inside); !wrong.empty()) return wrong;
    }
  }
  return {};
}

// What only other wires have a word for.
constexpr std::array<std::string_view, 16> kOfOtherWires{"package.note", "package.reconcile", "package.watch", "job.count",
                                                         "job.find",     "keys.await",        "keys.clear",    "keys.read",
                                                         "keys.write",   "namespace.update",  "run.complete",  "run.fail",
                                                         "run.get_step", "run.start_child",   "worker.retire", "worker.verify"};

TEST(Routes, ReachEveryCommandOfTheCatalogueButWhatOtherWiresHave) {
  std::set<const command::Spec*> reached;
  for (const Route& route : routes()) reached.insert(route.command);
  for (const command::Spec* spec : command::catalogue()) {
    const bool of_others = std::find(kOfOtherWires.begin(), kOfOtherWires.end(), spec->name) != kOfOtherWires.end();
    EXPECT_NE(reached.contains(spec), of_others) << spec->name;
  }
}

TEST(Routes, NameOnlyCommandsOfTheCatalogue) {
  const auto specs = command::catalogue();
  for (const Route& route : routes()) {
    if (route.command == nullptr) {
      EXPECT_NE(route.access, Access::by_command) << route.pattern;
    } else {
      EXPECT_NE(std::find(specs.begin(), specs.end(), route.command), specs.end()) << route.pattern;
    }
  }
}

TEST(Routes, PreferWordsToParameters) {
  EXPECT_EQ(match(Method::post, {"api", "v1", "jobs", "claim"}).route->command->name, "job.claim");
  const Match one = match(Method::get, {"api", "v1", "jobs", "abc"});
  EXPECT_EQ(one.route->command->name, "job.get");
  EXPECT_EQ(one.parameters, std::vector<std::string>{"abc"});
  EXPECT_EQ(match(Method::get, {"api", "v1", "jobs", "claim"}).route, nullptr) << "a word of the path is not a job's id";
  EXPECT_EQ(match(Method::head, {"healthz"}).route->pattern, "/healthz");
  EXPECT_TRUE(match(Method::get, {"api", "v1"}).allow.empty());
  EXPECT_TRUE(match(Method::get, {"api", "v1", "jobs", ""}).allow.empty());
}

TEST(OpenApi, DescribesEveryRouteAndNothingElse) {
  const json doc = document();
  std::set<std::string> described;
  for (const auto& [path, operations] : doc["paths"].items())
    for (const auto& [method, operation] : operations.items()) described.insert(method + " " + path);
  std::set<std::string> routed;
  for (const Route& route : routes()) routed.insert(fmt::format("{} {}", lower(to_string(route.method)), route.pattern));
  EXPECT_EQ(described, routed);
}

TEST(OpenApi, NamesTheRoleEachCommandNeeds) {
  const json doc = document();
  for (const Route& route : routes()) {
    const json& operation = doc["paths"][std::string(route.pattern)][lower(to_string(route.method))];
    const bool open = route.access == Access::everybody || route.access == Access::probe;
    std::string role = open ? "nobody" : "read-only";
    if (route.command != nullptr && route.command->auth == command::Auth::worker) role = "worker";
    if (route.command != nullptr && route.command->auth == command::Auth::operator_only) role = "operator";
    EXPECT_EQ(operation["x-role"], role) << route.pattern;
  }
}

TEST(OpenApi, ResolvesEveryReferenceAndNamesOperationsOnce) {
  const json doc = document();
  EXPECT_EQ(doc["openapi"], "3.1.0");
  std::set<std::string> ids;
  const std::function<void(const json&)> visit = [&](const json& node) {
    if (node.is_object() && node.contains("$ref")) {
      EXPECT_TRUE(doc.contains(json::json_pointer(node["$ref"].get<std::string>().substr(1)))) << node.dump();
    }
    if (node.is_object() && node.contains("operationId")) {
      EXPECT_TRUE(ids.insert(node["operationId"]).second) << node["operationId"];
    }
    for (const json& child : node)
      if (child.is_structured()) visit(child);
  };
  visit(doc);
}

TEST(OpenApi, GivesExamplesThatFitTheirSchemas) {
  const json doc = document();
  std::size_t checked = 0;
  const auto check_content = [&](const json& holder, const std::string& where) {
    if (!holder.contains("content") || !holder["content"].contains("application/json")) return;
    const json& content = holder["content"]["application/json"];
    if (!content.contains("example")) return;
    EXPECT_EQ(misfit(doc, content["schema"], content["example"], where), "");
    ++checked;
  };
  for (const auto& [path, operations] : doc["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      const std::string where = method + " " + path;
      if (operation.contains("requestBody")) check_content(operation["requestBody"], where + " request");
      for (const auto& [status, response] : operation["responses"].items()) check_content(response, where + " " + status);
    }
  }
  EXPECT_GT(checked, 50u);
}

TEST(OpenApi, DescribesTheProblemThatIsSent) {
  const json doc = document();
  for (int code = static_cast<int>(Code::invalid_argument); code <= static_cast<int>(Code::internal); ++code) {
    const Response response = problem(Status(static_cast<Code>(code), "detail"), "/x");
    EXPECT_EQ(misfit(doc, {{"$ref", "#/components/schemas/Problem"}}, json::parse(response.body), "problem"), "");
  }
}

TEST(Problem, HasAStatusForEveryCode) {
  EXPECT_EQ(http_status(Code::ok), 200u);
  EXPECT_EQ(http_status(Code::invalid_argument), 400u);
  EXPECT_EQ(http_status(Code::unauthenticated), 401u);
  EXPECT_EQ(http_status(Code::permission_denied), 403u);
  EXPECT_EQ(http_status(Code::not_found), 404u);
  EXPECT_EQ(http_status(Code::already_exists), 409u);
  EXPECT_EQ(http_status(Code::conflict), 409u);
  EXPECT_EQ(http_status(Code::lease_lost), 409u);
  EXPECT_EQ(http_status(Code::exhausted), 429u);
  EXPECT_EQ(http_status(Code::unavailable), 503u);
  EXPECT_EQ(http_status(Code::outcome_unknown), 504u);
  EXPECT_EQ(http_status(Code::corrupt), 500u);
  EXPECT_EQ(http_status(Code::internal), 500u);
}

TEST(Problem, HasAPageForEveryCode) {
  for (int code = static_cast<int>(Code::invalid_argument); code <= static_cast<int>(Code::internal); ++code) {
    const std::string page = fmt::format("docs/errors/{}.md", to_string(static_cast<Code>(code)));
    EXPECT_TRUE(std::ifstream(page).good()) << page << " (the test runs in the root of the tree)";
  }
}

}  // namespace
}  // namespace muster::http
