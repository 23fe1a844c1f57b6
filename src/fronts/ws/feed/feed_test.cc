// The events that AstraFlow's UIs are told, as texts, on a clock that stands still.
#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "fronts/ws/feed/event_buffer.h"
#include "fronts/ws/feed/run_board.h"
#include "fronts/ws/feed/run_feed.h"
#include "net/connection_testing.h"
#include "net/io_loop.h"
#include "net/on_loop_testing.h"

namespace muster::ws::feed {
namespace {

using namespace std::chrono_literals;

const Instant kAt = from_ms(1'763'193'446'094);

TEST(FeedShapes, AnEventIsOneFrameWithItsEnvelope) {
  const Event event =
      make_event({.number = 7, .type = "run.status", .at = kAt, .scope = {.tenant = "default", .run = "run-1", .client = "c1"}},
                 run_status({.run_id = "run-1", .status = RunStatus::running, .client = "c1", .started_at = kAt}));
  std::string out;
  append_sse(out, event, false);
  EXPECT_EQ(out,
            "id: 7\nevent: run.status\ndata: "
            R"({"version":"v1","id":"7","type":"run.status","occurredAt":"2025-11-15T07:57:26.094000+00:00",)"
            R"("scope":{"tenant":"default","runId":"run-1","clientSessionId":"c1"},)"
            R"("data":{"kind":"run.status","runId":"run-1","status":"running","startedAt":"2025-11-15T07:57:26.094000+00:00"}})"
            "\n\n");
  std::string again;
  append_sse(again, event, true);
  EXPECT_NE(again.find(R"("clientSessionId":"c1"},"replayed":true,"data":)"), std::string::npos);
}

TEST(FeedShapes, ChunksAreAppendedToTheirChannel) {
  OutputChunk chunk;
  chunk.channel = OutputChannel::llm;
  chunk.data = "tok\n";
  chunk.mime_type = "text/plain";
  chunk.metadata = R"({"k":1})";
  EXPECT_EQ(node_chunk_delta({.run_id = "r", .node_id = "n", .revision = 3, .sequence = 1}, chunk),
            R"({"kind":"node.result.delta","runId":"r","nodeId":"n","revision":3,"sequence":1,"operation":"append",)"
            R"("path":"/channels/llm","payload":{"text":"tok\n","mimeType":"text/plain"},)"
            R"("chunkMeta":{"channel":"llm","metadata":{"k":1}},"terminal":false})");
  chunk.text = false;
  chunk.data = std::string("\x00\xff", 2);
  chunk.terminal = true;
  const std::string bytes = node_chunk_delta({.run_id = "r", .node_id = "n"}, chunk);
  EXPECT_NE(bytes.find(R"("payload":{"data":"AP8=","mimeType":"text/plain"})"), std::string::npos);
  EXPECT_NE(bytes.find(R"("terminal":true)"), std::string::npos);
}

TEST(FeedShapes, MergedResultsAreReplacedAndRemovedByPointer) {
  const Delta delta{.run_id = "r", .node_id = "n", .revision = 1, .sequence = 2};
  EXPECT_EQ(node_value_delta(delta, "a/b~c", "[1]"),
            R"({"kind":"node.result.delta","runId":"r","nodeId":"n","revision":1,"sequence":2,"operation":"replace",)"
            R"("path":"/a~1b~0c","payload":{"value":[1]},"terminal":false})");
  EXPECT_EQ(node_value_delta(delta, "x", ""),
            R"({"kind":"node.result.delta","runId":"r","nodeId":"n","revision":1,"sequence":2,"operation":"remove",)"
            R"("path":"/x","terminal":false})");
}

TEST(FeedShapes, ResultsAndArtifactsAreInTheNamesOfTheHttpApi) {
  const json::Tree artifacts = *json::parse(R"([{"resource_id":"r1","worker_id":"w","type":"file","size_bytes":3}])");
  EXPECT_EQ(node_result_snapshot({.run_id = "r",
                                  .node_id = "n",
                                  .revision = 1,
                                  .content = R"({"x":1})",
                                  .artifacts = run_artifacts(artifacts),
                                  .complete = true}),
            R"({"kind":"node.result.snapshot","runId":"r","nodeId":"n","revision":1,"format":"json","content":{"x":1},)"
            R"("artifacts":[{"resourceId":"r1","sizeBytes":3,"type":"file","workerName":"w"}],"complete":true})");
}

TEST(FeedShapes, BeatsAndPackagesAreToldPerWorker) {
  const json::Tree beat = *json::parse(R"({"healthy":true,"metrics":{"cpu_pct":1.5,"latency_ms":2,"inflight":0}})");
  EXPECT_EQ(worker_heartbeat({.name = "w", .instance = "i", .hostname = "h", .version = "1"}, kAt, &beat),
            R"({"kind":"worker.heartbeat","workerName":"w","at":"2025-11-15T07:57:26.094000+00:00","instanceId":"i",)"
            R"("hostname":"h","version":"1","connected":true,"registered":true,)"
            R"("heartbeat":{"healthy":true,"metrics":{"cpuPct":1.5,"inflight":0,"latencyMs":2}}})");
  EXPECT_EQ(worker_package("w", {.name = "demo.pkg", .version = "1.0.0", .status = "removed"}),
            R"({"kind":"worker.package","workerName":"w","package":"demo.pkg","version":"1.0.0","status":"removed"})");
}

StatusCounts counts(std::initializer_list<RunStatus> all) {
  StatusCounts out{};
  for (const RunStatus status : all) ++out[static_cast<std::size_t>(status)];
  return out;
}

TEST(RunBoard, ARunIsWhatItsTasksAreTogether) {
  using enum RunStatus;
  EXPECT_EQ(rollup(counts({queued, queued})), queued);
  EXPECT_EQ(rollup(counts({queued, succeeded})), running);
  EXPECT_EQ(rollup(counts({running, failed})), failed);
  EXPECT_EQ(rollup(counts({succeeded, succeeded})), succeeded);
  EXPECT_EQ(rollup(counts({succeeded, skipped})), succeeded);
  EXPECT_EQ(rollup(counts({cancelled, cancelled})), cancelled);
  EXPECT_EQ(rollup(counts({cancelled, succeeded})), succeeded);
}

TEST(RunBoard, ForgetsTheRunThatWasBegunLongestAgo) {
  RunBoard board;
  for (std::size_t i = 0; i <= kRunsShownMax; ++i) board.task({"t", "run-" + std::to_string(i), "n"}, JobId{{1, i + 1}});
  EXPECT_EQ(board.size(), kRunsShownMax);
  EXPECT_EQ(board.name_of(JobId{{1, 1}}), nullptr);
  EXPECT_FALSE(board.find({"t", "run-0", "n"}));
  EXPECT_TRUE(board.find({"t", "run-1", "n"}));
}

TEST(RunBoard, ATaskThatIsSubmittedAgainIsItsLatestJob) {
  RunBoard board;
  board.task({"t", "r", "n"}, JobId{{1, 1}});
  board.task({"t", "r", "n"}, JobId{{1, 2}});
  EXPECT_EQ(board.name_of(JobId{{1, 1}}), nullptr);
  ASSERT_NE(board.name_of(JobId{{1, 2}}), nullptr);
}

Event numbered(std::uint64_t number, std::size_t bytes = 1) {
  Event event;
  event.number = number;
  event.tail = std::string(bytes, 'x');
  return event;
}

TEST(EventBuffer, HoldsTheLatestThousandNumberedFromOne) {
  EventBuffer buffer;
  EXPECT_EQ(buffer.next_number(), 1U);
  for (std::uint64_t i = 1; i <= kFeedEventsMax + 5; ++i) buffer.add(numbered(i));
  EXPECT_EQ(buffer.oldest(), 6U);
  EXPECT_EQ(buffer.at(6).number, 6U);
}

TEST(EventBuffer, IsBoundedInBytesToo) {
  EventBuffer buffer;
  for (std::uint64_t i = 1; i <= 10; ++i) buffer.add(numbered(i, kFeedBytesMax / 4));
  EXPECT_GE(buffer.oldest(), 7U);
}

TEST(EventBuffer, ResumesBehindWhatIsKnownAndFromTheBeginningElse) {
  EventBuffer buffer;
  for (std::uint64_t i = 1; i <= kFeedEventsMax + 5; ++i) buffer.add(numbered(i));
  EXPECT_EQ(buffer.resume_from("10"), 11U);
  EXPECT_EQ(buffer.resume_from("1005"), 1'006U);
  for (const char* unknown : {"", "3", "1006", "99999999999999999999", "x", "-1"})
    EXPECT_EQ(buffer.resume_from(unknown), 6U) << unknown;
}

class RunFeedTest : public testing::Test {
 protected:
  RunFeedTest() { loop.start(); }
  ~RunFeedTest() override { loop.stop(); }
  void on_loop(UniqueFunction<void()> body) { net::run_on(loop, std::move(body)); }

  struct Reader {
    net::HeldConnection connection;
    std::shared_ptr<net::Session> session;
    std::size_t read = 0;
    // The types of what came since the last look.
    std::vector<json::Tree> hear() {
      session->output_drained();
      std::vector<json::Tree> out;
      std::string_view text = std::string_view(connection.sent).substr(read);
      read = connection.sent.size();
      while (!text.empty()) {
        const std::size_t end = text.find("\n\n");
        const std::string_view frame = text.substr(0, end);
        if (const std::size_t data = frame.find("\ndata: "); data != std::string_view::npos)
          out.push_back(*json::parse(frame.substr(data + 7)));
        else
          comments += std::string(frame) + ";";
        text.remove_prefix(end + 2);
      }
      return out;
    }
    std::string types() {
      std::string out;
      for (const json::Tree& event : hear()) out += event["type"].get<std::string>() + " ";
      return out;
    }
    std::string comments;
  };
  std::unique_ptr<Reader> listen(std::string client = "", std::string last = "", std::string tenant = "default") {
    auto reader = std::make_unique<Reader>();
    auto opened = feed.open({std::move(tenant), std::move(client), std::move(last), {}}, reader->connection);
    EXPECT_TRUE(opened.ok());
    reader->session = *std::move(opened);
    return reader;
  }
  void dispatch(std::string client = "") {
    feed.dispatched(
        {.task = task, .job = job, .node_id = "n", .worker = "w", .dispatch_id = "d1", .client = std::move(client), .seq = 1});
  }
  void change(JobState to, std::string cause = "") {
    JobChange change;
    change.id = job;
    change.to = to;
    change.cause = std::move(cause);
    feed.changed(change);
  }

  ManualClock clock;
  net::IoLoop loop{clock};
  Deadlines deadlines{loop};
  RunFeed feed{clock, deadlines};
  const TaskName task{"default", "run-1", "t"};
  const JobId job{{1, 1}};
};

TEST_F(RunFeedTest, ATaskIsToldFromItsDispatchToItsEnd) {
  on_loop([&] {
    const auto reader = listen();
    dispatch();
    EXPECT_EQ(reader->types(), "node.state run.status run.snapshot ");
    feed.acknowledged(task);
    const auto acked = reader->hear();
    ASSERT_EQ(acked.size(), 1U);
    EXPECT_EQ(acked[0]["data"]["state"]["stage"], "running");
    feed.result(task, "SUCCEEDED", R"({"x":1})", nullptr);
    const auto result = reader->hear();
    ASSERT_EQ(result.size(), 1U);
    EXPECT_EQ(result[0]["type"], "node.result.snapshot");
    EXPECT_EQ(result[0]["data"]["content"]["x"], 1);
    EXPECT_EQ(result[0]["data"]["complete"], true);
    change(JobState::completed);
    const auto end = reader->hear();
    ASSERT_EQ(end.size(), 3U);
    EXPECT_EQ(end[0]["data"]["state"]["stage"], "succeeded");
    EXPECT_EQ(end[1]["data"]["status"], "succeeded");
    EXPECT_EQ(end[2]["data"]["nodes"][0]["status"], "succeeded");
    EXPECT_EQ(end[2]["data"]["run"]["runId"], "run-1");
  });
}

TEST_F(RunFeedTest, ATaskThatGoesBackIsQueuedAndOneThatFailsSaysWhy) {
  on_loop([&] {
    const auto reader = listen();
    dispatch();
    change(JobState::ready);
    reader->hear();
    dispatch();
    feed.failed(task, {"E.RUNNER.FAILURE", "it broke"});
    reader->hear();
    change(JobState::dead);
    const auto end = reader->hear();
    EXPECT_EQ(end[0]["data"]["state"]["error"], (json::Tree{{"code", "E.RUNNER.FAILURE"}, {"message", "it broke"}}));
    EXPECT_EQ(end[1]["data"]["status"], "failed");
    EXPECT_EQ(end[1]["data"]["reason"], "E.RUNNER.FAILURE");
  });
}

TEST_F(RunFeedTest, ChunksAndResultsHaveCountersOfTheirOwn) {
  on_loop([&] {
    const auto reader = listen();
    dispatch();
    reader->hear();
    std::vector<OutputChunk> chunks(2);
    chunks[0].data = "a";
    chunks[1].data = "b";
    feed.told(task,
              {.stage = "streaming", .progress = 0.5, .message = "m", .chunks = &chunks, .results = R"({"k":1,"summary":"s"})"});
    feed.told(task, {.stage = "", .progress = std::nullopt, .message = "", .chunks = nullptr, .results = R"({"k":null})"});
    const auto told = reader->hear();
    std::string seen;
    for (const json::Tree& event : told) {
      if (event["type"] != "node.result.delta") continue;
      seen += event["data"]["operation"].get<std::string>() + event["data"]["path"].get<std::string>() +
              std::to_string(event["data"]["sequence"].get<int>()) + " ";
    }
    EXPECT_EQ(seen, "append/channels/stdout1 append/channels/stdout2 replace/k1 replace/summary2 remove/k3 ");
    EXPECT_EQ(told[0]["data"]["state"]["progress"], 0.5);
    EXPECT_EQ(told[5]["data"]["complete"], false);
    EXPECT_EQ(told[5]["data"]["summary"], "s");
  });
}

TEST_F(RunFeedTest, WhoeverComesLaterIsSentTheBufferAndWhoeverComesBackWhatFollows) {
  on_loop([&] {
    dispatch();
    feed.acknowledged(task);
    const auto late = listen();
    const auto all = late->hear();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0]["id"], "1");
    EXPECT_EQ(all[0]["replayed"], true);
    const auto back = listen("", "2");
    const auto rest = back->hear();
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_EQ(rest[0]["id"], "3");
    change(JobState::completed);
    EXPECT_FALSE(late->hear()[0].contains("replayed"));
  });
}

TEST_F(RunFeedTest, WhatHappenedWhileNobodyListenedIsToldAsOfThen) {
  on_loop([&] {
    const std::string at = R"("lastUpdatedAt":")";
    const std::string state = node_state("", {}, clock.now());
    const std::string began = state.substr(state.find(at) + at.size(), 19);
    std::vector<OutputChunk> chunks(1);
    chunks[0].data = "a";
    dispatch();
    feed.told(task, {.stage = "s", .progress = 0.5, .message = "m", .chunks = &chunks, .results = R"({"k":1})"});
    chunks.clear();
    feed.result(task, "SUCCEEDED", R"({"x":1})", nullptr);
    change(JobState::completed);
    clock.advance(1h);
    const auto all = listen()->hear();
    std::string types;
    for (const json::Tree& event : all) {
      types += event["type"].get<std::string>() + " ";
      EXPECT_EQ(event["occurredAt"].get<std::string>().substr(0, 19), began);
    }
    EXPECT_EQ(types,
              "node.state run.status node.state node.result.delta node.result.delta node.result.snapshot node.result.snapshot "
              "node.state run.status ");
    EXPECT_EQ(all[3]["data"]["payload"]["text"], "a");
    EXPECT_EQ(all[6]["data"]["content"]["x"], 1);
    EXPECT_EQ(all[8]["data"]["status"], "succeeded");
  });
}

TEST_F(RunFeedTest, ATaskThatStillRunsIsKnownHoweverLongAgoItWasSent) {
  on_loop([&] {
    dispatch();
    for (std::size_t i = 0; i < kFeedEventsMax; ++i) {
      const JobId other{{2, i + 1}};
      feed.dispatched({.task = {"default", "run-" + std::to_string(i + 2), "t"}, .job = other});
      JobChange ended;
      ended.id = other;
      ended.to = JobState::completed;
      feed.changed(ended);
    }
    const auto reader = listen();
    while (!reader->hear().empty()) reader->session->output_drained();
    change(JobState::completed);
    const auto end = reader->hear();
    ASSERT_FALSE(end.empty());
    EXPECT_EQ(end[0]["data"]["runId"], "run-1");
    EXPECT_EQ(end[0]["data"]["state"]["stage"], "succeeded");
  });
}

TEST_F(RunFeedTest, ALongResultThatNobodyHeardIsLeftOutWithItsLength) {
  on_loop([&] {
    dispatch();
    feed.result(task, "SUCCEEDED", "\"" + std::string(kFeedContentBytesMax, 'x') + "\"", nullptr);
    const auto all = listen()->hear();
    EXPECT_EQ(all.back()["meta"]["contentBytes"], kFeedContentBytesMax + 2);
  });
}

TEST_F(RunFeedTest, WhoeverComesBackSoonMissesNothing) {
  on_loop([&] {
    listen();
    clock.advance(kFeedAwakeFor - 1s);
    dispatch();
    clock.advance(2s);
    feed.acknowledged(task);
    const auto back = listen("", "1")->hear();
    ASSERT_EQ(back.size(), 2U);
    EXPECT_EQ(back[0]["id"], "2");
    EXPECT_EQ(back[1]["data"]["state"]["stage"], "running");
  });
}

TEST_F(RunFeedTest, RunsOfAClientAreToldToItsConnectionsOnlyAlsoWhenReplayed) {
  on_loop([&] {
    const auto owner = listen("c1");
    const auto other = listen("c2");
    const auto elsewhere = listen("c1", "", "another");
    dispatch("c1");
    feed.beat("default", {.name = "w"}, nullptr);
    EXPECT_EQ(owner->types(), "node.state run.status run.snapshot worker.heartbeat ");
    EXPECT_EQ(other->types(), "worker.heartbeat ");
    EXPECT_EQ(elsewhere->types(), "");
    EXPECT_EQ(listen("c2")->types(), "worker.heartbeat ");
  });
}

TEST_F(RunFeedTest, ASilentStreamGetsAComment) {
  on_loop([&] {
    const auto reader = listen();
    clock.advance(44s);
    deadlines.look();
    EXPECT_TRUE(reader->hear().empty());
    EXPECT_EQ(reader->comments, "");
    clock.advance(1s);
    deadlines.look();
    reader->hear();
    EXPECT_EQ(reader->comments, ": heartbeat;");
  });
}

TEST_F(RunFeedTest, ALongResultIsLeftOutWithANote) {
  on_loop([&] {
    const auto reader = listen();
    dispatch();
    reader->hear();
    feed.result(task, "SUCCEEDED", "\"" + std::string(kFeedContentBytesMax, 'x') + "\"", nullptr);
    const auto result = reader->hear();
    EXPECT_TRUE(result[0]["data"]["content"].is_null());
    EXPECT_EQ(result[0]["meta"]["contentOmitted"], true);
  });
}

TEST_F(RunFeedTest, AReaderThatFallsBehindTheBufferIsClosed) {
  on_loop([&] {
    const auto reader = listen();
    reader->connection.room = false;
    for (std::size_t i = 0; i <= kFeedEventsMax; ++i) feed.beat("default", {.name = "w"}, nullptr);
    EXPECT_TRUE(reader->connection.closing());
  });
}

TEST_F(RunFeedTest, OnlySoManyMayListen) {
  on_loop([&] {
    std::vector<std::unique_ptr<Reader>> readers;
    for (std::size_t i = 0; i < kFeedStreamsMax; ++i) readers.push_back(listen());
    net::HeldConnection one_more;
    EXPECT_EQ(feed.open({"default", "", "", {}}, one_more).code(), Code::exhausted);
    readers.front()->session->closed();
    EXPECT_TRUE(feed.open({"default", "", "", {}}, one_more).ok());
  });
}

}  // namespace
}  // namespace muster::ws::feed
