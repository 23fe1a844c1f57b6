// The worker's states, its reconnects, and conformance case 61; names of frames and codes.
#include "session/worker_states.h"

#include <gtest/gtest.h>

#include <set>

#include "session/codes.h"
#include "session/frame_types.h"

namespace muster::session {
namespace {

TEST(WorkerStates, MovesAreThoseOfTheTableOnly) {
  using enum WorkerState;
  const std::vector<WorkerState> way{fresh, handshaking, registered, ready, draining, closed, fresh};
  for (std::size_t i = 1; i < way.size(); ++i) EXPECT_TRUE(may_move(way[i - 1], way[i])) << to_string(way[i]);
  for (const WorkerState from : {handshaking, registered, ready, draining, closed}) EXPECT_TRUE(may_move(from, backoff));
  EXPECT_TRUE(may_move(backoff, fresh));
  EXPECT_FALSE(may_move(fresh, backoff));
  EXPECT_FALSE(may_move(draining, registered));  // a draining worker does not register again
  EXPECT_FALSE(may_move(backoff, handshaking));
  EXPECT_EQ(kWorkerMoves.size(), 14u);
}

TEST(WorkerStates, Case61AServerThatForgotTheSessionGetsAHandshake) {
  EXPECT_EQ(hello_after_close(1012, "", true), Hello::handshake);
  EXPECT_EQ(hello_after_close(1011, "service restart", true), Hello::handshake);
  EXPECT_EQ(hello_after_close(1011, "Unknown session", true), Hello::handshake);
  EXPECT_EQ(hello_after_close(1011, "sorry: Unknown session, bye", true), Hello::handshake);
}

TEST(WorkerStates, AnyOtherCloseIsResumedIfThereIsASession) {
  for (const std::uint16_t code : {1000, 1001, 1006, 1009, 1011})
    EXPECT_EQ(hello_after_close(code, "superseded session", true), Hello::resume) << code;
  EXPECT_EQ(hello_after_close(1001, "", false), Hello::handshake);
}

TEST(ReconnectBackoff, FirstAtOnceThenDoublingUpToThirtySeconds) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    ReconnectBackoff backoff(seed);
    EXPECT_EQ(backoff.next(), Duration(0));
    for (const int nominal : {1'000, 2'000, 4'000, 8'000, 16'000, 30'000, 30'000, 30'000}) {
      const Duration wait = backoff.next();
      EXPECT_GE(wait, Duration(nominal) * 8 / 10);
      EXPECT_LE(wait, Duration(nominal) * 12 / 10);
    }
    backoff.succeeded();
    EXPECT_EQ(backoff.next(), Duration(0));
  }
}

TEST(ReconnectBackoff, SeedsSpreadTheWaits) {
  std::set<Duration> waits;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    ReconnectBackoff backoff(seed);
    (void)backoff.next();
    waits.insert(backoff.next());
  }
  EXPECT_GT(waits.size(), 50u);
}

TEST(FrameTypes, EveryNameOfBothVersionsMeansItsKind) {
  for (const FrameName& name : kFrameNames) {
    EXPECT_EQ(kind_of(Protocol::v2, name.v2), name.kind);
    EXPECT_EQ(name_of(Protocol::v2, name.kind), name.v2);
    EXPECT_EQ(protocol_of(name.v2), Protocol::v2);
    if (name.v1.empty()) continue;
    EXPECT_EQ(kind_of(Protocol::v1, name.v1), name.kind);
    EXPECT_EQ(protocol_of(name.v1), Protocol::v1);
    EXPECT_EQ(kind_of(Protocol::v2, name.v1), FrameKind::unknown);
  }
  EXPECT_EQ(kind_of(Protocol::v1, "command.error"), FrameKind::error);
  EXPECT_EQ(kind_of(Protocol::v2, "ext.vendor.acme.ping"), FrameKind::extension);
  EXPECT_EQ(kind_of(Protocol::v2, "control.new"), FrameKind::unknown);
}

TEST(FrameTypes, OnlyControlFramesAreWithoutNumbers) {
  EXPECT_FALSE(is_numbered("control.ack"));
  EXPECT_FALSE(is_numbered("control.unheard"));
  EXPECT_TRUE(is_numbered("biz.exec.result"));
  EXPECT_TRUE(is_numbered("ext.vendor.x"));
  EXPECT_EQ(family_of("controller"), Family::none);
}

TEST(Codes, EachIsThereOnceAndHasAReason) {
  std::set<std::string_view> seen;
  for (const ErrorCode& code : kErrorCodes) {
    EXPECT_TRUE(seen.insert(code.code).second) << code.code;
    EXPECT_FALSE(code.reason.empty()) << code.code;
  }
}

}  // namespace
}  // namespace muster::session
