#include "fronts/ws/front_testing.h"

#include "base/base64.h"

namespace muster::ws {

TestSocket::TestSocket(net::IoLoop& loop, WsFront& front, std::optional<net::PeerCertificate> certificate)
    : loop_(loop),
      encoder_({.role = websocket::Role::client,
                .deflate = {},
                .mask_keys =
                    [] {
                      return websocket::MaskKey{1, 2, 3, 4};
                    }}),
      decoder_({.role = websocket::Role::client, .deflate = {}}) {
  const std::vector<std::pair<std::string, std::string>> headers{{"host", "127.0.0.1:8080"},
                                                                 {"upgrade", "websocket"},
                                                                 {"connection", "Upgrade"},
                                                                 {"sec-websocket-version", "13"},
                                                                 {"sec-websocket-key", to_base64("0123456789abcdef")}};
  connection_.certificate = std::move(certificate);
  net::run_on(loop_, [&] {
    auto taken = front.take({.method = "GET", .headers = headers}, connection_);
    if (auto* accepted = std::get_if<Taken>(&taken))
      session_ = std::move(accepted->session);
    else
      closed_ = {static_cast<int>(std::get<Refused>(taken).status), std::get<Refused>(taken).why.message()};
  });
}

TestSocket::~TestSocket() {
  cut();
  net::run_on(loop_, [this] { session_.reset(); });
}

void TestSocket::cut() {
  if (gone_ || !session_) return;
  gone_ = true;
  net::run_on(loop_, [this] { session_->closed(); });
}

void TestSocket::stop_reading() {
  net::run_on(loop_, [this] { connection_.room = false; });
}

bool TestSocket::ended() {
  bool out = false;
  net::run_on(loop_, [&] { out = connection_.closed; });
  return out;
}

void TestSocket::say_text(std::string_view text) {
  std::string bytes;
  encoder_.text(text, bytes);
  net::run_on(loop_, [&] {
    if (!gone_ && !connection_.closed) session_->received(bytes);
  });
}

void TestSocket::say_close(int code) {
  std::string bytes;
  encoder_.close(static_cast<websocket::CloseCode>(code), "", bytes);
  net::run_on(loop_, [&] {
    if (!gone_ && !connection_.closed) session_->received(bytes);
  });
}

void TestSocket::look() {
  std::string fresh;
  net::run_on(loop_, [&] {
    fresh = connection_.sent.substr(read_);
    read_ = connection_.sent.size();
  });
  std::string_view bytes = fresh;
  while (auto event = decoder_.feed(bytes)) {
    if (const auto* text = std::get_if<websocket::Text>(&*event)) frames_.push_back(Json::parse(text->data));
    if (const auto* ping = std::get_if<websocket::Ping>(&*event)) {
      std::string pong;
      encoder_.pong(ping->data, pong);
      net::run_on(loop_, [&] {
        if (!gone_) session_->received(pong);
      });
    }
    if (const auto* close = std::get_if<websocket::Close>(&*event)) closed_ = {static_cast<int>(close->code), close->reason};
  }
}

Json TestSocket::hear() {
  const bool came = eventually([this] {
    look();
    return !frames_.empty();
  });
  if (!came) throw std::runtime_error("no frame came");
  Json frame = std::move(frames_.front());
  frames_.pop_front();
  return frame;
}

Json TestSocket::hear(std::string_view type) {
  std::string others;
  for (;;) {
    if (!eventually([this] {
          look();
          return !frames_.empty();
        }))
      throw std::runtime_error("no " + std::string(type) + " came, but" + (others.empty() ? " nothing at all" : others));
    Json frame = hear();
    if (frame["type"] == type) return frame;
    others += " " + frame.dump();
  }
}

bool TestSocket::heard(std::string_view type) {
  look();
  for (const Json& frame : frames_)
    if (frame["type"] == type) return true;
  return false;
}

std::pair<int, std::string> TestSocket::closed() {
  eventually([this] {
    look();
    return closed_.has_value();
  });
  return closed_.value_or(std::pair(0, std::string("it is open")));
}

bool TestSocket::is_closed() {
  look();
  return closed_.has_value();
}

namespace {

Json frame_of(std::string_view type, Json payload, std::string id, bool ask, std::string sender) {
  Json frame{{"type", type},
             {"id", std::move(id)},
             {"ts", "2026-11-15T07:57:25.991475+00:00"},
             {"tenant", "default"},
             {"sender", {{"role", "worker"}, {"id", std::move(sender)}}},
             {"payload", std::move(payload)}};
  if (ask) frame["ack"] = {{"request", true}};
  return frame;
}

}  // namespace

Json v1_frame(std::string_view type, Json payload, std::string id, bool ask) {
  return frame_of(type, std::move(payload), std::move(id), ask, "worker-local");
}

Json v2_frame(std::string_view type, Json payload, std::string id, bool ask) {
  return frame_of(type, std::move(payload), std::move(id), ask, kInstance);
}

Json ack_of(const Json& frame, std::uint64_t seq) {
  Json ack =
      v2_frame("control.ack", {{"ok", true}, {"for", frame["id"]}, {"ack_seq", seq}, {"ack_bitmap", 0}, {"recv_window", 64}},
               "control.ack-" + std::to_string(seq), false);
  ack["ack"] = {{"for", frame["id"]}};
  return ack;
}

Json v1_handshake(std::string token) {
  return v1_frame("handshake",
                  {{"protocol", 1},
                   {"auth", {{"mode", "token"}, {"token", std::move(token)}}},
                   {"worker", {{"id", "worker-local"}, {"version", "0.1.0"}, {"hostname", "vm"}}}},
                  "handshake-0");
}

Json v2_handshake(std::string token, std::string id) {
  return v2_frame(
      "control.handshake",
      {{"protocol", 1},
       {"auth", {{"mode", "token"}, {"token", std::move(token)}}},
       {"worker",
        {{"worker_name", "worker-local"}, {"worker_instance_id", kInstance}, {"version", "0.1.0"}, {"hostname", "vm"}}}},
      std::move(id));
}

Json registration_payload(std::uint32_t max_parallel) {
  const auto node = [](const char* type) {
    return Json{{"type", type},   {"status", "published"}, {"category", "c"},         {"label", "l"},
                {"adapter", "a"}, {"handler", "echo"},     {"schema", Json::object()}};
  };
  const Json manifest{{"schemaVersion", "1.0.0"},
                      {"name", "demo.pkg"},
                      {"version", "1.0.0"},
                      {"description", "d"},
                      {"adapters", {{{"name", "a"}, {"entrypoint", "adapters.a"}, {"capabilities", {"demo.echo"}}}}},
                      {"python", {{"requires", ">=3.10"}}},
                      {"nodes", {node("demo.echo"), node("demo.slow")}}};
  return {{"capabilities",
           {{"concurrency", {{"max_parallel", max_parallel}}}, {"runtimes", {"python"}}, {"features", Json::array()}}},
          {"packages", {{{"name", "demo.pkg"}, {"version", "1.0.0"}, {"status", "installed"}}}},
          {"manifests", {{{"name", "demo.pkg"}, {"version", "1.0.0"}, {"manifest", manifest}}}}};
}

void FrontTest::start(WsOptions options) {
  options.session_secret = "dev-session-secret";
  used = options;
  if (!door)
    door = std::make_unique<command::Door>(*engine, command::ServerFacts{.version = "0", .started_at = clock.now()}, metrics);
  auto started = WsFront::start(loop, *door, metrics, std::move(options));
  ASSERT_TRUE(started.ok()) << started.status().text();
  front = *std::move(started);
  if (!loop.running()) loop.start();
}

void FrontTest::restart() {
  front.reset();
  start(used);
}

void FrontTest::TearDown() {
  front.reset();
  engine->stop();
  loop.stop();
  static_cast<void>(store->close());
}

std::unique_ptr<TestSocket> FrontTest::join_v2(std::uint32_t max_parallel) {
  auto socket = std::make_unique<TestSocket>(loop, *front);
  socket->say(v2_handshake());
  EXPECT_EQ(socket->hear()["ack"]["for"], "control.handshake-0");
  socket->say(v2_frame("control.register", registration_payload(max_parallel), "control.register-1"));
  EXPECT_EQ(socket->hear()["ack"]["for"], "control.register-1");
  accepted = socket->hear("control.session.accept")["payload"];
  return socket;
}

std::unique_ptr<TestSocket> FrontTest::join_v1(std::uint32_t max_parallel) {
  auto socket = std::make_unique<TestSocket>(loop, *front);
  socket->say(v1_handshake());
  EXPECT_EQ(socket->hear()["ack"]["for"], "handshake-0");
  socket->say(v1_frame("register", registration_payload(max_parallel), "register-1"));
  EXPECT_EQ(socket->hear()["ack"]["for"], "register-1");
  return socket;
}

JobId FrontTest::submit(std::string type, std::string payload) {
  JobSpec spec;
  spec.type = JobType(type);
  spec.needs = CapabilitySet({node_capability(type)});
  spec.payload = {std::move(payload), Encoding::json};
  spec.retry.attempts_max = 1;
  const auto made =
      ask<store::Enqueued>([&](auto reply) { door->run(command::itself(), command::JobSubmitRequest{spec}, std::move(reply)); });
  EXPECT_TRUE(made.ok()) << made.status().text();
  return made->id;
}

Job FrontTest::job(JobId id) {
  const auto found = ask<Job>([&](auto reply) { door->run(command::itself(), command::JobGetRequest{id}, std::move(reply)); });
  EXPECT_TRUE(found.ok()) << found.status().text();
  return *found;
}

bool FrontTest::ends(JobId id, JobState state) {
  return eventually([&] { return job(id).state == state; });
}

void FrontTest::pass(Duration time) {
  constexpr Duration kStep{100};
  for (Duration left = time; left > Duration::zero(); left -= kStep) {
    clock.advance(std::min(left, kStep));
    net::run_on(loop, [this] { front->look(); });
  }
}

}  // namespace muster::ws
