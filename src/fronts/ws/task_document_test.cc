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

// What users wrote stays the text they wrote, in the order of names that a tree is written in.
TEST(TaskDocument, ParametersAreTheVeryTextThatCame) {
  const Grant plain = grant_of(R"({"z": 1.50, "a": "caf\u00e9"})");
  const std::string job = plain.id.text();
  EXPECT_EQ(task_document(plain, with_nodes())->payload,
            R"({"concurrency_key":")" + job + R"(:demo.echo","constraints":{},"node_id":"demo.echo","node_type":"demo.echo",)" +
                R"("package_name":"demo.pkg","package_version":"1.10.0","parameters":{"z": 1.50, "a": "caf\u00e9"},"run_id":")" +
                job + R"(","task_id":")" + job + R"("})");
  const Grant document =
      grant_of(R"({"parameters": {"b": 1}, "node_type": "demo.echo", "run_id": "r", "task_id": "", "note": [1]})");
  EXPECT_EQ(task_document(document, with_nodes())->payload,
            R"({"concurrency_key":"r:demo.echo","constraints":{},"node_id":"demo.echo","node_type":"demo.echo","note":[1],)"
            R"("package_name":"demo.pkg","package_version":"1.10.0","parameters":{"b": 1},"run_id":"r","task_id":")" +
                job + R"("})");
}

// Escapes, repeated names and long texts take the other way, and say the same.
TEST(TaskDocument, UnusualTextsMeanTheSame) {
  const auto sent = [](std::string payload) { return payload_of(grant_of(std::move(payload))); };
  EXPECT_EQ(sent(R"({"node_type":"demo.echo","parameters":{},"run_id":"r\u0031"})")["run_id"], "r1");
  EXPECT_EQ(sent(R"({"node_type":"demo.echo","p\u0061rameters":{"a":1}})")["parameters"], (Json{{"a", 1}}));
  EXPECT_EQ(sent(R"({"a":1,"a":2})")["parameters"], (Json{{"a", 2}}));
  EXPECT_EQ(sent(R"( {"a":1} )")["parameters"], (Json{{"a", 1}}));
  const std::string long_text(100'000, 'x');
  EXPECT_EQ(sent(R"({"a" : ")" + long_text + "\"}")["parameters"], (Json{{"a", long_text}}));
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

TEST(TaskDocument, AChainIsKeptAndItsNamesAreFilledIn) {
  const auto document = task_document(
      grant_of(
          R"({"node_type":"demo.echo","run_id":"r","node_id":"m1","parameters":{},"chain":[{"node_id":"m2","node_type":"t2"},{"node_id":"h","node_type":"t3"}]})"),
      with_nodes());
  ASSERT_TRUE(document.ok()) << document.status().text();
  EXPECT_EQ(Json::parse(document->payload)["middleware_chain"], Json::parse(R"(["m1","m2"])"));
  const Json second{{"node_id", "m2"},
                    {"node_type", "t2"},
                    {"task_id", "m2"},
                    {"run_id", "r"},
                    {"parameters", Json::object()},
                    {"host_node_id", "h"},
                    {"middleware_chain", {"m1", "m2"}},
                    {"chain_index", 1},
                    {"chain", {{{"node_id", "h"}, {"node_type", "t3"}}}}};
  EXPECT_EQ(Json(document->next), second);
  const JobSpec job = job_of_next(document->next);
  EXPECT_EQ(job.type, JobType("t2"));
  EXPECT_EQ(job.needs, CapabilitySet({"node:t2"}));
}

TEST(TaskDocument, NamesOfAChainThatDoNotFitAreRefused) {
  const auto refused = [](std::string names) {
    return task_document(grant_of(R"({"node_type":"demo.echo","node_id":"m","parameters":{},)" + names + "}"), with_nodes())
               .code() == Code::invalid_argument;
  };
  EXPECT_TRUE(refused(R"("middleware_chain":["m"],"chain_index":0)")) << "no host";
  EXPECT_TRUE(refused(R"("middleware_chain":["m"],"host_node_id":"h")")) << "no index";
  EXPECT_TRUE(refused(R"("middleware_chain":["m"],"host_node_id":"h","chain_index":1)")) << "out of range";
  EXPECT_TRUE(refused(R"("middleware_chain":["x"],"host_node_id":"h","chain_index":0)")) << "somebody else's place";
  EXPECT_TRUE(refused(R"("middleware_chain":["x"],"host_node_id":"m","chain_index":0)")) << "a host with an index";
  EXPECT_TRUE(refused(R"("chain":[])"));
  EXPECT_TRUE(refused(R"("chain":[{"node_id":"h"}])"));
  EXPECT_FALSE(refused(R"("middleware_chain":["x"],"host_node_id":"m")"));
}

TEST(TaskDocument, ANodeThatNoPackageHasIsRefused) {
  EXPECT_EQ(task_document(grant_of("{}"), Registration()).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::ws
