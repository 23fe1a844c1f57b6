#include "sdk/cpp/agents/toolbox.h"

#include <gtest/gtest.h>

#include "sdk/cpp/agents/agents.h"

namespace muster::sdk::agents {
namespace {

class GrantedTask final : public Task {
 public:
  GrantedTask(std::string type, std::string payload) {
    grant_.type = std::move(type);
    grant_.payload = Content{.data = std::move(payload)};
  }
  const Grant& grant() const override { return grant_; }
  bool cancelled() const override { return false; }
  Result<Nothing> report(const Progress&) override { return Nothing{}; }

 private:
  Grant grant_;
};

ToolSpec tool_named(std::string name) {
  ToolSpec spec;
  spec.name = std::move(name);
  return spec;
}

TEST(Toolbox, GivesTheInputToTheFunctionOfTheTool) {
  Toolbox tools;
  tools.add(tool_named("echo"), [](const ToolCall& call) { return answer(std::string("got ") + std::string(call.input)); });
  GrantedTask task("echo", R"({"a":1})");
  const Outcome outcome = tools.handler()(task);
  EXPECT_EQ(outcome.kind, Outcome::Kind::complete);
  EXPECT_EQ(outcome.result->data, R"("got {\"a\":1}")") << "a text is JSON on the wire";
}

TEST(Toolbox, LeavesOtherJobsToOthers) {
  Toolbox tools;
  tools.add(tool_named("echo"), [](const ToolCall&) { return answer("x"); });
  GrantedTask task("mail", "{}");
  EXPECT_EQ(tools.handler()(task).kind, Outcome::Kind::fail);
  EXPECT_EQ(tools.handler([](Task&) { return Outcome::completed("1"); })(task).result->data, "1");
}

TEST(Toolbox, OffersCapabilitiesAndQueuesOfItsTools) {
  Toolbox tools;
  ToolSpec gpu = tool_named("draw");
  gpu.needs = {"gpu"};
  gpu.queue = "heavy";
  tools.add(gpu, [](const ToolCall&) { return answer("x"); });
  tools.add(tool_named("echo"), [](const ToolCall&) { return answer("x"); });
  const WorkerSpec spec = tools.offered({.ns = "", .id = "w", .capabilities = {"tool:echo"}});
  EXPECT_EQ(spec.capabilities, (std::vector<std::string>{"tool:echo", "gpu"}));
  EXPECT_EQ(spec.queues, (std::vector<std::string>{"heavy", "tools"}));
}

TEST(Toolbox, ATextThatIsNotUtf8IsStillAnAnswer) {
  EXPECT_EQ(answer("a\xff").result->data, "\"a\xEF\xBF\xBD\"");
  EXPECT_FALSE(refuse("no").failure.retryable);
}

TEST(RunEvents, CarryTheTextOfTheirData) {
  const RunEvent event = run_event_of({.id = "3", .event = "text_delta", .data = R"({"type":"text_delta","text":"Hel"})"});
  EXPECT_EQ(event.number, "3");
  EXPECT_EQ(event.type, "text_delta");
  EXPECT_EQ(event.text, "Hel");
  EXPECT_EQ(run_event_of({.id = "", .event = "gap", .data = "not json"}).text, "");
}

}  // namespace
}  // namespace muster::sdk::agents
