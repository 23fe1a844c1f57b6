// What can be wrong about a worker before it ever speaks.
#include "sdk/cpp/workflow/worker.h"

#include <gtest/gtest.h>

#include "sdk/cpp/workflow/client.h"

namespace muster::sdk::workflow {
namespace {

using namespace std::chrono_literals;

// The detail of a refusal, or nothing.
std::string refusal(const WorkerBuilder& builder) {
  const auto built = builder.build();
  if (built.ok()) return {};
  EXPECT_EQ(built.error().code, Code::invalid_argument);
  return built.error().detail;
}

WorkerBuilder good() { return Worker::builder("127.0.0.1:50051", "orders"); }

TEST(WorkflowBuilder, TakesTheDefaultsAndEverySetting) {
  EXPECT_EQ(refusal(good()), "");
  EXPECT_EQ(refusal(good()
                        .ns("tenant")
                        .max_concurrent(100)
                        .step_threads(4)
                        .hostname("here")
                        .version("1.2")
                        .label("zone", "a")
                        .token("secret")
                        .default_step_retry({.attempts_max = 3})
                        .drain_deadline(5s)
                        .handle_signals(false)),
            "");
  EXPECT_EQ(refusal(Worker::builder("http://localhost:50051/", "q")), "");
  EXPECT_EQ(refusal(Worker::builder("[::1]:50051", "q")), "");
}

TEST(WorkflowBuilder, RefusesBadValuesWithWhatTheyMayBe) {
  EXPECT_NE(refusal(Worker::builder("nowhere", "q")).find("HOST:PORT"), std::string::npos);
  EXPECT_NE(refusal(Worker::builder("host:0", "q")).find("1 to 65535"), std::string::npos);
  EXPECT_NE(refusal(Worker::builder("host:99999", "q")).find("1 to 65535"), std::string::npos);
  EXPECT_NE(refusal(Worker::builder(":50051", "q")).find("HOST:PORT"), std::string::npos);
  EXPECT_NE(refusal(Worker::builder("host:1", "")).find("queue"), std::string::npos);
  EXPECT_NE(refusal(good().ns("")).find("namespace"), std::string::npos);
  EXPECT_NE(refusal(good().max_concurrent(0)).find("1 to 1000"), std::string::npos);
  EXPECT_NE(refusal(good().step_threads(0)).find("1 to 256"), std::string::npos);
  EXPECT_NE(refusal(good().label("", "x")).find("label"), std::string::npos);
  EXPECT_NE(refusal(good().drain_deadline(-1ms)).find("drain_deadline"), std::string::npos);
  EXPECT_NE(refusal(good().default_step_retry({.attempts_max = 0})).find("attempts_max"), std::string::npos);
  EXPECT_NE(refusal(good().default_step_retry({.factor = 0.5})).find("factor"), std::string::npos);
  EXPECT_NE(refusal(good().tls({.ca_file = "/no/such/file"})).find("cannot be read"), std::string::npos);
  EXPECT_NE(refusal(good().token("a\nb")).find("line break"), std::string::npos);
}

TEST(WorkflowBuilder, SecretsAreNotPartOfARefusal) {
  EXPECT_EQ(refusal(good().token("top-secret\n")).find("top-secret"), std::string::npos);
}

TEST(WorkflowWorker, TellsMistakesInWorkflowsAtTheStart) {
  auto empty = good().build();
  EXPECT_EQ(empty->start().error().code, Code::invalid_argument);
  auto twice = good().build();
  twice->register_workflow("a", [](Context&) {}).register_workflow("a", [](Context&) {});
  EXPECT_NE(twice->start().error().detail.find("twice"), std::string::npos);
  auto nameless = good().build();
  nameless->register_workflow("", [](Context&) {});
  EXPECT_EQ(nameless->run().error().code, Code::invalid_argument);
}

TEST(WorkflowWorker, ALifeWithoutAServerEndsWhenItIsAskedTo) {
  // Nothing listens on port 1: the worker keeps trying to register, and stop() ends that at once.
  auto worker = Worker::builder("127.0.0.1:1", "q").log([](std::string_view) {}).handle_signals(false).build();
  worker->register_workflow("a", [](Context&) {});
  ASSERT_TRUE(worker->start().ok());
  worker->stop();
  EXPECT_TRUE(worker->wait().ok());
  EXPECT_EQ(worker->status().worker_id, "");
}

TEST(WorkflowClient, RefusesABadAddressAndSaysWhenNobodyIsThere) {
  EXPECT_EQ(Client::open({.address = "x"}).error().code, Code::invalid_argument);
  auto client = Client::open({.address = "127.0.0.1:1", .timeout = 2s}, "q");
  ASSERT_TRUE(client.ok());
  const auto run = client->start("t", 1);
  ASSERT_FALSE(run.ok());
  EXPECT_TRUE(run.error().transient()) << run.error().text();
}

}  // namespace
}  // namespace muster::sdk::workflow
