// The envelope's reader and writer, and the pieces of text they are made of.
#include "session/envelope.h"

#include <gtest/gtest.h>

#include "base/time_text.h"
#include "session/wire_text.h"

namespace muster::session {
namespace {

constexpr const char* kDispatch =
    R"({"type": "biz.exec.dispatch", "id": "biz.exec.dispatch-1", "ts": "2026-11-15T07:57:26.094271+00:00", "corr": "n1", "seq": 1,)"
    R"( "tenant": "default", "sender": {"role": "scheduler", "id": "scheduler-control"}, "ack": {"request": true},)"
    R"( "payload": {"run_id": "run-1", "parameters": {"m": "h\u00e9"}}, "session_seq": 7})";

Result<Envelope> read(std::string_view text) { return read_envelope(text, {}); }

// The dispatch with one top-level field replaced, or taken away by an empty value.
std::string with(const char* field, const char* value) {
  json::Tree tree = *json::parse(kDispatch);
  tree.erase(field);
  if (*value != '\0') tree[field] = *json::parse(value);
  return json::dump(tree);
}

TEST(Envelope, ReadsEveryFieldOfADispatch) {
  const auto envelope = read(kDispatch);
  ASSERT_TRUE(envelope.ok()) << envelope.status().text();
  EXPECT_EQ(envelope->type, "biz.exec.dispatch");
  EXPECT_EQ(envelope->id, "biz.exec.dispatch-1");
  EXPECT_EQ(to_rfc3339(envelope->ts), "2026-11-15T07:57:26.094Z");
  EXPECT_EQ(envelope->corr, "n1");
  EXPECT_EQ(envelope->seq, 1u);
  EXPECT_EQ(envelope->session_seq, 7u);
  EXPECT_EQ(envelope->tenant, "default");
  EXPECT_EQ(envelope->sender.role, Role::scheduler);
  EXPECT_EQ(envelope->sender.id, "scheduler-control");
  EXPECT_FALSE(envelope->ack_for);
  EXPECT_TRUE(envelope->ack_request);
  EXPECT_TRUE(envelope->flags.empty());
  EXPECT_EQ(*json::text(*json::member(envelope->payload.tree(), "parameters"), "m"), "h\u00e9");
  EXPECT_EQ(envelope->bytes, std::string_view(kDispatch).size());
}

TEST(Envelope, Case43NullOptionalsCountAsAbsent) {
  for (const char* field : {"corr", "seq", "session_seq", "ack", "flags"}) {
    const auto envelope = read(with(field, "null"));
    ASSERT_TRUE(envelope.ok()) << field << ": " << envelope.status().text();
  }
  const auto envelope = read(with("ack", R"({"for": null, "request": null})"));
  ASSERT_TRUE(envelope.ok());
  EXPECT_FALSE(envelope->ack_for);
  EXPECT_FALSE(envelope->ack_request);
}

TEST(Envelope, RefusalNamesTheField) {
  struct Wrong {
    const char* field;
    const char* value;
    const char* named;
  };
  const Wrong wrongs[] = {
      {"type", "", "'type'"},
      {"type", "null", "'type'"},
      {"type", "\"\"", "'type'"},
      {"type", "7", "'type'"},
      {"id", "", "'id'"},
      {"id", "\"\"", "'id'"},
      {"ts", "", "'ts'"},
      {"ts", "1794729446", "'ts'"},
      {"ts", "\"2026-11-15T07:57:26\"", "'ts'"},
      {"ts", "\"yesterday\"", "'ts'"},
      {"corr", "5", "'corr'"},
      {"seq", "-1", "'seq'"},
      {"seq", "1.5", "'seq'"},
      {"seq", "\"3\"", "'seq'"},
      {"seq", "true", "'seq'"},
      {"session_seq", "-1", "'session_seq'"},
      {"session_seq", "18446744073709551616", "'session_seq'"},
      {"tenant", "", "'tenant'"},
      {"tenant", "\"\"", "'tenant'"},
      {"sender", "", "'sender'"},
      {"sender", "null", "'sender'"},
      {"sender", R"("worker")", "'sender'"},
      {"sender", R"({"role": "worker"})", "'sender.id'"},
      {"sender", R"({"id": "w"})", "'sender.role'"},
      {"sender", R"({"role": "admin", "id": "w"})", "'sender.role'"},
      {"sender", R"({"role": "worker", "id": ""})", "'sender.id'"},
      {"sender", R"({"role": "worker", "id": "w", "name": "n"})", "\"name\""},
      {"ack", "true", "'ack'"},
      {"ack", R"({"for": 1})", "'ack.for'"},
      {"ack", R"({"request": "yes"})", "'ack.request'"},
      {"ack", R"({"requested": true})", "\"requested\""},
      {"flags", "\"zip\"", "'flags'"},
      {"flags", "[\"\"]", "'flags'"},
      {"flags", "[1]", "'flags'"},
      {"payload", "", "'payload'"},
      {"payload", "null", "'payload'"},
      {"payload", "[]", "'payload'"},
      {"trace", "1", "\"trace\""},
  };
  for (const Wrong& wrong : wrongs) {
    const auto envelope = read(with(wrong.field, wrong.value));
    ASSERT_FALSE(envelope.ok()) << wrong.field << " = " << wrong.value;
    EXPECT_EQ(envelope.code(), Code::invalid_argument);
    EXPECT_NE(envelope.status().message().find(wrong.named), std::string::npos) << envelope.status().text();
  }
}

TEST(Envelope, AcceptsWhatPeersWriteAsTime) {
  for (const char* ts : {"\"2026-11-15T07:57:26Z\"", "\"2026-11-15 07:57:26.5+02:00\"", "\"2026-11-15T07:57:26.094271+00:00\""})
    EXPECT_TRUE(read(with("ts", ts)).ok()) << ts;
}

TEST(Envelope, Case42RefusesWhatIsNoJsonObjectOrTooLong) {
  for (const char* text : {"", "hello", "[]", "7", "null", "{\"type\":", "{} {}", "\"\xff\""})
    EXPECT_EQ(read(text).code(), Code::invalid_argument) << text;
  EXPECT_EQ(read(std::string(1'000'000, '[')).code(), Code::invalid_argument);
  const std::string long_text = with("payload", R"({"a": "bcdefghij"})");
  EXPECT_TRUE(read_envelope(long_text, {.bytes = long_text.size()}).ok());
  EXPECT_EQ(read_envelope(long_text, {.bytes = long_text.size() - 1}).code(), Code::exhausted);
}

TEST(Envelope, IsReadWhateverBlanksAndEscapesStandInIt) {
  const auto envelope = read(
      "\r\n { \"ty\\u0070e\" : \"\\u0061ck\",\"id\":\"a\\n\",\"ts\":\"2026-11-15T07:57:26Z\",\t\"tenant\":\"m\u00fcller\","
      "\"sender\" : { \"id\":\"w}\" , \"role\":\"w\\u006frker\" } , \"ack\":{ },\"payload\" : {\"a\":[{\"b\":\"]}\\\"\"}]} } \n");
  ASSERT_TRUE(envelope.ok()) << envelope.status().text();
  EXPECT_EQ(envelope->type, "ack");
  EXPECT_EQ(envelope->id, "a\n");
  EXPECT_EQ(envelope->tenant, "m\u00fcller");
  EXPECT_EQ(envelope->sender.id, "w}");
  EXPECT_EQ(envelope->sender.role, Role::worker);
  EXPECT_EQ(envelope->payload.tree(), *json::parse(R"({"a":[{"b":"]}\""}]})"));
}

TEST(Envelope, WhatIsNearlyJsonIsRefused) {
  const std::string good = with("corr", "");
  ASSERT_TRUE(read(good).ok());
  for (std::size_t cut = 0; cut < good.size(); ++cut) EXPECT_FALSE(read(good.substr(0, cut)).ok()) << good.substr(0, cut);
  for (const char* broken :
       {"{,", "{\"a\"", "{\"a\" \"b\"}", "{'a':1}", "{\"type\":}", "{\"corr\":\"\x01\"}", "{\"corr\":\"\xff\"}",
        "{\"corr\":\"\\x\"}", "{\"seq\":01}", "{\"seq\":+1}", "{\"seq\":1,}", "{\"corr\":nul}", "{\"sender\":{]}",
        "{\"payload\":{]}", "{\"flags\":[}}", "{\"ack\":{\"for\":\"a\"]}"})
    EXPECT_EQ(read(broken).code(), Code::invalid_argument) << broken;
  EXPECT_FALSE(read(good + "x").ok());
  EXPECT_FALSE(read(good.substr(0, good.size() - 1) + ",}").ok());
}

TEST(Envelope, AFieldThatIsThereTwiceIsRefused) {
  const std::string good = with("corr", "");
  const auto twice = read(good.substr(0, good.size() - 1) + ",\"id\":\"other\"}");
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.status().message(), "envelope field 'id' is there twice");
}

TEST(Envelope, BoundsItsTextsAndFlags) {
  const std::string longest(kEnvelopeTextBytesMax, 'x');
  EXPECT_TRUE(read(with("corr", ("\"" + longest + "\"").c_str())).ok());
  EXPECT_FALSE(read(with("corr", ("\"" + longest + "x\"").c_str())).ok());
  EXPECT_FALSE(read(with("id", ("\"" + longest + "x\"").c_str())).ok());
  json::Tree flags = std::vector<std::string>(kEnvelopeFlagsMax, "f");
  EXPECT_TRUE(read(with("flags", json::dump(flags).c_str())).ok());
  flags.push_back("f");
  EXPECT_FALSE(read(with("flags", json::dump(flags).c_str())).ok());
}

TEST(Envelope, ANameThatAPeerMadeUpIsCutInTheRefusal) {
  json::Tree tree = *json::parse(kDispatch);
  tree[std::string(100'000, 'z')] = 1;
  EXPECT_LT(read(json::dump(tree)).status().message().size(), 200u);
}

TEST(Envelope, ReadsTheWholeRangeOfNumbersExactly) {
  const auto envelope = read(with("session_seq", "18446744073709551615"));
  ASSERT_TRUE(envelope.ok());
  EXPECT_EQ(envelope->session_seq, 18446744073709551615u);
}

TEST(Envelope, V1HasNoTransportNumber) {
  EXPECT_FALSE(read_envelope(kDispatch, {.protocol = Protocol::v1}).ok());
  EXPECT_FALSE(read(with("type", "\"cmd.dispatch\"")).ok());
  EXPECT_TRUE(read_envelope(with("type", "\"cmd.dispatch\""), {.protocol = Protocol::v2}).ok());
  json::Tree tree = *json::parse(kDispatch);
  tree.erase("session_seq");
  EXPECT_TRUE(read_envelope(json::dump(tree), {.protocol = Protocol::v1}).ok());
}

TEST(Envelope, WritesKeysInTheOrderOfTheReferenceAndLeavesAbsentOnesOut) {
  Envelope envelope;
  envelope.type = "control.heartbeat";
  envelope.id = "control.heartbeat-6";
  envelope.ts = *parse_rfc3339("2026-11-15T07:57:28.228Z");
  envelope.tenant = "default";
  envelope.sender = {Role::worker, "w-1"};
  EXPECT_EQ(
      write_envelope(envelope),
      R"({"type":"control.heartbeat","id":"control.heartbeat-6","ts":"2026-11-15T07:57:28.228000+00:00","tenant":"default",)"
      R"("sender":{"role":"worker","id":"w-1"},"payload":{}})");
  envelope.corr = "c";
  envelope.seq = 3;
  envelope.session_seq = 18446744073709551615u;
  envelope.ack_for = "x";
  envelope.ack_request = true;
  envelope.flags = {"a", "b"};
  EXPECT_EQ(
      write_envelope(envelope),
      R"({"type":"control.heartbeat","id":"control.heartbeat-6","ts":"2026-11-15T07:57:28.228000+00:00","corr":"c","seq":3,)"
      R"("tenant":"default","sender":{"role":"worker","id":"w-1"},"ack":{"for":"x","request":true},"flags":["a","b"],)"
      R"("payload":{},"session_seq":18446744073709551615})");
}

TEST(Envelope, WhatIsWrittenIsReadBack) {
  Envelope envelope = *read(kDispatch);
  envelope.id = "quote \" backslash \\ control \x01 \u00e9 \U0001F600";
  envelope.ack_for = "";
  envelope.flags = {"one"};
  const auto back = read(write_envelope(envelope));
  ASSERT_TRUE(back.ok()) << back.status().text();
  EXPECT_EQ(back->id, envelope.id);
  EXPECT_EQ(back->ts, envelope.ts);
  EXPECT_EQ(back->ack_for, "");
  EXPECT_EQ(back->flags, envelope.flags);
  EXPECT_EQ(back->payload.text(), envelope.payload.text());
  EXPECT_EQ(write_envelope(*back), write_envelope(envelope));
}

TEST(Envelope, ANumberGivenLaterMakesTheSameFrame) {
  Envelope envelope = *read(kDispatch);
  const std::string numbered = write_envelope(envelope);
  envelope.session_seq.reset();
  std::string frame = write_envelope(envelope);
  number_frame(frame, 7);
  EXPECT_EQ(frame, numbered);
}

TEST(WireText, BytesThatAreNoUtf8DoNotReachTheWire) {
  std::string out;
  append_quoted(out, "a\xff");
  EXPECT_EQ(out, "\"a\uFFFD\"");
}

TEST(WireText, TimestampsAgreeWithTheReaderOnEveryKindOfDay) {
  for (const char* text : {"1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "2026-11-15T07:57:26.094Z",
                           "1969-12-31T23:59:59.001Z", "9999-12-31T23:59:59.999Z"}) {
    const Instant at = *parse_rfc3339(text);
    std::string out;
    append_timestamp(out, at);
    EXPECT_EQ(parse_rfc3339(std::string_view(out).substr(1, out.size() - 2)), at) << out;
    EXPECT_EQ(out.size(), std::string_view("\"2026-11-15T07:57:26.094271+00:00\"").size());
  }
  std::string out;
  append_timestamp_seconds(out, *parse_rfc3339("2026-11-15T08:57:25.999Z"));
  EXPECT_EQ(out, "\"2026-11-15T08:57:25+00:00\"");
}

}  // namespace
}  // namespace muster::session
