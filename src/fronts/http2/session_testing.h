// A session without a socket and its peer as raw frames: a test says what the peer sends and sees what it is sent back.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "fronts/http2/session.h"
#include "net/connection_testing.h"

namespace muster::http2 {

inline constexpr std::string_view kPrefaceText = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum class Kind : std::uint8_t {
  data,
  headers,
  priority,
  rst_stream,
  settings,
  push_promise,
  ping,
  goaway,
  window_update,
  continuation
};
inline constexpr std::uint8_t kEndStream = 1, kAck = 1, kEndHeaders = 4, kPadded = 8;

// Error codes of RFC 9113, 7.
enum class Fault : std::uint32_t {
  none = 0,
  protocol = 1,
  internal = 2,
  flow_control = 3,
  settings_timeout = 4,
  stream_closed = 5,
  frame_size = 6,
  refused = 7,
  cancel = 8,
  compression = 9,
  calm_down = 11,
};

std::string number32(std::uint32_t value);
std::string frame(Kind kind, std::uint8_t flags, std::uint32_t stream, std::string_view payload = {});
std::string frame(std::uint8_t kind, std::uint8_t flags, std::uint32_t stream, std::string_view payload = {});
std::string setting(std::uint16_t id, std::uint32_t value);
// A header block of literals that are not indexed.
std::string block(const std::vector<std::pair<std::string, std::string>>& fields);
std::vector<std::pair<std::string, std::string>> request_fields(const std::string& method = "POST");
// HEADERS of an ordinary request.
std::string request(std::uint32_t stream, std::uint8_t flags = kEndStream | kEndHeaders, const std::string& method = "POST");

struct Frame {
  Kind kind{};
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
  std::string payload;
};

// Answers every complete request with its body, keeps what tests ask for, and can be told to wait.
struct Script {
  std::map<std::uint32_t, Stream*> open;  // by the order of arrival, from 1
  std::map<std::uint32_t, std::string> bodies;
  std::uint32_t begun = 0;
  int closed = 0;
  int expired = 0;
  int draining = 0;
  bool waits = false;       // does not answer by itself
  bool reads = true;        // holds the body it has read
  bool trailers = true;     // follow the answer
  std::string answer;       // sent instead of the body, when not empty
  std::vector<bool> taken;  // what became of answers
  std::vector<std::string> paths;
};

class SessionTest : public testing::Test {
 protected:
  // Preface and empty settings are exchanged.
  void connect(Limits limits = {});
  // Only the session: the test sends the preface.
  void begin(Limits limits = {});
  void send(std::string_view bytes) { session->received(bytes); }
  void pass(Duration time);  // and lets the session look at the clock

  // What was sent since the last call. Acks of settings and window updates are left out.
  std::vector<Frame> frames();
  // The error of the GOAWAY that was sent; nullopt: none.
  std::optional<Fault> goaway();
  std::optional<Fault> reset_of(std::uint32_t stream);
  bool answered(std::uint32_t stream);  // with the end of the stream

  ManualClock clock;
  std::unique_ptr<net::IoLoop> loop;
  std::shared_ptr<const Service> service;  // of the sessions that a test makes
  net::HeldConnection connection;
  Script script;
  std::shared_ptr<Session> session;
  std::vector<Frame> all;  // everything that was sent
  std::size_t read_ = 0;

 private:
  void parse();
};

}  // namespace muster::http2
