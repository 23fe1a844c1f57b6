#include "fronts/http2/session_testing.h"

namespace muster::http2 {
namespace {

class ScriptedHandler final : public Handler {
 public:
  ScriptedHandler(Script& script, Stream& stream) : script_(script), stream_(stream), number_(++script.begun) {
    script_.open[number_] = &stream;
  }
  void received(std::string_view bytes) override {
    std::string& body = script_.bodies[number_];
    body.append(bytes);
    if (script_.reads) stream_.hold(body.size());
  }
  void input_ended() override {
    if (!script_.waits) answer();
  }
  void answer() {
    const std::vector<Field> fields{{"content-type", "text/plain"}};
    std::vector<Field> trailers;
    if (script_.trailers) trailers.push_back({"x-end", "yes"});
    stream_.respond(200, fields);
    stream_.send(script_.answer.empty() ? script_.bodies[number_] : script_.answer);
    stream_.finish(trailers, [&script = script_](bool taken) { script.taken.push_back(taken); });
  }
  void expired() override {
    ++script_.expired;
    stream_.reset(Reset::cancel);
  }
  void draining() override { ++script_.draining; }
  void closed() override {
    ++script_.closed;
    script_.open.erase(number_);
  }

 private:
  Script& script_;
  Stream& stream_;
  const std::uint32_t number_;
};

}  // namespace

std::string number32(std::uint32_t value) {
  std::string out;
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(value >> shift & 0xFF));
  return out;
}

std::string frame(std::uint8_t kind, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  std::string out = number32(static_cast<std::uint32_t>(payload.size())).substr(1);
  out.push_back(static_cast<char>(kind));
  out.push_back(static_cast<char>(flags));
  return out.append(number32(stream)).append(payload);
}

std::string frame(Kind kind, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  return frame(static_cast<std::uint8_t>(kind), flags, stream, payload);
}

std::string setting(std::uint16_t id, std::uint32_t value) { return number32(id).substr(2) + number32(value); }

std::string block(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string out;
  const auto text = [&out](const std::string& value) {
    // The length is a number with a prefix of seven bits.
    if (value.size() < 127) {
      out.push_back(static_cast<char>(value.size()));
    } else {
      out.push_back(127);
      std::size_t rest = value.size() - 127;
      for (; rest >= 128; rest >>= 7) out.push_back(static_cast<char>(rest % 128 + 128));
      out.push_back(static_cast<char>(rest));
    }
    out.append(value);
  };
  for (const auto& [name, value] : fields) {
    out.push_back('\0');
    text(name);
    text(value);
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> request_fields(const std::string& method) {
  return {{":method", method}, {":scheme", "http"}, {":path", "/x"}, {":authority", "localhost"}};
}

std::string request(std::uint32_t stream, std::uint8_t flags, const std::string& method) {
  return frame(Kind::headers, flags, stream, block(request_fields(method)));
}

void SessionTest::begin(Limits limits) {
  loop = std::make_unique<net::IoLoop>(clock);  // never started: everything happens inside received()
  service =
      std::make_shared<const Service>(Service{.loop = *loop,
                                              .limits = limits,
                                              .incidents = Incidents("wire"),
                                              .serve = [this](Stream& stream, const Head& head) -> std::shared_ptr<Handler> {
                                                script.paths.emplace_back(head.path);
                                                auto handler = std::make_shared<ScriptedHandler>(script, stream);
                                                if (head.ended && !script.waits) handler->answer();
                                                return handler;
                                              }});
  session = std::make_shared<Session>(service, connection);
  session->begin();
}

void SessionTest::connect(Limits limits) {
  begin(limits);
  send(std::string(kPrefaceText) + frame(Kind::settings, 0, 0) + frame(Kind::settings, kAck, 0));
  frames();
}

void SessionTest::pass(Duration time) {
  clock.advance(time);
  session->read_expired();
}

void SessionTest::parse() {
  const std::string& sent = connection.sent;
  while (read_ + 9 <= sent.size()) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(sent[read_ + at])); };
    const std::size_t length = byte(0) << 16 | byte(1) << 8 | byte(2);
    ASSERT_LE(read_ + 9 + length, sent.size());
    all.push_back({static_cast<Kind>(byte(3)), static_cast<std::uint8_t>(byte(4)),
                   byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8), sent.substr(read_ + 9, length)});
    read_ += 9 + length;
  }
}

std::vector<Frame> SessionTest::frames() {
  const std::size_t before = all.size();
  parse();
  std::vector<Frame> out;
  for (std::size_t i = before; i < all.size(); ++i)
    if (all[i].kind != Kind::window_update && (all[i].kind != Kind::settings || all[i].flags != kAck)) out.push_back(all[i]);
  return out;
}

namespace {

Fault fault_at(const std::string& payload, std::size_t at) {
  std::uint32_t code = 0;
  for (std::size_t i = at; i < at + 4; ++i) code = code << 8 | static_cast<unsigned char>(payload[i]);
  return static_cast<Fault>(code);
}

}  // namespace

std::optional<Fault> SessionTest::goaway() {
  parse();
  for (const Frame& each : all)
    if (each.kind == Kind::goaway) return fault_at(each.payload, 4);
  return std::nullopt;
}

std::optional<Fault> SessionTest::reset_of(std::uint32_t stream) {
  parse();
  for (const Frame& each : all)
    if (each.kind == Kind::rst_stream && each.stream == stream) return fault_at(each.payload, 0);
  return std::nullopt;
}

bool SessionTest::answered(std::uint32_t stream) {
  parse();
  for (const Frame& each : all)
    if ((each.kind == Kind::headers || each.kind == Kind::data) && each.stream == stream && (each.flags & kEndStream) != 0)
      return true;
  return false;
}

}  // namespace muster::http2
