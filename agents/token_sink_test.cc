#include "agents/token_sink.h"

#include <gtest/gtest.h>

#include "base/metrics.h"

namespace muster::agents {
namespace {

TEST(TokenSink, ACallIsToldBeforeItsFirstTokensCome) {
  ManualClock clock;
  Metrics metrics;
  const auto agenda = std::make_shared<Agenda>(clock, metrics);
  int told = 0;
  TokenSink sink(agenda, {.iteration = 1, .attempt = 1}, {.more = [&] { ++told; }, .end = [](Result<claude::Answer>) {}});
  const auto take = [&] {
    while (agenda->run_due()) {
    }
    return sink.take();
  };

  sink.started(1);
  const TokenSink::Taken call = take();
  EXPECT_EQ(told, 1);
  ASSERT_EQ(call.events.size(), 1U);
  EXPECT_NE(call.events[0].data.find(R"("type":"call")"), std::string::npos) << call.events[0].data;
  EXPECT_FALSE(call.has_tokens);

  sink.delta({.kind = claude::DeltaKind::text, .index = 0, .text = "Good"});
  sink.delta({.kind = claude::DeltaKind::text, .index = 0, .text = " day"});
  const TokenSink::Taken tokens = take();
  EXPECT_EQ(told, 2);
  ASSERT_EQ(tokens.events.size(), 1U);
  EXPECT_NE(tokens.events[0].data.find("Good day"), std::string::npos) << tokens.events[0].data;
  EXPECT_TRUE(tokens.has_tokens);
}

}  // namespace
}  // namespace muster::agents
