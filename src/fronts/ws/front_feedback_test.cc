// What workers say while they run tasks: kept in order, once, before their results are acknowledged, and told to those who
// listen.
#include "command/feedback.h"
#include "fronts/ws/front_testing.h"
#include "fronts/ws/task_feedback.h"

namespace muster::ws {
namespace {

using namespace std::chrono_literals;

class FeedbackFront : public FrontTest {
 protected:
  static Json said(const Json& dispatch, std::uint64_t number, Json more) {
    Json payload{{"run_id", dispatch["payload"]["run_id"]}, {"task_id", dispatch["payload"]["task_id"]}};
    payload.update(more);
    Json frame = v2_frame("biz.exec.feedback", std::move(payload), "biz.exec.feedback-" + std::to_string(number), false);
    frame["session_seq"] = number;
    return frame;
  }
  static Json chunk(std::string text, std::string channel = "stdout") {
    return {{"chunks", {{{"channel", std::move(channel)}, {"text", std::move(text)}}}}};
  }
  static Json result(const Json& dispatch, std::uint64_t number, Json more = Json::object()) {
    Json payload{{"run_id", dispatch["payload"]["run_id"]},
                 {"task_id", dispatch["payload"]["task_id"]},
                 {"status", "SUCCEEDED"},
                 {"result", {{"x", 1}}}};
    payload.update(more);
    Json frame = v2_frame("biz.exec.result", std::move(payload), "biz.exec.result-" + std::to_string(number));
    frame["session_seq"] = number;
    return frame;
  }
  command::JobOutput output(JobId id) {
    const auto found = ask<command::JobOutput>(
        [&](auto reply) { door->run(command::itself(), command::JobOutputRequest{.job = id}, std::move(reply)); });
    EXPECT_TRUE(found.ok()) << found.status().text();
    return *found;
  }
  std::string text_of_output(JobId id) {
    std::string out;
    for (const OutputChunk& chunk : output(id).chunks) out += chunk.data;
    return out;
  }
  // What waits for its turn is written.
  void write_out() {
    clock.advance(100ms);
    engine->tick();
  }
  // The number up to which the worker's frames are safe; waited for.
  bool safe_up_to(TestSocket& socket, std::uint64_t number) {
    return eventually([&] {
      write_out();
      while (socket.heard("control.ack"))
        if (socket.hear("control.ack")["payload"]["ack_seq"] == number) return true;
      return false;
    });
  }
};

TEST_F(FeedbackFront, ChunksAreAcknowledgedWhenTheyAreWrittenAndReadInOrder) {
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  Json first = chunk("one ");
  first["stage"] = "streaming";
  first["progress"] = 0.25;
  first["metrics"] = {{"tokens", 2}};
  socket->say(said(dispatch, 1, first));
  socket->say(said(dispatch, 2, chunk("two ", "stderr")));
  socket->say(said(dispatch, 3, chunk("three")));
  EXPECT_TRUE(safe_up_to(*socket, 3));
  const command::JobOutput kept = output(id);
  ASSERT_EQ(kept.chunks.size(), 3U);
  EXPECT_EQ(kept.chunks[1].channel, OutputChannel::errors);
  EXPECT_EQ(text_of_output(id), "one two three");
  EXPECT_EQ(kept.stage, "streaming");
  EXPECT_EQ(kept.metrics, R"({"tokens":2})");
  EXPECT_EQ(job(id).progress->fraction, 0.25);
}

TEST_F(FeedbackFront, AResultIsAcknowledgedWithWhatWasSaidBeforeItAndBesideIt) {
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(said(dispatch, 1, chunk("a")));
  socket->say(said(dispatch, 2, chunk("b")));
  const Json artifact{{"resource_id", "r1"}, {"worker_name", "worker-local"}, {"type", "file"}};
  socket->say(result(dispatch, 3, {{"duration_ms", 12}, {"metadata", {{"k", 1}}}, {"artifacts", {artifact}}}));
  EXPECT_TRUE(eventually([&] {
    while (socket->heard("control.ack"))
      if (socket->hear("control.ack")["payload"]["ack_seq"] == 3) return true;
    return false;
  }));
  EXPECT_EQ(job(id).state, JobState::completed);
  EXPECT_EQ(job(id).result->data, R"({"x":1})");
  EXPECT_EQ(text_of_output(id), "ab");
  const auto outcome = output(id).outcome;
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->duration, 12ms);
  EXPECT_EQ(Json::parse(outcome->artifacts), Json::array({artifact}));
  EXPECT_EQ(outcome->metadata, R"({"k":1})");
}

TEST_F(FeedbackFront, ResultsOfFeedbackAreThePartialResult) {
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(said(dispatch, 1, {{"metadata", {{"results", {{"a", 1}, {"b", 2}}}}}}));
  socket->say(said(dispatch, 2, {{"metadata", {{"summary", "short"}}}}));
  EXPECT_TRUE(safe_up_to(*socket, 2));
  EXPECT_EQ(job(id).progress->partial->data, R"({"a":1,"b":2,"summary":"short"})");
}

TEST_F(FeedbackFront, AFrameThatIsSaidAgainToTheNextServerIsKeptOnce) {
  start();
  auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(said(dispatch, 1, chunk("a")));
  EXPECT_TRUE(safe_up_to(*socket, 1));
  socket->cut();
  restart();
  socket = std::make_unique<TestSocket>(loop, *front);
  socket->say(
      v2_frame("control.resume",
               {{"session_id", accepted["session_id"]}, {"session_token", accepted["session_token"]}, {"last_seen_seq", 1}},
               "control.resume-5"));
  socket->hear("control.session.accept");
  socket->say(said(dispatch, 1, chunk("a")));
  socket->say(said(dispatch, 2, chunk("b")));
  EXPECT_TRUE(eventually([&] {
    write_out();
    pass(1s);
    return text_of_output(id) == "ab";
  })) << text_of_output(id);
}

TEST_F(FeedbackFront, WhoeverListensHearsChunksAtOnce) {
  start();
  net::HeldConnection connection;
  std::shared_ptr<net::Session> stream;
  net::run_on(loop, [&] { stream = *front->listen({"default", "", "", {}}, connection); });
  const auto socket = join_v2();
  submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(said(dispatch, 1, chunk("a")));
  socket->say(said(dispatch, 2, chunk("b")));  // it is not written before its turn
  EXPECT_TRUE(eventually([&] {
    std::string sent;
    net::run_on(loop, [&] { sent = connection.sent; });
    return sent.find(R"("payload":{"text":"b"})") != std::string::npos;
  }));
  std::string sent;
  net::run_on(loop, [&] { sent = connection.sent; });
  for (const char* type : {"worker.heartbeat", "worker.package", "node.state", "run.status", "run.snapshot", "node.result.delta"})
    EXPECT_NE(sent.find(std::string("event: ") + type), std::string::npos) << type;
  net::run_on(loop, [&] {
    stream->closed();
    stream.reset();
  });
}

TEST(TaskFeedback, SaysWhatAnotherRegistrationChanges) {
  const std::vector<Package> before{{"a", "1", "installed"}, {"b", "1", "installed"}, {"c", "1", "missing"}};
  const std::vector<Package> after{{"a", "1", "installed"}, {"c", "1", "installed"}, {"d", "2", "installed"}};
  EXPECT_EQ(package_changes(before, after),
            (std::vector<Package>{{"c", "1", "installed"}, {"d", "2", "installed"}, {"b", "1", "removed"}}));
}

TEST(TaskFeedback, ReadsChunksOfEveryKind) {
  const FeedbackSaid said = read_feedback(*json::parse(
      R"({"chunks":[{"channel":"custom","index":3,"mime_type":"image/png","data_base64":"AP8=","metadata":{"terminal":true}},
                    {"channel":"llm","text":"tok"},{"channel":"log","data_base64":"not base64!"}]})"));
  ASSERT_EQ(said.report.chunks.size(), 3U);
  EXPECT_EQ(said.report.chunks[0].data, std::string("\x00\xff", 2));
  EXPECT_FALSE(said.report.chunks[0].text);
  EXPECT_TRUE(said.report.chunks[0].terminal);
  EXPECT_EQ(said.report.chunks[0].index, 3U);
  EXPECT_EQ(said.report.chunks[1].channel, OutputChannel::llm);
  EXPECT_EQ(said.report.chunks[2].data, "not base64!");
  EXPECT_TRUE(said.lasting());
  EXPECT_FALSE(read_feedback(*json::parse(R"({"progress":0.5})")).lasting());
}

TEST(ReadResult, KeepsTheVeryTextOnOneLine) {
  const auto said =
      read_result(*session::Payload::read("{\"run_id\": \"r\", \"task_id\": \"t\\u0031\", \"status\": \"SUCCEEDED\",\n"
                                          " \"result\": {\"b\": 1.50,\r\n \"a\": \"x\\ny\"}}"));
  EXPECT_EQ(said.run, "r");
  EXPECT_EQ(said.task, "t1");
  EXPECT_EQ(said.status, "SUCCEEDED");
  EXPECT_EQ(said.content, "{\"b\": 1.50,   \"a\": \"x\\ny\"}");
  EXPECT_FALSE(said.artifacts || said.facts);
}

TEST(ReadResult, KnowsNamesInAnotherSpellingAndWhatIsWorthKeeping) {
  const auto read = [](std::string_view text) { return read_result(*session::Payload::read(text)); };
  EXPECT_EQ(read(R"({"run\u005fid":"r","task_id":"t","status":"FAILED","result":{}})").run, "r");
  EXPECT_TRUE(read(R"({"result":{},"artifacts":[{"resource_id":"x"}]})").artifacts);
  EXPECT_TRUE(read(R"({"result":{},"metadata":{"constraints":{},"own":1}})").facts);
  EXPECT_FALSE(read(R"({"result":{},"metadata":{"constraints":{},"affinity":null},"artifacts":null})").facts);
}

}  // namespace
}  // namespace muster::ws
