#include "agents/claude/cassette.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "agents/claude/player.h"
#include "agents/claude/recorder.h"
#include "agents/claude/scripted_testing.h"
#include "base/temp_folder_testing.h"

namespace muster::claude {
namespace {

constexpr const char* kHi = R"({"model":"m","messages":[{"role":"user","content":"hi"}]})";
constexpr const char* kBye = R"({"model":"m","messages":[{"role":"user","content":"bye"}]})";

std::string text_in(const Result<BatchLine>& line) {
  if (!line.ok()) return line.status().text();
  const auto blocks = json::parse(line->answer.blocks);
  const std::string* const text = blocks && !blocks->empty() ? json::text(blocks->front(), "text") : nullptr;
  return text == nullptr ? std::string() : *text;
}

class Listener final : public StreamSink {
 public:
  void started(std::uint32_t) override {}
  void delta(const Delta& delta) override {
    if (delta.kind == DeltaKind::text) heard += delta.text;
  }
  void ended(Result<Answer> with) override { answer = std::move(with); }

  std::string heard;
  Result<Answer> answer = Status::internal("the stream has not ended");
};

Listener stream(Api& api, const std::string& params) {
  const auto listener = std::make_shared<Listener>();
  api.stream(params, {}, listener);
  return *listener;
}

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Cassette, AnExchangeComesBackAsItWas) {
  Answer answer = answer_of({R"({"type":"thinking","thinking":"so","signature":"s=="})", R"({"type":"text","text":"a\n\"b\""})",
                             tool_block("t1", "add", R"({"n":12345678901234567890123})")},
                            "tool_use", {1, 2, 3, 4});
  answer.stop_sequence = "END";
  auto cassette = Cassette::parse(cassette_exchange(kHi, answer));
  ASSERT_TRUE(cassette.ok()) << cassette.status().text();
  const auto line = cassette->next(kHi);
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->answer.blocks, answer.blocks) << "numbers that no double holds included";
  EXPECT_EQ(line->answer.stop_reason, "tool_use");
  EXPECT_EQ(line->answer.stop_sequence, "END");
  EXPECT_EQ(line->answer.usage, answer.usage);
  EXPECT_EQ(line->answer.model, answer.model);
}

TEST(Cassette, AFailureComesBackWithItsCode) {
  for (const Code code : {Code::exhausted, Code::unauthenticated, Code::permission_denied, Code::not_found,
                          Code::invalid_argument, Code::unavailable}) {
    auto cassette = Cassette::parse(cassette_exchange(kHi, Status(code, "why")));
    ASSERT_TRUE(cassette.ok());
    const auto answer = as_answer(*cassette->next(kHi));
    EXPECT_EQ(answer.code(), code);
    EXPECT_EQ(answer.status().message(), "why");
  }
}

TEST(Cassette, TheSameRequestGetsItsAnswersInOrderAndThenTheLastAgain) {
  auto cassette = Cassette::parse(cassette_exchange(kHi, text_answer("one")) + cassette_exchange(kBye, text_answer("other")) +
                                  cassette_exchange(kHi, text_answer("two")));
  ASSERT_TRUE(cassette.ok());
  EXPECT_EQ(text_in(cassette->next(kHi)), "one");
  EXPECT_EQ(text_in(cassette->next(kHi)), "two");
  EXPECT_EQ(text_in(cassette->next(kHi)), "two");
  EXPECT_EQ(text_in(cassette->next(kBye)), "other");
  EXPECT_EQ(cassette->next(R"({"model":"m"})").code(), Code::not_found);
}

TEST(Cassette, TheExchangeThatNamesMostOfARequestCounts) {
  auto cassette =
      Cassette::parse(cassette_exchange("{}", text_answer("any")) + cassette_exchange(R"({"model":"m"})", text_answer("model")) +
                      cassette_exchange(kHi, text_answer("exact")));
  ASSERT_TRUE(cassette.ok());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(text_in(cassette->next(kHi)), "exact") << "the second time as well";
    EXPECT_EQ(text_in(cassette->next(kBye)), "model");
    EXPECT_EQ(text_in(cassette->next(R"({"model":"other"})")), "any");
  }
}

TEST(Cassette, RequestsOfABatchAreJoinedWithTheirResults) {
  const BatchLine expired{.custom_id = "b", .type = BatchLineType::expired};
  const BatchLine done{.custom_id = "a", .type = BatchLineType::succeeded, .answer = text_answer("done")};
  auto cassette =
      Cassette::parse(cassette_request({"a", kHi}) + cassette_request({"b", kBye}) + cassette_request({"c", R"({"model":"c"})"}) +
                      cassette_result(expired) + cassette_result(done) + cassette_result(done));
  ASSERT_TRUE(cassette.ok()) << cassette.status().text();
  EXPECT_EQ(text_in(cassette->next(kHi)), "done");
  EXPECT_EQ(cassette->next(kBye)->type, BatchLineType::expired);
  EXPECT_EQ(cassette->next(R"({"model":"c"})").code(), Code::not_found) << "its result never came";
}

TEST(Cassette, WhatIsNoneIsRefusedByItsLine) {
  for (const char* wrong : {"nothing", "{}", R"({"request":[],"result":{}})", R"({"result":{"type":"succeeded"}})"}) {
    const auto cassette = Cassette::parse(cassette_exchange(kHi, text_answer("a")) + "\n" + wrong + "\n");
    ASSERT_EQ(cassette.code(), Code::invalid_argument) << wrong;
    EXPECT_NE(cassette.status().message().find("line 3"), std::string::npos) << cassette.status().message();
  }
}

TEST(Recorder, WhatWasRecordedIsReplayedWithoutTheApi) {
  const TempFolder folder;
  const std::string path = folder.path("cassette");
  const auto real = std::make_shared<ScriptedApi>([](const std::string& params) -> Result<Answer> {
    if (params == kBye) return Status::exhausted("overloaded");
    return text_answer("the key sk-12345 is yours");
  });
  {
    auto recorder = record_calls(real, path, "sk-12345");
    ASSERT_TRUE(recorder.ok()) << recorder.status().text();
    EXPECT_EQ(stream(**recorder, kHi).heard, "the key sk-12345 is yours") << "who calls is told all of it";
    EXPECT_EQ(stream(**recorder, kBye).answer.code(), Code::exhausted);
    std::string batch;
    (*recorder)->create_batch({{"x", R"({"model":"batch"})"}}, {}, [&](Result<Batch> made) { batch = made->id; });
    (*recorder)->get_batch(batch, [](Result<Batch>) {});
    (*recorder)->batch_results(batch, every_line([](BatchLine) {}), [](Result<std::uint64_t> lines) { EXPECT_EQ(*lines, 1U); });
    real->hold();
    const auto cancelled = std::make_shared<Listener>();
    const CallId call = (*recorder)->stream(R"({"model":"cancelled"})", {}, cancelled);
    (*recorder)->cancel(call);
    EXPECT_EQ(cancelled->answer.code(), Code::conflict);
  }
  EXPECT_EQ(read_all(path).find("sk-12345"), std::string::npos);
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);

  const auto player = replay_calls(path);
  ASSERT_TRUE(player.ok()) << player.status().text();
  EXPECT_EQ(stream(**player, kHi).heard, "the key [key] is yours");
  EXPECT_EQ(stream(**player, kBye).answer.code(), Code::exhausted);
  EXPECT_EQ(stream(**player, R"({"model":"cancelled"})").answer.code(), Code::not_found);
  std::string id;
  (*player)->create_batch({{"y", R"({"model":"batch"})"}, {"z", R"({"model":"new"})"}}, {},
                          [&](Result<Batch> made) { id = made->id; });
  std::vector<BatchLine> lines;
  (*player)->batch_results(id, every_line([&](BatchLine line) { lines.push_back(std::move(line)); }),
                           [](Result<std::uint64_t>) {});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].custom_id, "y") << "ids of this process";
  EXPECT_EQ(lines[0].type, BatchLineType::succeeded);
  EXPECT_EQ(lines[1].type, BatchLineType::errored);
  (*player)->stop();
  EXPECT_EQ(stream(**player, kHi).answer.code(), Code::conflict);
}

TEST(Cassette, ALastLineThatWasCutShortIsLeftOut) {
  const std::string whole = cassette_exchange(kHi, text_answer("one"));
  const std::string next = cassette_exchange(kBye, text_answer("two"));
  auto cut = Cassette::parse(whole + next.substr(0, next.size() - 5));
  ASSERT_TRUE(cut.ok()) << cut.status().text();
  EXPECT_EQ(text_in(cut->next(kHi)), "one");
  EXPECT_EQ(cut->next(kBye).code(), Code::not_found);
  auto unended = Cassette::parse(whole + next.substr(0, next.size() - 1));
  ASSERT_TRUE(unended.ok()) << unended.status().text();
  EXPECT_EQ(text_in(unended->next(kBye)), "two") << "written by hand, and whole";
}

TEST(Recorder, ARecordingBeginsBehindWholeLinesAndIsItsOwnersAlone) {
  const TempFolder folder;
  const std::string whole = cassette_exchange(kHi, text_answer("one"));
  for (const std::string& before : {whole + whole.substr(0, 20), whole.substr(0, whole.size() - 1), whole, whole.substr(0, 20)}) {
    const std::string path = folder.path("cassette");
    std::ofstream(path, std::ios::binary | std::ios::trunc) << before;
    ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
    auto recorder = record_calls(
        std::make_shared<ScriptedApi>([](const std::string&) -> Result<Answer> { return text_answer("two"); }), path, "");
    ASSERT_TRUE(recorder.ok()) << recorder.status().text();
    stream(**recorder, kBye);
    EXPECT_EQ(read_all(path), (before.size() < 25 ? "" : whole) + cassette_exchange(kBye, text_answer("two")));
    struct stat facts {};
    ASSERT_EQ(::stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600U);
  }
  std::ofstream(folder.path("text")) << "no cassette";
  ASSERT_TRUE(record_calls(nullptr, folder.path("text"), "").ok());
  EXPECT_EQ(read_all(folder.path("text")), "no cassette\n") << "what is not ours is not cut";
}

TEST(Recorder, ARequestOfSeveralLinesIsOneLine) {
  const TempFolder folder;
  auto recorder =
      record_calls(std::make_shared<ScriptedApi>([](const std::string&) -> Result<Answer> { return text_answer("ok"); }),
                   folder.path("c"), "");
  ASSERT_TRUE(recorder.ok());
  stream(**recorder, "{\n  \"model\": \"m\"\n}");
  auto player = replay_calls(folder.path("c"));
  ASSERT_TRUE(player.ok()) << player.status().text();
  EXPECT_EQ(stream(**player, R"({"model":"m"})").heard, "ok");
}

TEST(Recorder, ALineThatTheDiskDoesNotTakeIsTakenBack) {
  const TempFolder folder;
  auto recorder =
      record_calls(std::make_shared<ScriptedApi>([](const std::string&) -> Result<Answer> { return text_answer("ok"); }),
                   folder.path("c"), "");
  ASSERT_TRUE(recorder.ok());
  stream(**recorder, kHi);
  const std::string whole = read_all(folder.path("c"));
  // A file may grow by ten bytes more, then writes are short.
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = whole.size() + 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_EQ(stream(**recorder, kBye).heard, "ok") << "the call is not the worse for it";
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_all(folder.path("c")), whole);
}

TEST(Recorder, AFileThatCannotBeUsedIsNamed) {
  const TempFolder folder;
  EXPECT_EQ(record_calls(nullptr, folder.path("none/cassette"), "").code(), Code::unavailable);
  EXPECT_EQ(replay_calls(folder.path("none")).code(), Code::unavailable);
  std::ofstream(folder.path("text")) << "no cassette";
  EXPECT_EQ(replay_calls(folder.path("text")).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::claude
