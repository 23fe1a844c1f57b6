#include "fronts/ws/task_document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace muster::ws {
namespace {

using Json = nlohmann::json;

Registration with_nodes() {
  Registration registration;
  registration.nodes["demo.echo"] = {"demo.pkg", "1.10.0", "installed"};
  return registration;
}

Grant grant_of(std::string payload, Encoding encoding = Encoding::json) {
  Grant grant;
  grant.id = JobId{{1, 2}};
  grant.type = JobType("demo.echo");
  grant.payload = {std::move(payload), encoding};
  return grant;
}

Json payload_of(const Grant& grant) {
  const auto document = task_document(grant, with_nodes());
  EXPECT_TRUE(document.ok()) << document.status().text();
  return document.ok() ? Json::parse(document->payload) : Json();
}

TEST(TaskDocument, AnObjectIsTheParametersAndTheRestIsFilledIn) {
  const Grant grant = grant_of(R"({"m":"hi"})");
  EXPECT_EQ(payload_of(grant), (Json{{"run_id", grant.id.text()},
                                     {"task_id", grant.id.text()},
                                     {"node_id", "demo.echo"},
                                     {"node_type", "demo.echo"},
                                     {"package_name", "demo.pkg"},
                                     {"package_version", "1.10.0"},
                                     {"parameters", {{"m", "hi"}}},
                                     {"constraints", Json::object()},
                                     {"concurrency_key", grant.id.text() + ":demo.echo"}}));
}

TEST(TaskDocument, OtherValuesAreAParameter) {
  EXPECT_EQ(payload_of(grant_of("[1,2]"))["parameters"], (Json{{"payload", {1, 2}}}));
  EXPECT_EQ(payload_of(grant_of("\"text\""))["parameters"], (Json{{"payload", "text"}}));
  EXPECT_EQ(payload_of(grant_of("\xff\x00", Encoding::bytes))["parameters"], (Json{{"payload_base64", "/w=="}}));
  EXPECT_EQ(payload_of(grant_of("", Encoding::bytes))["parameters"], Json::object());
}

TEST(TaskDocument, ADocumentIsSentAsItIs) {
  const Json document{{"run_id", "r"},
                      {"task_id", "t"},
                      {"node_id", "n"},
                      {"node_type", "demo.echo"},
                      {"package_name", "other.pkg"},
                      {"package_version", "2.0.0"},
                      {"parameters", {{"a", nullptr}}},
                      {"constraints", {{"timeout_ms", 5}}},
                      {"concurrency_key", "k"},
                      {"host_node_id", "h"},
                      {"middleware_chain", {"n"}},
                      {"chain_index", 0}};
  EXPECT_EQ(payload_of(grant_of(document.dump())), document);
}

TEST(TaskDocument, NamesOfADocumentNameTheTask) {
  const auto document = task_document(grant_of(R"({"node_type":"demo.echo","run_id":"r","parameters":{}})"), with_nodes());
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->run_id, "r");
  EXPECT_EQ(document->task_id, (JobId{{1, 2}}).text());
  EXPECT_EQ(document->concurrency_key, "r:demo.echo");
}

TEST(TaskDocument, ANodeThatNoPackageHasIsRefused) {
  EXPECT_EQ(task_document(grant_of("{}"), Registration()).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::ws
