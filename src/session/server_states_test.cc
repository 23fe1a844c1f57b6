// What the server does with a frame in each state: conformance cases 4, 13, 14, 32, 45 and 46.
#include "session/server_states.h"

#include <gtest/gtest.h>

namespace muster::session {
namespace {

FrameAction action(ServerState state, std::string_view type) {
  return judge_frame(state, facts_of(protocol_of(type), type)).action;
}

TEST(ServerStates, OpenTakesHellosOnly) {
  for (const char* type : {"control.handshake", "control.resume", "handshake"})
    EXPECT_EQ(action(ServerState::open, type), FrameAction::process) << type;
  for (const char* type :
       {"control.heartbeat", "control.ack", "control.session.accept", "control.new", "heartbeat", "ack", "result"})
    EXPECT_EQ(action(ServerState::open, type), FrameAction::ignore) << type;
}

TEST(ServerStates, Case32BusinessBeforeTheResumeIsNeitherHandledNorAcknowledged) {
  for (const char* type : {"biz.exec.result", "biz.exec.feedback", "biz.unheard.of", "ext.vendor.x"})
    for (const ServerState state : {ServerState::open, ServerState::authed})
      EXPECT_EQ(action(state, type), FrameAction::ignore) << type;
}

TEST(ServerStates, Case4ARegisterWithoutAHandshakeIsTurnedAway) {
  const FrameVerdict v2 = judge_frame(ServerState::open, facts_of(Protocol::v2, "control.register"));
  EXPECT_EQ(v2.action, FrameAction::reset);
  EXPECT_EQ(v2.code, kAuthHandshakeRequired);
  const FrameVerdict v1 = judge_frame(ServerState::open, facts_of(Protocol::v1, "register"));
  EXPECT_EQ(v1.action, FrameAction::refuse);
  EXPECT_EQ(v1.code.reason, "handshake required");
}

TEST(ServerStates, Case14ARepeatedHandshakeIsAcknowledgedAndChangesNothing) {
  FrameFacts again = facts_of(Protocol::v2, "control.handshake");
  EXPECT_EQ(judge_frame(ServerState::authed, again).action, FrameAction::process);  // another id: the worker starts over
  again.repeats_hello = true;
  EXPECT_EQ(judge_frame(ServerState::authed, again).action, FrameAction::ack_again);
  EXPECT_EQ(judge_frame(ServerState::ready, again).action, FrameAction::ack_again);
}

TEST(ServerStates, Case13ASecondRegisterUpdatesWithoutASecondAccept) {
  EXPECT_EQ(action(ServerState::authed, "control.register"), FrameAction::process);
  EXPECT_EQ(action(ServerState::ready, "control.register"), FrameAction::update);
  EXPECT_EQ(next(ServerState::ready, ServerEvent::accepted), ServerState::ready);
}

TEST(ServerStates, HeartbeatsBeforeTheRegisterAreTolerated) {
  EXPECT_EQ(action(ServerState::authed, "control.heartbeat"), FrameAction::tolerate);
  EXPECT_EQ(action(ServerState::ready, "control.heartbeat"), FrameAction::process);
}

TEST(ServerStates, Case46AnotherTenantResetsTheSession) {
  FrameFacts frame = facts_of(Protocol::v2, "control.heartbeat");
  frame.same_tenant = false;
  for (const ServerState state : {ServerState::authed, ServerState::ready}) {
    const FrameVerdict verdict = judge_frame(state, frame);
    EXPECT_EQ(verdict.action, FrameAction::reset);
    EXPECT_EQ(verdict.code, kSessionTenantMismatch);
  }
  EXPECT_EQ(judge_frame(ServerState::open, frame).action, FrameAction::ignore);  // nothing is bound yet
}

TEST(ServerStates, ReadyHandlesBusinessAndToleratesControlThatMeansNothing) {
  for (const char* type : {"biz.exec.result", "biz.exec.next.request", "biz.unheard.of", "ext.vendor.x", "control.ack", "result",
                           "command.error", "error"})
    EXPECT_EQ(action(ServerState::ready, type), FrameAction::process) << type;  // ext.vendor: case 45
  for (const char* type : {"control.new", "control.reset", "control.drain", "control.session.accept"})
    EXPECT_EQ(action(ServerState::ready, type), FrameAction::tolerate) << type;
  EXPECT_EQ(action(ServerState::ready, "unheard.of"), FrameAction::ignore);  // v1: logged, not acknowledged
}

TEST(ServerStates, ASocketWithoutASessionIsNotListenedTo) {
  for (const ServerState state : {ServerState::detached, ServerState::closed})
    for (const FrameName& name : kFrameNames) EXPECT_EQ(action(state, name.v2), FrameAction::ignore) << name.v2;
}

TEST(ServerStates, ASessionOutlivesItsConnectionAndEndsByExpiry) {
  EXPECT_EQ(next(ServerState::ready, ServerEvent::disconnected), ServerState::detached);
  EXPECT_EQ(next(ServerState::detached, ServerEvent::resumed), ServerState::ready);
  EXPECT_EQ(next(ServerState::detached, ServerEvent::authenticated), ServerState::authed);
  EXPECT_EQ(next(ServerState::detached, ServerEvent::expired), ServerState::closed);
  EXPECT_EQ(next(ServerState::ready, ServerEvent::expired), std::nullopt);
  EXPECT_EQ(next(ServerState::detached, ServerEvent::disconnected), std::nullopt);
  EXPECT_EQ(next(ServerState::authed, ServerEvent::disconnected), ServerState::closed);
}

TEST(ServerStates, ADrainStopsNewWorkAndEndsWithTheOldOrAtItsDeadline) {
  const Instant deadline(std::chrono::seconds(1'800'000'000));
  EXPECT_TRUE(may_dispatch(ServerState::ready, std::nullopt));
  EXPECT_FALSE(may_dispatch(ServerState::ready, Drain{}));
  EXPECT_FALSE(may_dispatch(ServerState::detached, std::nullopt));
  EXPECT_FALSE(Drain{}.is_over(1, deadline));
  EXPECT_TRUE(Drain{}.is_over(0, deadline));
  EXPECT_FALSE(Drain{deadline}.is_over(1, deadline - Duration(1)));
  EXPECT_TRUE(Drain{deadline}.is_over(1, deadline));
  EXPECT_EQ(next(ServerState::ready, ServerEvent::drained), ServerState::closed);
}

TEST(ServerStates, ClosedIsTheEnd) {
  for (const ServerMove& move : kServerMoves) EXPECT_NE(move.from, ServerState::closed);
}

}  // namespace
}  // namespace muster::session
