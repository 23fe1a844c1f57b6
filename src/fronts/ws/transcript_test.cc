// The conversations of real workers with a scheduler (tests/transcripts/ws), replayed against the front: what the worker wrote is
// sent byte for byte, and what the front answers is what the scheduler answered, in the same order. Ids, times and tokens are
// each server's own; where the worker repeats them, it repeats ours.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>

#include "command/workers.h"
#include "fronts/ws/front_testing.h"

namespace muster::ws {
namespace {

using namespace std::chrono_literals;

struct Step {
  bool by_worker = false;
  std::string text;  // of the frame, as it was on the wire; empty: a close
  Json frame;
  int close = 0;
};

std::vector<Step> read_transcript(const std::string& name) {
  std::vector<Step> out;
  std::ifstream in("tests/transcripts/ws/" + name);
  EXPECT_TRUE(in) << name;
  for (std::string line; std::getline(in, line);) {
    const Json told = Json::parse(line);
    Step step{.by_worker = told["from"] == "worker", .text = {}, .frame = {}, .close = told.value("close", 0)};
    if (told.contains("frame")) {
      constexpr std::string_view kBefore = R"("frame": )";
      const std::size_t at = line.find(kBefore) + kBefore.size();
      step.text = line.substr(at, line.size() - at - 1);
      step.frame = told["frame"];
      EXPECT_EQ(Json::parse(step.text), step.frame);
    }
    out.push_back(std::move(step));
  }
  return out;
}

class Transcript : public FrontTest {
 protected:
  void replay(const std::string& name) {
    const std::vector<Step> steps = read_transcript(name);
    auto socket = std::make_unique<TestSocket>(loop, *front);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      SCOPED_TRACE(name + ":" + std::to_string(i + 1));
      const bool lost = i + 1 < steps.size() && steps[i + 1].close != 0 && !steps[i + 1].by_worker;
      if (step.close != 0 && step.by_worker) {
        socket->say_close(step.close);
        EXPECT_EQ(socket->closed().first, step.close);
      } else if (step.close != 0) {
        socket = std::make_unique<TestSocket>(loop, *front);  // the old one is cut
      } else if (step.by_worker) {
        if (!lost) socket->say_text(translated(step.text));
      } else {
        cause(step.frame);
        compare(step.frame, socket->hear());
      }
    }
  }

  JobId task{};

 private:
  // What made the scheduler say this.
  void cause(const Json& frame) {
    const std::string type = frame["type"];
    if (type == "biz.exec.dispatch" || type == "cmd.dispatch") task = submit("demo.echo", frame["payload"].dump());
    if (type != "control.drain" && type != "cmd.drain") return;
    const Json& payload = frame["payload"];
    store::Drain drain{
        .ns = NamespaceName("default"), .worker = WorkerId(worker_), .deadline = {}, .reason = payload.value("reason", "")};
    if (payload.contains("deadline_ms")) drain.deadline = Duration(payload["deadline_ms"].get<std::int64_t>());
    EXPECT_TRUE(ask<muster::Worker>([&](auto reply) { door->run(command::itself(), drain, std::move(reply)); }).ok());
  }

  void compare(Json expected, Json heard) {
    for (const char* own : {"id", "ts"}) forget_own(expected, heard, own);
    for (const char* own : {"session_id", "session_token", "expires_at"})
      if (expected["payload"].contains(own)) forget_own(expected["payload"], heard["payload"], own);
    // The scripted scheduler asked for an ack of its drain, which workers of protocol 2 never give.
    if (expected["type"] == "cmd.drain") expected.erase("ack");
    // Ours gives every drain a deadline.
    if (expected["type"] == "cmd.drain") heard["payload"].erase("deadline_ms");
    for (const char* repeated : {"corr"})
      if (expected.contains(repeated) && ours_.contains(expected[repeated])) expected[repeated] = ours_[expected[repeated]];
    EXPECT_EQ(heard, expected);
  }

  // Both have one, and from here on the worker says ours.
  void forget_own(Json& expected, Json& heard, const char* name) {
    EXPECT_TRUE(heard.contains(name)) << heard;
    if (heard.contains(name) && expected[name].is_string()) ours_[expected[name]] = heard[name];
    expected.erase(name);
    heard.erase(name);
  }

  std::string translated(std::string text) {
    if (worker_.empty()) worker_ = Json::parse(text)["sender"]["id"];
    for (const auto& [recorded, own] : ours_)
      for (std::size_t at = 0; (at = text.find('"' + recorded + '"', at)) != std::string::npos; at += own.size())
        text.replace(at + 1, recorded.size(), own);
    return text;
  }

  std::map<std::string, std::string> ours_;  // ids and tokens of the recorded server → those of the front
  std::string worker_;
};

TEST_F(Transcript, AWorkerOfProtocol1IsAnsweredAsItsSchedulerDid) {
  start();
  replay("v1.jsonl");
  EXPECT_EQ(job(task).state, JobState::completed);
  EXPECT_EQ(job(task).result->data, R"({"x": 1})");
}

TEST_F(Transcript, AWorkerOfProtocol2IsAnsweredAsItsSchedulerDidAcrossALostConnection) {
  start();
  replay("v2.jsonl");
  EXPECT_EQ(job(task).state, JobState::completed);
  EXPECT_EQ(job(task).result->data, R"({"x": 1})");
}

}  // namespace
}  // namespace muster::ws
