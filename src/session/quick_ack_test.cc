#include "session/quick_ack.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::session {
namespace {

const std::string kUsual =
    R"({"type": "control.ack", "id": "control.ack-2", "ts": "2026-11-15T07:57:26.095479+00:00", "corr": "n1", "seq": 1, "tenant": "default", )"
    R"("sender": {"role": "worker", "id": "7a9c624c"}, "payload": {"ok": true, "for": "d-1", "ack_seq": 7, "ack_bitmap": 18446744073709551614, )"
    R"("recv_window": 64}, "ack": {"for": "d-1"}})";

std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(QuickAck, TakesAcksAsWorkersWriteThem) {
  const auto ack = read_quick_ack(kUsual);
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->tenant, "default");
  EXPECT_EQ(ack->acked_id, "d-1");
  EXPECT_EQ(ack->window, (WindowAck{.ack_seq = 7, .ack_bitmap = 18446744073709551614U, .recv_window = 64}));
  EXPECT_TRUE(read_quick_ack(with(kUsual, R"(, "ack": {"for": "d-1"})", "")));
  EXPECT_EQ(read_quick_ack(with(kUsual, R"("recv_window": 64)", R"("recv_window": 4000000000000)"))->window.recv_window, 64U);
}

TEST(QuickAck, ReadsWhatTheLongWayReads) {
  const auto envelope = read_envelope(kUsual, {});
  ASSERT_TRUE(envelope.ok());
  const auto payload = read_ack(envelope->payload.tree());
  ASSERT_TRUE(payload.ok());
  EXPECT_EQ(read_quick_ack(kUsual)->window, payload->window);
  EXPECT_EQ(read_quick_ack(kUsual)->tenant, envelope->tenant);
}

TEST(QuickAck, LeavesEverythingElseToTheLongWay) {
  for (const auto& [from, to] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"control.ack\"", "control.acks\""},
           {R"("id": "control.ack-2", )", ""},
           {R"("id": "control.ack-2", )", R"("id": "", )"},
           {R"("id": "control.ack-2", )", R"("id": "a", "id": "b", )"},
           {R"("corr": "n1")", R"("corr": null)"},
           {R"("corr": "n1")", R"("corr": "n\u0031")"},
           {R"("corr": "n1")", R"("flags": [])"},
           {R"("seq": 1)", R"("seq": -1)"},
           {R"("seq": 1)", R"("session_seq": 1)"},
           {R"("role": "worker")", R"("role": "scheduler")"},
           {R"("role": "worker", )", ""},
           {"+00:00", ""},
           {R"("ack_seq": 7, )", ""},
           {R"("ack_seq": 7)", R"("ack_seq": 7.0)"},
           {R"("ack_seq": 7)", R"("ack_seq": "7")"},
           {R"("ack_seq": 7)", R"("ack_seq": 07)"},
           {R"("ack_seq": 7)", R"("ack_seq": 9223372036854775808)"},
           {"18446744073709551614", "18446744073709551616"},
           {R"("recv_window": 64)", R"("recv_window": 0)"},
           {R"("recv_window": 64)", R"("recv_window": 64, "more": 1)"},
           {R"("ok": true)", R"("ok": 1)"},
           {R"("ack": {"for": "d-1"})", R"("ack": {"for": "d-1", "request": true})"},
           {R"("ack": {"for": "d-1"}})", R"("ack": {"for": "d-1"}}})"},
           {R"("ack": {"for": "d-1"}})", R"("ack": {"for": "d-1"})"},
       })
    EXPECT_FALSE(read_quick_ack(with(kUsual, from, to))) << from << " -> " << to;
  EXPECT_FALSE(read_quick_ack(""));
  EXPECT_FALSE(read_quick_ack(R"({"type": "control.ack")"));
}

}  // namespace
}  // namespace muster::session
