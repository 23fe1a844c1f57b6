// h2spec's list of cases as raw frames, named by its section numbers (those of RFC 7540, which RFC 9113 keeps). Each says what a
// peer sends after the settings were exchanged and what it must see: an error of the connection, of the stream, or an answer.
#include <string>

#include "fronts/http2/session_testing.h"

namespace muster::http2 {
namespace {

using namespace std::string_literals;

struct Expected {
  std::optional<Fault> connection;  // GOAWAY, and the end
  std::optional<Fault> stream;      // RST_STREAM of stream 1
  bool answer = false;              // of stream 1
};

struct Case {
  const char* section;
  const char* claim;
  std::string bytes;
  Expected expected;
};

Expected connection_error(Fault fault) { return {.connection = fault, .stream = {}}; }
Expected stream_error(Fault fault) { return {.connection = {}, .stream = fault}; }
const Expected kNothing;
const Expected kAnswered{.connection = {}, .stream = {}, .answer = true};

std::string open(std::uint32_t stream = 1) { return request(stream, kEndHeaders); }
std::string with(std::vector<std::pair<std::string, std::string>> fields, std::uint8_t flags = kEndStream | kEndHeaders) {
  return frame(Kind::headers, flags, 1, block(fields));
}
std::string extra(std::pair<std::string, std::string> field, std::uint8_t flags = kEndStream | kEndHeaders) {
  auto fields = request_fields();
  fields.push_back(std::move(field));
  return with(std::move(fields), flags);
}
std::string without(const std::string& name) {
  auto fields = request_fields();
  std::erase_if(fields, [&](const auto& field) { return field.first == name; });
  return with(std::move(fields));
}
std::string twice(const std::string& name) {
  auto fields = request_fields();
  for (const auto& field : request_fields())
    if (field.first == name) fields.insert(fields.begin(), field);
  return with(std::move(fields));
}
std::string raw_block(const std::string& bytes) { return frame(Kind::headers, kEndStream | kEndHeaders, 1, bytes); }

std::vector<Case> cases() {
  const std::string ping(8, 'p');
  const std::string priority = number32(0) + "\x10";
  return {
      // 4. HTTP frames
      {"4.1.1", "a frame of an unknown type is ignored", frame(0x16, 0, 0, ping) + request(1), kAnswered},
      {"4.1.2", "a flag that is not defined is ignored", frame(Kind::ping, 0x16, 0, ping) + request(1), kAnswered},
      {"4.1.3", "the reserved bit of a stream's number is ignored", frame(Kind::ping, 0, 0x80000000, ping) + request(1),
       kAnswered},
      {"4.2.1", "DATA of the largest size is read", open() + frame(Kind::data, kEndStream, 1, std::string(16'384, 'x')),
       kAnswered},
      {"4.2.2", "DATA above it is a FRAME_SIZE_ERROR", open() + frame(Kind::data, kEndStream, 1, std::string(16'385, 'x')),
       connection_error(Fault::frame_size)},
      {"4.2.3", "so are HEADERS", frame(Kind::headers, kEndStream | kEndHeaders, 1, std::string(16'385, 'x')),
       connection_error(Fault::frame_size)},
      {"4.3.1", "a block that cannot be decoded is a COMPRESSION_ERROR", raw_block("\x00\x10\xff"s),
       connection_error(Fault::compression)},
      {"4.3.2", "PRIORITY inside a block is a PROTOCOL_ERROR", request(1, kEndStream) + frame(Kind::priority, 0, 1, priority),
       connection_error(Fault::protocol)},
      {"4.3.3", "so are HEADERS of another stream", request(1, kEndStream) + request(3), connection_error(Fault::protocol)},
      // 5. Streams
      {"5.1.1", "DATA of an idle stream", frame(Kind::data, kEndStream, 1, "x"), connection_error(Fault::protocol)},
      {"5.1.2", "RST_STREAM of an idle stream", frame(Kind::rst_stream, 0, 1, number32(8)), connection_error(Fault::protocol)},
      {"5.1.3", "WINDOW_UPDATE of an idle stream", frame(Kind::window_update, 0, 1, number32(100)),
       connection_error(Fault::protocol)},
      {"5.1.4", "CONTINUATION of an idle stream", frame(Kind::continuation, kEndHeaders, 1, block(request_fields())),
       connection_error(Fault::protocol)},
      {"5.1.5", "DATA after the end of the stream", open() + frame(Kind::data, kEndStream, 1, "x") + frame(Kind::data, 0, 1, "y"),
       connection_error(Fault::stream_closed)},
      // RFC 9113 lets these pass: we forget streams that have ended, and what was on its way when we ended one looks the same.
      {"5.1.8", "DATA after RST_STREAM is passed over",
       open() + frame(Kind::rst_stream, 0, 1, number32(8)) + frame(Kind::data, 0, 1, "y"), kNothing},
      {"5.1.9", "HEADERS after RST_STREAM are passed over", open() + frame(Kind::rst_stream, 0, 1, number32(8)) + request(1),
       kNothing},
      {"5.1.10", "CONTINUATION after RST_STREAM",
       open() + frame(Kind::rst_stream, 0, 1, number32(8)) + frame(Kind::continuation, kEndHeaders, 1, block(request_fields())),
       connection_error(Fault::protocol)},
      {"5.1.1.1", "a stream of an even number", request(2), connection_error(Fault::protocol)},
      {"5.1.1.2", "a stream below one that was there is one that has ended", request(5) + request(3), kNothing},
      {"5.5.1", "an unknown extension frame is ignored", frame(0x42, 0, 0, "abc") + request(1), kAnswered},
      {"5.5.2", "one inside a block is not", request(1, kEndStream) + frame(0x42, 0, 0, "abc"),
       connection_error(Fault::protocol)},
      // 6. Frames
      {"6.1.1", "DATA of stream 0", frame(Kind::data, kEndStream, 0, "x"), connection_error(Fault::protocol)},
      {"6.1.3", "DATA with more padding than payload", open() + frame(Kind::data, kEndStream | kPadded, 1, "\x06xxxx"),
       connection_error(Fault::protocol)},
      {"6.2.2", "HEADERS of stream 0", request(0), connection_error(Fault::protocol)},
      {"6.2.4", "HEADERS with more padding than payload",
       frame(Kind::headers, kEndStream | kEndHeaders | kPadded, 1, "\x7f" + block(request_fields()).substr(0, 20)),
       connection_error(Fault::protocol)},
      {"6.3.1", "PRIORITY of stream 0", frame(Kind::priority, 0, 0, priority), connection_error(Fault::protocol)},
      {"6.3.2", "PRIORITY of another length", frame(Kind::priority, 0, 1, "abcd"), connection_error(Fault::frame_size)},
      {"6.4.1", "RST_STREAM of stream 0", frame(Kind::rst_stream, 0, 0, number32(8)), connection_error(Fault::protocol)},
      {"6.4.3", "RST_STREAM of another length", open() + frame(Kind::rst_stream, 0, 1, "abc"),
       connection_error(Fault::frame_size)},
      {"6.5.1", "an ack of settings with a payload", frame(Kind::settings, kAck, 0, setting(3, 1)),
       connection_error(Fault::frame_size)},
      {"6.5.2", "settings of a stream", frame(Kind::settings, 0, 1, setting(3, 1)), connection_error(Fault::protocol)},
      {"6.5.3", "settings of another length", frame(Kind::settings, 0, 0, "abc"), connection_error(Fault::frame_size)},
      {"6.5.2.1", "ENABLE_PUSH that is neither 0 nor 1", frame(Kind::settings, 0, 0, setting(2, 2)),
       connection_error(Fault::protocol)},
      {"6.5.2.2", "INITIAL_WINDOW_SIZE above the largest window", frame(Kind::settings, 0, 0, setting(4, 0x80000000)),
       connection_error(Fault::flow_control)},
      {"6.5.2.3", "MAX_FRAME_SIZE below the smallest", frame(Kind::settings, 0, 0, setting(5, 16'383)),
       connection_error(Fault::protocol)},
      {"6.5.2.4", "MAX_FRAME_SIZE above the largest", frame(Kind::settings, 0, 0, setting(5, 1 << 24)),
       connection_error(Fault::protocol)},
      {"6.5.2.5", "a setting that is not known is ignored", frame(Kind::settings, 0, 0, setting(0xff, 1)) + request(1),
       kAnswered},
      {"6.7.3", "PING of a stream", frame(Kind::ping, 0, 1, ping), connection_error(Fault::protocol)},
      {"6.7.4", "PING of another length", frame(Kind::ping, 0, 0, "abc"), connection_error(Fault::frame_size)},
      {"6.8.1", "GOAWAY of a stream", frame(Kind::goaway, 0, 1, number32(0) + number32(0)), connection_error(Fault::protocol)},
      {"6.9.1", "a window of the connection that grows by nothing", frame(Kind::window_update, 0, 0, number32(0)),
       connection_error(Fault::protocol)},
      {"6.9.2", "a window of a stream that grows by nothing", open() + frame(Kind::window_update, 0, 1, number32(0)),
       connection_error(Fault::protocol)},
      {"6.9.3", "WINDOW_UPDATE of another length", frame(Kind::window_update, 0, 0, "abc"), connection_error(Fault::frame_size)},
      {"6.9.1.2", "a window of the connection above the largest",
       frame(Kind::window_update, 0, 0, number32(0x7fffffff)) + frame(Kind::window_update, 0, 0, number32(0x7fffffff)),
       connection_error(Fault::flow_control)},
      {"6.9.1.3", "a window of a stream above the largest",
       open() + frame(Kind::window_update, 0, 1, number32(0x7fffffff)) + frame(Kind::window_update, 0, 1, number32(0x7fffffff)),
       stream_error(Fault::flow_control)},
      {"6.9.2.3", "a window of settings that makes a stream's too large",
       open() + frame(Kind::window_update, 0, 1, number32(0x7fff0000)) + frame(Kind::settings, 0, 0, setting(4, 0x7fffffff)),
       stream_error(Fault::flow_control)},
      {"6.10.1", "a block of several frames is one",
       frame(Kind::headers, kEndStream, 1, block(request_fields()).substr(0, 5)) +
           frame(Kind::continuation, 0, 1, block(request_fields()).substr(5, 5)) +
           frame(Kind::continuation, kEndHeaders, 1, block(request_fields()).substr(10)),
       kAnswered},
      {"6.10.2", "something else between them",
       frame(Kind::headers, 0, 1, block(request_fields()).substr(0, 5)) + frame(Kind::data, 0, 1, "x"),
       connection_error(Fault::protocol)},
      {"6.10.3", "CONTINUATION of stream 0",
       frame(Kind::headers, kEndStream, 1, block(request_fields()).substr(0, 5)) +
           frame(Kind::continuation, kEndHeaders, 0, block(request_fields()).substr(5)),
       connection_error(Fault::protocol)},
      {"6.10.4", "CONTINUATION after the end of the block", request(1) + frame(Kind::continuation, kEndHeaders, 1, ""),
       connection_error(Fault::protocol)},
      {"6.10.6", "CONTINUATION after DATA", open() + frame(Kind::data, 0, 1, "x") + frame(Kind::continuation, kEndHeaders, 1, ""),
       connection_error(Fault::protocol)},
      // 7. Error codes
      {"7.2", "RST_STREAM with a code that is not known is one",
       open() + frame(Kind::rst_stream, 0, 1, number32(0xff)) + request(3), kNothing},
      // 8. HTTP semantics
      {"8.1.1", "a second head that does not end the stream", open() + request(1, kEndHeaders), stream_error(Fault::protocol)},
      {"8.1.2.1", "a name in upper case", extra({"X-Test", "ok"}), stream_error(Fault::protocol)},
      {"8.1.2.1.1", "a pseudo field that is not known", extra({":test", "ok"}), stream_error(Fault::protocol)},
      {"8.1.2.1.2", "a pseudo field of answers", extra({":status", "200"}), stream_error(Fault::protocol)},
      {"8.1.2.1.3", "a pseudo field after the body",
       open() + frame(Kind::headers, kEndStream | kEndHeaders, 1, block({{":method", "POST"}})), stream_error(Fault::protocol)},
      {"8.1.2.1.4", "a pseudo field after others",
       with({{":method", "POST"}, {":scheme", "http"}, {"x-test", "ok"}, {":path", "/"}}), stream_error(Fault::protocol)},
      {"8.1.2.2.1", "a field about the connection", extra({"connection", "keep-alive"}), stream_error(Fault::protocol)},
      {"8.1.2.2.2", "te that is not trailers", extra({"te", "gzip"}), stream_error(Fault::protocol)},
      {"8.1.2.3.1", "an empty path", with({{":method", "POST"}, {":scheme", "http"}, {":path", ""}, {":authority", "a"}}),
       stream_error(Fault::protocol)},
      {"8.1.2.3.2", "no method", without(":method"), stream_error(Fault::protocol)},
      {"8.1.2.3.3", "no scheme", without(":scheme"), stream_error(Fault::protocol)},
      {"8.1.2.3.4", "no path", without(":path"), stream_error(Fault::protocol)},
      {"8.1.2.3.5", "two methods", twice(":method"), stream_error(Fault::protocol)},
      {"8.1.2.3.6", "two schemes", twice(":scheme"), stream_error(Fault::protocol)},
      {"8.1.2.3.7", "two paths", twice(":path"), stream_error(Fault::protocol)},
      {"8.1.2.6.1", "a content-length that is not the body's",
       extra({"content-length", "1"}, kEndHeaders) + frame(Kind::data, kEndStream, 1, "test"), stream_error(Fault::protocol)},
      {"8.1.2.6.2", "nor that of several frames",
       extra({"content-length", "1"}, kEndHeaders) + frame(Kind::data, 0, 1, "te") + frame(Kind::data, kEndStream, 1, "st"),
       stream_error(Fault::protocol)},
      {"8.2.1", "PUSH_PROMISE of a client",
       open() + frame(Kind::push_promise, kEndHeaders, 1, number32(3) + block(request_fields())),
       connection_error(Fault::protocol)},
      // HPACK
      {"hpack 2.3.3.1", "an index above both tables", raw_block("\x82\x86\x84\xff\x00"s), connection_error(Fault::compression)},
      {"hpack 4.2.1", "a size of the table after the fields", raw_block(block(request_fields()) + "\x20"),
       connection_error(Fault::compression)},
      {"hpack 5.2.1", "padding of Huffman's code above seven bits", raw_block("\x82\x86\x84\x01\x84\x1c\x64\x9f\xff"s),
       connection_error(Fault::compression)},
      {"hpack 6.1.1", "index 0", raw_block("\x82\x86\x84\x80"s), connection_error(Fault::compression)},
      {"hpack 6.3.1", "a table above what was allowed", raw_block("\x3f\xe1\xff\x03\x82\x86\x84"s),
       connection_error(Fault::compression)},
  };
}

class H2Spec : public SessionTest {};

TEST_F(H2Spec, EveryCaseEndsAsTheStandardSays) {
  for (const Case& each : cases()) {
    SCOPED_TRACE(std::string(each.section) + ": " + each.claim);
    session.reset();
    connection.sent.clear();
    connection.closed = false;
    connection.waiting.clear();
    all.clear();
    read_ = 0;
    script = {};
    connect();
    send(each.bytes);
    EXPECT_EQ(goaway(), each.expected.connection);
    EXPECT_EQ(connection.closed, each.expected.connection.has_value());
    if (each.expected.stream) {
      EXPECT_EQ(reset_of(1), each.expected.stream);
      send(request(11));
      EXPECT_TRUE(answered(11)) << "the others go on";
    }
    EXPECT_EQ(answered(1), each.expected.answer || (each.expected.connection && answered(1)));
    session->closed();
    EXPECT_TRUE(script.open.empty());
    EXPECT_EQ(script.closed, static_cast<int>(script.begun)) << "every stream that was begun has ended";
  }
}

TEST_F(H2Spec, Section35AConnectionThatDoesNotBeginAsHttp2Ends) {
  begin();
  send("INVALID CONNECTION PREFACE\r\n\r\n");
  EXPECT_TRUE(connection.closed);
}

TEST_F(H2Spec, Section35SettingsComeFirst) {
  begin();
  send(std::string(kPrefaceText) + frame(Kind::ping, 0, 0, std::string(8, 'p')));
  EXPECT_EQ(goaway(), Fault::protocol);
  EXPECT_TRUE(connection.closed);
}

// nghttp2 takes a peer that knows the bound and passes it for broken, and ends the connection.
TEST_F(H2Spec, Section512MoreStreamsThanAllowedAreAnError) {
  Limits narrow;
  narrow.streams_max = 2;
  script.waits = true;
  connect(narrow);
  send(request(1) + request(3) + request(5));
  EXPECT_EQ(goaway(), Fault::protocol);
  EXPECT_EQ(script.begun, 2u);
  session->closed();
}

TEST_F(H2Spec, Section653SettingsAreAcknowledgedOneByOne) {
  begin();
  send(std::string(kPrefaceText) + frame(Kind::settings, 0, 0, setting(4, 100) + setting(4, 1)) + frame(Kind::settings, 0, 0));
  frames();
  EXPECT_EQ(
      std::count_if(all.begin(), all.end(), [](const Frame& each) { return each.kind == Kind::settings && each.flags == kAck; }),
      2);
}

TEST_F(H2Spec, Section671PingsAreAnsweredWithTheirOwnBytesAndAnswersAreNot) {
  connect();
  send(frame(Kind::ping, 0, 0, "12345678") + frame(Kind::ping, kAck, 0, "abcdefgh"));
  const std::vector<Frame> sent = frames();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].kind, Kind::ping);
  EXPECT_EQ(sent[0].flags, kAck);
  EXPECT_EQ(sent[0].payload, "12345678");
}

TEST_F(H2Spec, Section691AnAnswerWaitsForTheWindow) {
  script.answer = "0123456789";
  begin();
  send(std::string(kPrefaceText) + frame(Kind::settings, 0, 0, setting(4, 1)) + request(1));
  std::string got;
  for (const Frame& each : frames())
    if (each.kind == Kind::data) got += each.payload;
  EXPECT_EQ(got, "0");
  EXPECT_FALSE(answered(1));
  // 6.9.2: a smaller window of settings makes it negative, and it must be filled up first.
  send(frame(Kind::settings, 0, 0, setting(4, 0)) + frame(Kind::window_update, 0, 1, number32(1)));
  for (const Frame& each : frames()) EXPECT_NE(each.kind, Kind::data);
  send(frame(Kind::window_update, 0, 1, number32(100)));
  for (const Frame& each : frames())
    if (each.kind == Kind::data) got += each.payload;
  EXPECT_EQ(got, "0123456789");
  EXPECT_TRUE(answered(1));
}

}  // namespace
}  // namespace muster::http2
