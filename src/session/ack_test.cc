// Acks read and written; conformance cases 11, 20 and 58 as far as they are text.
#include "session/ack.h"

#include <gtest/gtest.h>

#include "base/time_text.h"

namespace muster::session {
namespace {

Result<AckPayload> read_text_ack(const char* text) { return read_ack(*json::parse(text)); }

AckHead scheduler_ack() {
  return {.id = "a1", .ts = *parse_rfc3339("2026-11-15T07:57:26Z"), .tenant = "default", .sender_id = "scheduler-control"};
}

TEST(Ack, Case11AnAckOfTheHandshakeNamesItAndShowsTheWindow) {
  AckHead ack = scheduler_ack();
  ack.acked_id = "control.handshake-0";
  ack.window = WindowAck{};
  std::string out;
  append_ack(out, Protocol::v2, ack);
  EXPECT_EQ(out, R"({"type":"control.ack","id":"a1","ts":"2026-11-15T07:57:26.000000+00:00","tenant":"default",)"
                 R"("sender":{"role":"scheduler","id":"scheduler-control"},"ack":{"for":"control.handshake-0"},)"
                 R"("payload":{"ok":true,"for":"control.handshake-0","ack_seq":0,"ack_bitmap":0,"recv_window":64}})");
}

TEST(Ack, Case20WithoutForThereIsNoEnvelopeAckEither) {
  AckHead ack = scheduler_ack();
  ack.corr = "n1";
  ack.window = WindowAck{.ack_seq = 1};
  std::string out;
  append_ack(out, Protocol::v2, ack);
  const auto back = read_envelope(out, {});
  ASSERT_TRUE(back.ok()) << out;
  EXPECT_FALSE(back->ack_for);
  EXPECT_EQ(json::member(back->payload.tree(), "for"), nullptr);
  EXPECT_EQ(read_ack(back->payload.tree())->window, (WindowAck{1, 0, 64}));
  EXPECT_EQ(back->corr, "n1");
}

TEST(Ack, V1AcksShowNoWindow) {
  AckHead ack = scheduler_ack();
  ack.acked_id = "register-1";
  ack.window = WindowAck{};
  std::string out;
  append_ack(out, Protocol::v1, ack);
  EXPECT_TRUE(out.ends_with(R"("ack":{"for":"register-1"},"payload":{"ok":true,"for":"register-1"}})")) << out;
  EXPECT_TRUE(out.starts_with(R"({"type":"ack",)"));
}

TEST(Ack, Case25ReadsABitmapOf64BitsExactly) {
  const auto ack = read_text_ack(R"({"ok": true, "ack_seq": 0, "ack_bitmap": 18446744073709551614, "recv_window": 64})");
  ASSERT_TRUE(ack.ok());
  EXPECT_EQ(ack->window->ack_bitmap, 18446744073709551614u);
}

TEST(Ack, Case58ThePayloadNamesTheFrameWhenTheEnvelopeDoesNot) {
  Envelope envelope;
  const AckPayload payload = *read_text_ack(R"({"for": "from-payload"})");
  EXPECT_EQ(*acked_id(envelope, payload), "from-payload");
  envelope.ack_for = "from-envelope";
  EXPECT_EQ(*acked_id(envelope, payload), "from-envelope");
  EXPECT_EQ(acked_id(Envelope(), AckPayload()), nullptr);
}

TEST(Ack, NullsAndMissingFieldsAreAbsent) {
  const auto ack =
      read_text_ack(R"({"ok": null, "for": null, "info": null, "ack_seq": null, "ack_bitmap": null, "recv_window": null})");
  ASSERT_TRUE(ack.ok());
  EXPECT_FALSE(ack->ok || ack->acked_id || ack->info || ack->window);
  EXPECT_FALSE(read_text_ack(R"({"ack_bitmap": 2})")->window);  // a bitmap above nothing says nothing
  EXPECT_EQ(read_text_ack(R"({"ack_seq": 5})")->window, (WindowAck{5, 0, 64}));
  EXPECT_EQ(read_text_ack(R"({"ack_seq": 5, "recv_window": 1000})")->window, (WindowAck{5, 0, 64}));
}

TEST(Ack, RefusesWrongTypesByName) {
  for (const char* text : {R"({"ok": 1})", R"({"for": 1})", R"({"info": []})", R"({"ack_seq": -1})", R"({"ack_seq": 1.0})",
                           R"({"ack_bitmap": "2"})", R"({"recv_window": 0})"}) {
    const auto ack = read_text_ack(text);
    ASSERT_FALSE(ack.ok()) << text;
    const std::string field = json::parse(text)->begin().key();
    EXPECT_NE(ack.status().message().find("'" + field + "'"), std::string::npos) << ack.status().text();
  }
}

}  // namespace
}  // namespace muster::session
