// What others see of the wire: metrics under AstraFlow's names, log lines with its fields, and audit rows of dispatches.
#include "command/audit.h"
#include "fronts/ws/front_testing.h"
#include "fronts/ws/log_brake.h"
#include "fronts/ws/meter.h"

namespace muster::ws {
namespace {

using namespace std::chrono_literals;

class ObservedFront : public FrontTest {
 protected:
  // The value of a series as /metrics shows it; -1: there is none.
  double scraped(const std::string& series) {
    const std::string text = metrics.text();
    const std::size_t at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }
  std::vector<engine::AuditRow> audited() {
    const auto page = ask<command::AuditListReply>(
        [&](auto reply) { door->run(command::itself(), command::AuditListRequest{}, std::move(reply)); });
    EXPECT_TRUE(page.ok()) << page.status().text();
    return page.ok() ? page->rows : std::vector<engine::AuditRow>();
  }
};

Json result_of(const Json& dispatch, std::uint64_t number) {
  Json frame = v2_frame("biz.exec.result",
                        {{"run_id", dispatch["payload"]["run_id"]},
                         {"task_id", dispatch["payload"]["task_id"]},
                         {"status", "SUCCEEDED"},
                         {"result", {{"x", 1}}},
                         {"duration_ms", 0},
                         {"metadata", {{"concurrency_key", "k"}, {"constraints", Json::object()}}}},
                        "biz.exec.result-" + std::to_string(number));
  frame["session_seq"] = number;
  frame["corr"] = dispatch["id"];
  frame["seq"] = dispatch["seq"];
  return frame;
}

// A feedback whose payload lacks everything.
Json bad_feedback(std::uint64_t number) {
  Json frame = v2_frame("biz.exec.feedback", {{"progress", "half"}}, "biz.exec.feedback-" + std::to_string(number), false);
  frame["session_seq"] = number;
  frame["corr"] = "task-9";
  frame["seq"] = 3;
  return frame;
}

// Lines of the log with this message.
std::vector<Json> lines_of(const std::string& log, std::string_view message) {
  std::vector<Json> out;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    Json line = Json::parse(log.substr(at, end - at), nullptr, false);
    if (line.is_object() && line["msg"] == message) out.push_back(std::move(line));
    at = end + 1;
  }
  return out;
}

TEST_F(ObservedFront, EveryMetricOfTheWireIsThereUnderItsNameAndLabels) {
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  EXPECT_EQ(scraped(R"(ws_conn_active{tenant="default"})"), 1);
  pass(20ms);
  Json cancelled =
      v2_frame("biz.exec.error",
               {{"code", "E.RUNNER.CANCELLED"},
                {"message", "stopping"},
                {"context",
                 {{"where", "worker.runner"},
                  {"details", {{"run_id", dispatch["payload"]["run_id"]}, {"task_id", dispatch["payload"]["task_id"]}}}}}},
               "biz.exec.error-1");
  cancelled["session_seq"] = 1;
  socket->say(cancelled);
  const Json again = socket->hear("biz.exec.dispatch");
  pass(20ms);
  socket->say(result_of(again, 2));
  EXPECT_TRUE(ends(id, JobState::completed));
  EXPECT_GT(scraped(R"(ws_frame_bytes_total{dir="in",tenant="default"})"), 100);
  EXPECT_GT(scraped(R"(ws_frame_bytes_total{dir="out",tenant="default"})"), 100);
  EXPECT_EQ(scraped(R"(cmd_dispatch_total{node_type="demo.echo",tenant="default"})"), 2);
  EXPECT_EQ(scraped(R"(cmd_retry_total{reason="cancelled"})"), 1);
  EXPECT_EQ(scraped(R"(result_latency_ms_bucket{node_type="demo.echo",tenant="default",le="10"})"), 0);
  EXPECT_EQ(scraped(R"(result_latency_ms_bucket{node_type="demo.echo",tenant="default",le="25"})"), 1);
  EXPECT_EQ(scraped(R"(result_latency_ms_bucket{node_type="demo.echo",tenant="default",le="+Inf"})"), 1);
  for (int i = 0; i < 5; ++i) {  // silence, but for answers to pings
    pass(10s);
    EXPECT_FALSE(socket->heard("nothing"));
  }
  EXPECT_EQ(scraped(R"(ws_heartbeat_miss_total{tenant="default",worker=")" + std::string(kInstance) + "\"}"), 1);
  socket->cut();
  EXPECT_TRUE(eventually([&] { return scraped(R"(ws_conn_active{tenant="default"})") == 0; }));
}

TEST(Meter, NamesBeyondTheBoundsAreCountedTogether) {
  Metrics metrics;
  Meter meter(metrics);
  const auto series = [&metrics](const std::string& name) {
    std::size_t count = 0;
    const std::string text = metrics.text();
    for (std::size_t at = text.find("\n" + name + "{"); at != std::string::npos; at = text.find("\n" + name + "{", at + 1))
      ++count;
    return count;
  };
  for (std::size_t i = 0; i < 2 * kWorkerLabelsMax; ++i) meter.heartbeat_missed("default", "w" + std::to_string(i));
  EXPECT_EQ(series("ws_heartbeat_miss_total"), kWorkerLabelsMax + 1);
  EXPECT_EQ(metrics.counter("ws_heartbeat_miss_total", "", {{"tenant", "default"}, {"worker", "other"}}).value(),
            kWorkerLabelsMax);
  for (std::size_t i = 0; i < 2 * kNodeTypeLabelsMax; ++i) meter.dispatched("default", "n" + std::to_string(i));
  EXPECT_EQ(series("cmd_dispatch_total"), kNodeTypeLabelsMax + 1);
  for (std::size_t i = 0; i < 2 * kTenantLabelsMax; ++i) {
    meter.connected("t" + std::to_string(i), 1);
    meter.dispatched("t" + std::to_string(i), "n");
    meter.result("t" + std::to_string(i), "n", 1ms);
  }
  EXPECT_EQ(series("ws_conn_active"), kTenantLabelsMax + 1);
  EXPECT_LE(series("cmd_dispatch_total"), kNodeTypeLabelsMax + 1 + kTenantLabelsMax);
  EXPECT_EQ(metrics.gauge("ws_conn_active", "", {{"tenant", "other"}}).value(), static_cast<double>(kTenantLabelsMax + 1));
  const std::string endless(100'000, 'x');
  meter.heartbeat_missed(endless, endless);
  meter.dispatched(endless, endless);
  EXPECT_EQ(metrics.text().find(endless), std::string::npos) << "a name that is none is no label";
}

TEST_F(ObservedFront, ALineAboutARefusedFrameSaysWhoseItIsAndWhatIsWrong) {
  start();
  const auto socket = join_v2();
  testing::internal::CaptureStderr();
  socket->say(bad_feedback(1));
  socket->say(v2_frame("control.heartbeat", {{"healthy", "very"}}, "control.heartbeat-7", false));
  const auto lines = lines_of(testing::internal::GetCapturedStderr(), "the payload of a frame was refused");
  ASSERT_EQ(lines.size(), 2U);
  const Json& line = lines[0];
  EXPECT_EQ(line["tenant"], "default");
  EXPECT_EQ(line["sender.id"], kInstance);
  EXPECT_EQ(line["type"], "biz.exec.feedback");
  EXPECT_EQ(line["id"], "biz.exec.feedback-1");
  EXPECT_EQ(line["corr"], "task-9");
  EXPECT_EQ(line["code"], "E.INTERNAL");
  EXPECT_EQ(line["seq"], 3);
  EXPECT_EQ(line["session_seq"], 1);
  EXPECT_EQ(line["session_id"], accepted["session_id"]);
  EXPECT_FALSE(line["reason"].get<std::string>().empty());
  EXPECT_FALSE(lines[1].contains("seq")) << "what a frame does not have is not there";
  EXPECT_FALSE(lines[1].contains("session_seq"));
}

TEST_F(ObservedFront, RefusedFramesOfAWorkerAreFewLinesAndACount) {
  start();
  const auto socket = join_v2();
  testing::internal::CaptureStderr();
  for (std::uint64_t i = 1; i <= 50; ++i) socket->say(bad_feedback(i));
  for (int i = 0; i < 6; ++i) {
    pass(10s);
    EXPECT_FALSE(socket->heard("nothing"));
  }
  socket->say(bad_feedback(51));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines_of(log, "the payload of a frame was refused").size(), kComplaintsMax + 1) << "the next minute begins anew";
  const auto left_out = lines_of(log, "lines about refused frames were left out");
  ASSERT_EQ(left_out.size(), 1U);
  EXPECT_EQ(left_out[0]["count"], 50 - static_cast<int>(kComplaintsMax));
  EXPECT_EQ(left_out[0]["sender.id"], kInstance);
  EXPECT_EQ(left_out[0]["session_id"], accepted["session_id"]);
  EXPECT_EQ(scraped(R"(ws_frames_refused_total{reason="payload"})"), 51) << "all of them are counted";
}

TEST_F(ObservedFront, AFloodOfStrangersIsFewLinesAndACount) {
  start();
  testing::internal::CaptureStderr();
  for (int i = 0; i < 40; ++i) {
    auto socket = connect();
    socket.say_text("not an envelope");
    EXPECT_EQ(socket.closed().first, 1011);
  }
  pass(kComplaintsPeriod);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines_of(log, "a frame was refused").size(), kStrangerComplaintsMax);
  const auto left_out = lines_of(log, "lines about refused frames were left out");
  ASSERT_EQ(left_out.size(), 1U);
  EXPECT_EQ(left_out[0]["count"], 40 - static_cast<int>(kStrangerComplaintsMax));
}

TEST_F(ObservedFront, EachDispatchThatLeftIsAnAuditRowUnderItsOwnId) {
  start();
  const auto socket = join_v2(2);
  const JobId first = submit();
  const Json one = socket->hear("biz.exec.dispatch");
  const JobId second = submit("demo.slow");
  const Json two = socket->hear("biz.exec.dispatch");
  const auto rows = audited();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].target, second.text());
  EXPECT_EQ(rows[0].correlation, two["id"]);
  EXPECT_EQ(rows[1].action, "job.dispatch");
  EXPECT_EQ(rows[1].target, first.text());
  EXPECT_EQ(rows[1].correlation, one["id"]);
  EXPECT_EQ(rows[1].worker, kInstance);
  EXPECT_EQ(rows[1].ns.text(), "default");
  EXPECT_EQ(rows[1].outcome, "ok");
}

TEST_F(ObservedFront, ADispatchThatIsGivenUpIsARowWithItsCode) {
  start();
  const auto socket = join_v2();
  const JobId id = submit("demo.echo", "\"" + std::string(1'100'000, 'x') + "\"");
  ASSERT_TRUE(ends(id, JobState::dead));
  const auto rows = audited();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].target, id.text());
  EXPECT_EQ(rows[0].outcome, "E.DISPATCH.UNAVAILABLE");
}

TEST_F(ObservedFront, ADispatchThatNobodyAcknowledgesIsARowEachTimeAndOneAtTheEnd) {
  start();
  const auto socket = join_v1();
  const JobId id = submit();
  ASSERT_TRUE(eventually([&] {
    pass(1s);
    static_cast<void>(socket->heard("cmd.dispatch"));
    return job(id).state == JobState::dead;
  }));
  const auto rows = audited();
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].outcome, "E.DISPATCH.UNAVAILABLE");
  EXPECT_EQ(rows[0].correlation, rows[1].correlation) << "of the last dispatch";
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_EQ(rows[i].outcome, "ok");
}

}  // namespace
}  // namespace muster::ws
