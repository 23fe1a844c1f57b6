// The front over the real engine and a SQLite file, without a socket: a test is the worker at the other end, frame by frame. Time
// stands still unless a test moves it.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/ask_testing.h"
#include "base/metrics.h"
#include "base/temp_folder_testing.h"
#include "command/door.h"
#include "command/jobs.h"
#include "engine/engine.h"
#include "fronts/ws/front.h"
#include "net/connection_testing.h"
#include "net/io_loop.h"
#include "net/on_loop_testing.h"
#include "store/sqlite/open_testing.h"
#include "websocket/decoder.h"
#include "websocket/encoder.h"

namespace muster::ws {

using Json = nlohmann::json;

// One worker's socket. Frames are JSON objects.
class TestSocket {
 public:
  // With the certificate that a handshake of TLS has verified, if any.
  TestSocket(net::IoLoop& loop, WsFront& front, std::optional<net::PeerCertificate> certificate = std::nullopt);
  ~TestSocket();

  void say(const Json& frame) { say_text(frame.dump()); }
  void say_text(std::string_view text);
  void say_close(int code);
  // The next frame; fails the test when none comes.
  Json hear();
  Json hear(std::string_view type);  // the next one of this type; others before it are left out
  // Whether one of this type is there within the turn of the loop that is under way.
  bool heard(std::string_view type);
  // The code and reason it was closed with, waited for.
  std::pair<int, std::string> closed();
  bool is_closed();
  void cut();  // the network is gone
  void stop_reading();
  bool ended();  // the server let go of the connection

 private:
  void look();

  net::IoLoop& loop_;
  net::HeldConnection connection_;
  std::shared_ptr<net::Session> session_;
  websocket::Encoder encoder_;
  websocket::Decoder decoder_;
  std::size_t read_ = 0;  // of what was sent
  std::deque<Json> frames_;
  std::optional<std::pair<int, std::string>> closed_;
  bool gone_ = false;
};

// Frames as the real workers write them.
Json v1_frame(std::string_view type, Json payload, std::string id, bool ask = true);
Json v2_frame(std::string_view type, Json payload, std::string id, bool ask = true);
// The ack of a dispatch that the worker has, and everything up to `seq` with it.
Json ack_of(const Json& frame, std::uint64_t seq);
Json v1_handshake(std::string token = "dev-token");
Json v2_handshake(std::string token = "dev-token", std::string id = "control.handshake-0");
Json registration_payload(std::uint32_t max_parallel = 1);  // demo.pkg 1.0.0 with demo.echo and demo.slow
inline constexpr const char* kInstance = "7a9c624c-a264-4858-819a-dd086d283261";

class FrontTest : public testing::Test {
 protected:
  void start(WsOptions options = {});
  void TearDown() override;
  // A front that knows nothing of what was before; the store does.
  void restart();

  TestSocket connect(std::optional<net::PeerCertificate> certificate = std::nullopt) {
    return TestSocket(loop, *front, std::move(certificate));
  }
  // Past the accept: connected, registered, ready.
  std::unique_ptr<TestSocket> join_v2(std::uint32_t max_parallel = 1);
  std::unique_ptr<TestSocket> join_v1(std::uint32_t max_parallel = 1);

  JobId submit(std::string type = "demo.echo", std::string payload = R"({"m":"hi"})");
  Job job(JobId id);
  bool ends(JobId id, JobState state);  // waited for
  // The server's clock, step by step, so that everything due on the way happens.
  void pass(Duration time);

  ManualClock clock;
  TempFolder folder;
  Metrics metrics;
  std::unique_ptr<store::sqlite::SqliteStore> store = store::sqlite::open_for_test(folder.path("muster.db"), clock, metrics);
  std::unique_ptr<engine::Engine> engine = std::make_unique<engine::Engine>(*store, clock, metrics, engine::Options());
  std::unique_ptr<command::Door> door;
  net::IoLoop loop{clock};
  WsOptions used;
  std::unique_ptr<WsFront> front;
  Json accepted;  // payload of the last accept
};

}  // namespace muster::ws
