// The small parts of a worker: addresses, identity, resources, the upgrade, the table of tasks.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/temp_folder_testing.h"
#include "sdk/cpp/ws/connection.h"
#include "sdk/cpp/ws/endpoint.h"
#include "sdk/cpp/ws/instance_id.h"
#include "sdk/cpp/ws/machine_load.h"
#include "sdk/cpp/ws/resources.h"
#include "sdk/cpp/ws/running_task.h"
#include "sdk/cpp/ws/task_table.h"
#include "sdk/cpp/ws/worker.h"

namespace muster::sdk::ws {
namespace {

using namespace std::chrono_literals;

TEST(Endpoint, KnowsHostPortPathAndTls) {
  const auto plain = parse_endpoint("ws://example.org:8080/ws/worker");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->host, "example.org:8080");
  EXPECT_EQ(plain->target, "/ws/worker");
  EXPECT_EQ(plain->address.port, 8080);
  EXPECT_FALSE(plain->address.tls);
  const auto secure = parse_endpoint("wss://[::1]");
  ASSERT_TRUE(secure.ok());
  EXPECT_EQ(secure->address.host, "::1");
  EXPECT_EQ(secure->address.port, 443);
  EXPECT_EQ(secure->target, "/ws/worker");
  EXPECT_TRUE(secure->address.tls);
  EXPECT_EQ(secure->address.text(), "wss://[::1]:443");
}

TEST(Endpoint, RefusesWhatIsNoneInWords) {
  for (const char* url : {"", "http://x", "ws://", "ws://user@x/", "ws://x:99999/", "ws://x /", "ws://x/#a", "ws://:1"}) {
    const auto parsed = parse_endpoint(url);
    ASSERT_FALSE(parsed.ok()) << url;
    EXPECT_EQ(parsed.error().code, Code::invalid_argument);
    EXPECT_NE(parsed.error().detail.find("expected ws://HOST"), std::string::npos) << url;
  }
}

TEST(InstanceIdFile, IsMadeOnceForItsOwnerAloneAndStaysTheSame) {
  const TempFolder folder;
  const std::string path = folder.path("var") + "/deeper/worker_instance_id";
  std::string first;
  {
    const auto made = InstanceId::open(path);
    ASSERT_TRUE(made.ok()) << made.error().text();
    first = made->text();
  }
  EXPECT_EQ(first.size(), 36U);
  EXPECT_EQ(first[14], '4');
  struct stat file {};
  ASSERT_EQ(::stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()), {}), 1)
      << "nothing beside it";
  const auto again = InstanceId::open(path);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->text(), first);
}

TEST(InstanceIdFile, IsOneWorkersAtATime) {
  const TempFolder folder;
  const auto holder = InstanceId::open(folder.path("id"));
  ASSERT_TRUE(holder.ok());
  EXPECT_EQ(InstanceId::open(folder.path("id")).error().code, Code::conflict);
}

TEST(InstanceIdFile, ThatHoldsNoIdIsRefused) {
  const TempFolder folder;
  for (const char* text : {"", "\n", "two words", "\x01"}) {
    std::ofstream(folder.path("id")) << text;
    EXPECT_EQ(InstanceId::open(folder.path("id")).error().code, Code::corrupt) << text;
  }
}

Resource file_resource(std::string id, std::optional<Instant> expires = {}) {
  return {.resource_id = std::move(id), .type = "file", .scope = "", .path = "", .size_bytes = 10, .expires_at = expires};
}
ResourceRef ref_to(std::string id, std::string worker = "w") {
  return {.resource_id = std::move(id), .worker_name = std::move(worker), .type = "file", .scope = "", .expires_at = {}};
}

TEST(Resources, AreLeasedTogetherOrNotAtAll) {
  ResourceRegistry registry;
  const Instant now{1000s};
  ASSERT_TRUE(registry.add(file_resource("a")).ok());
  EXPECT_EQ(registry.add(file_resource("a")).error().code, Code::already_exists);
  EXPECT_EQ(registry.lease({ref_to("a"), ref_to("b")}, "w", now).error().code, Code::not_found);
  EXPECT_EQ(registry.lease({ref_to("a", "other")}, "w", now).error().code, Code::not_found);
  ResourceRef wrong_type = ref_to("a");
  wrong_type.type = "model";
  EXPECT_EQ(registry.lease({wrong_type}, "w", now).error().code, Code::not_found);
  EXPECT_TRUE(registry.lease({ref_to("a")}, "w", now).ok());
  EXPECT_EQ(registry.handles(), 1U);
  EXPECT_EQ(registry.bytes(), 10U);
}

TEST(Resources, ThatAreInUseOutliveTheirExpiryAndTheirRemoval) {
  std::vector<std::string> evicted;
  ResourceRegistry registry([&](const Resource& resource) { evicted.push_back(resource.resource_id); });
  const Instant now{1000s};
  ASSERT_TRUE(registry.add(file_resource("old", now + 1s)).ok());
  ASSERT_TRUE(registry.add(file_resource("removed")).ok());
  const auto leased = registry.lease({ref_to("old"), ref_to("removed")}, "w", now);
  ASSERT_TRUE(leased.ok());
  EXPECT_TRUE(registry.remove("removed"));
  registry.expire(now + 2s);
  EXPECT_TRUE(evicted.empty());
  EXPECT_FALSE(registry.lease({ref_to("old")}, "w", now + 2s).ok()) << "nobody gets it any more";
  registry.release(*leased);
  registry.expire(now + 2s);
  EXPECT_EQ(evicted, (std::vector<std::string>{"removed", "old"}));
  EXPECT_EQ(registry.bytes(), 0U);
}

TEST(MachineLoad, IsMeasured) {
  LoadMeter meter("/");
  const MachineLoad load = meter.read();
  for (const auto& percent : {load.cpu_pct, load.mem_pct, load.disk_pct}) {
    ASSERT_TRUE(percent.has_value());
    EXPECT_GE(*percent, 0.0);
    EXPECT_LE(*percent, 100.0);
  }
}

struct ConnectionTest : testing::Test {
  Connection connection{*parse_endpoint("ws://h:1/"), "test", [] { return std::uint64_t{1}; }, {}};
  std::vector<std::string> messages;
};

TEST_F(ConnectionTest, EndsWhenTheUpgradeIsRefusedAnsweredWronglyOrNotAtAll) {
  connection.received("HTTP/1.1 401 Unauthorized\r\n\r\n", {}, messages);
  ASSERT_TRUE(connection.end());
  EXPECT_EQ(connection.end()->status.code(), muster::Code::unauthenticated);
  Connection other{*parse_endpoint("ws://h:1/"), "test", [] { return std::uint64_t{1}; }, {}};
  other.received("SSH-2.0-x\r\n\r\n", {}, messages);
  EXPECT_EQ(other.end()->status.code(), muster::Code::invalid_argument);
  Connection endless{*parse_endpoint("ws://h:1/"), "test", [] { return std::uint64_t{1}; }, {}};
  for (int i = 0; i < 20 && !endless.end(); ++i) endless.received(std::string(1024, 'x'), {}, messages);
  EXPECT_TRUE(endless.end()) << "an answer without end is not kept";
  Connection silent{*parse_endpoint("ws://h:1/"), "test", [] { return std::uint64_t{1}; }, {}};
  silent.tick({.ticks = kUpgradeWithin, .wall = {}});
  EXPECT_EQ(silent.end()->status.code(), muster::Code::unavailable);
}

TaskInfo task_of(std::string id, std::string type = "t", std::string key = "") {
  TaskInfo task;
  task.run_id = "r";
  task.task_id = std::move(id);
  task.node_type = std::move(type);
  task.concurrency_key = std::move(key);
  task.seq = 1;
  return task;
}

TEST(TaskTable, HoldsToMaxParallelAndToTheLimitsOfNodes) {
  TaskTable table({.max_parallel = 2, .per_node = {{"narrow", 1}}});
  for (const char* id : {"a", "b"}) table.admit(task_of(id, "narrow"));
  table.admit(task_of("c", "wide"));
  table.admit(task_of("d", "wide"));
  const auto first = table.to_start({});
  const auto second = table.to_start({});
  EXPECT_EQ(table.task(*first).task_id, "a");
  EXPECT_EQ(table.task(*second).task_id, "c") << "b waits for a, and lets others pass";
  EXPECT_FALSE(table.to_start({}));
  table.returned(*first);
  EXPECT_EQ(table.task(*table.to_start({})).task_id, "b");
  EXPECT_EQ(table.inflight(), 3U);
}

TEST(TaskTable, RefusesASecondOfAKeyWhileTheFirstIsUnderWay) {
  TaskTable table({.max_parallel = 8, .per_node = {}});
  EXPECT_EQ(table.admit(task_of("a", "t", "k")).admission, Admission::accepted);
  EXPECT_EQ(table.admit(task_of("b", "t", "k")).admission, Admission::running);
  EXPECT_EQ(table.admit(task_of("a")).admission, Admission::running);
  table.returned(*table.to_start({}));
  EXPECT_EQ(table.admit(task_of("b", "t", "k")).admission, Admission::accepted);
}

TEST(TaskTable, RemembersASuccessByItsNumberUntilAckAndConnectionAreGone) {
  TaskTable table({.max_parallel = 8, .per_node = {}});
  table.remember(task_of("a"), {.kind = session::FrameKind::result, .payload = "{}"}, 5);
  EXPECT_EQ(table.admit(task_of("a")).admission, Admission::finished);
  TaskInfo again = task_of("a");
  again.seq = 2;
  EXPECT_EQ(table.admit(again).admission, Admission::accepted) << "another number is another task";
  table.returned(*table.to_start({}));
  table.connection_lost();
  EXPECT_EQ(table.admit(task_of("a")).admission, Admission::finished) << "the scheduler may not have it";
  table.acked(5);
  table.connection_lost();
  EXPECT_EQ(table.admit(task_of("a")).admission, Admission::accepted);
}

TEST(TaskTable, IsBounded) {
  TaskTable table({.max_parallel = 1, .per_node = {}});
  for (std::size_t i = 0; i < kTasksHeldMax; ++i)
    ASSERT_EQ(table.admit(task_of(std::to_string(i))).admission, Admission::accepted);
  EXPECT_EQ(table.admit(task_of("more")).admission, Admission::full);
}

// --- a task in a handler's hands ---

struct FakePort final : TaskPort {
  bool post_feedback(const std::string&, std::string payload) override {
    feedback.push_back(std::move(payload));
    return has_room;
  }
  void post_next(Execution, NextAsk ask) override {
    if (on_next) on_next(ask);
  }
  std::string next_request_id() override { return "next-" + std::to_string(ids++); }
  ResourceRegistry& registry() override { return resources; }

  std::vector<std::string> feedback;
  bool has_room = true;
  std::function<void(const NextAsk&)> on_next;
  int ids = 0;
  ResourceRegistry resources;
};

TaskInfo middleware() {
  TaskInfo task = task_of("mw");
  task.middleware_chain = {"mw"};
  task.chain_index = 0;
  return task;
}

TEST(RunningTask, SaysFeedbackAndToldWhyNot) {
  FakePort port;
  RunningTask task(port, 1, task_of("a"), {});
  Feedback feedback;
  feedback.progress = 0.5;
  feedback.chunks.push_back({.channel = OutputChannel::standard_output, .data = "\x01\xFF", .is_binary = true});
  ASSERT_TRUE(task.feedback(feedback).ok());
  EXPECT_EQ(Json::parse(port.feedback[0]),
            Json::parse(R"({"run_id":"r","task_id":"a","progress":0.5,"chunks":[{"channel":"stdout","data_base64":"Af8="}]})"));
  feedback.progress = 1.5;
  EXPECT_EQ(task.feedback(feedback).error().code, Code::invalid_argument);
  feedback.progress = 1.0;
  port.has_room = false;
  EXPECT_EQ(task.feedback(feedback).error().code, Code::exhausted);
}

TEST(RunningTask, WaitsForItsNextUntilAnAnswerOrTheEnd) {
  FakePort port;
  RunningTask task(port, 1, middleware(), {});
  port.on_next = [&](const NextAsk& ask) { task.answer({.request_id = ask.request_id, .reply = {.result = {{"x", 1}}}}); };
  const auto answered = task.next({{"i", 1}}, std::nullopt);
  ASSERT_TRUE(answered.ok());
  EXPECT_EQ(answered->result, (Json{{"x", 1}}));
  port.on_next = [&](const NextAsk&) { task.fail_nexts(); };
  EXPECT_EQ(task.next(Json::object(), 5s)->error_code, "next_cancelled");
  port.on_next = [&](const NextAsk&) { task.cancel(); };
  EXPECT_EQ(task.next(Json::object(), 5s)->error_code, "next_cancelled");
  RunningTask host(port, 2, task_of("host"), {});
  EXPECT_EQ(host.next(Json::object(), std::nullopt).error().code, Code::invalid_argument);
}

TEST(RunningTask, TellsOfItsCancellationOnceAndAtOnceWhenItIsLate) {
  FakePort port;
  RunningTask task(port, 1, task_of("a"), {});
  int told = 0;
  task.on_cancel([&] { ++told; });
  task.cancel();
  task.cancel();
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(task.cancelled());
  task.on_cancel([&] { ++told; });
  EXPECT_EQ(told, 2);
}

TEST(RunningTask, NamesWhatItKeepsAmongItsArtifacts) {
  FakePort port;
  RunningTask task(port, 1, task_of("a"), {});
  ASSERT_TRUE(task.keep(file_resource("made")).ok());
  EXPECT_FALSE(task.keep(file_resource("made")).ok());
  const auto artifacts = task.take_artifacts();
  ASSERT_EQ(artifacts.size(), 1U);
  EXPECT_EQ(artifacts[0].resource_id, "made");
  EXPECT_EQ(port.resources.handles(), 1U);
}

TEST(WsWorker, RefusesOptionsAndHandlersThatCannotWorkInWords) {
  const TempFolder folder;
  WorkerOptions good;
  good.instance_file = folder.path("id");
  const auto detail = [&](const std::function<void(WorkerOptions&)>& spoil) {
    WorkerOptions options = good;
    spoil(options);
    const auto opened = Worker::open(options);
    return opened.ok() ? std::string() : opened.error().detail;
  };
  EXPECT_NE(detail([](auto& o) { o.url = "x"; }).find("ws://HOST"), std::string::npos);
  EXPECT_NE(detail([](auto& o) { o.max_parallel = 0; }).find("max_parallel: 0 is not from 1 to"), std::string::npos);
  EXPECT_NE(detail([](auto& o) { o.window = 65; }).find("window: 65"), std::string::npos);
  EXPECT_NE(detail([](auto& o) { o.tenant = ""; }).find("tenant"), std::string::npos);
  EXPECT_NE(detail([](auto& o) { o.auth = AuthMode::mtls; }).find("mtls needs"), std::string::npos);
  auto worker = Worker::open(good);
  ASSERT_TRUE(worker.ok()) << worker.error().text();
  EXPECT_EQ((*worker)->start().error().code, Code::invalid_argument) << "no handlers";
  (*worker)->register_node("a b", [](Task&) { return Json::object(); });
  EXPECT_NE((*worker)->start().error().detail.find("node type `a b`"), std::string::npos);
}

TEST(WsWorker, EndsWhenStoppedWhileNobodyAnswers) {
  const TempFolder folder;
  WorkerOptions options;
  options.url = "ws://127.0.0.1:1/ws/worker";  // reserved, and closed everywhere these tests run
  options.instance_file = folder.path("id");
  options.log = [](std::string_view) {};
  auto worker = Worker::open(options);
  ASSERT_TRUE(worker.ok());
  (*worker)->register_node("demo.echo", [](Task& task) { return task.parameters(); });
  ASSERT_TRUE((*worker)->start().ok());
  (*worker)->shutdown();
  EXPECT_TRUE((*worker)->wait().ok());
  EXPECT_EQ((*worker)->status().state, "CLOSED");
}

}  // namespace
}  // namespace muster::sdk::ws
