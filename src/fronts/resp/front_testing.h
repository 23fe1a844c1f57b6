// The front on a loopback port with the real engine over a real SQLite file in a folder of its own, and a client that knows
// nothing but bytes. Time stands still unless a test moves it; a thread of the harness does the engine's background passes.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/patience_testing.h"
#include "command/door.h"
#include "engine/engine.h"
#include "fronts/resp/core.h"
#include "fronts/resp/front.h"
#include "net/io_loop.h"
#include "store/sqlite/store.h"
#include "store/throwing_testing.h"

namespace muster::resp {

inline const std::string kTestKey(64, 'a');  // the operator's

// A command as clients send it: an array of bulk strings.
std::string frame(const std::vector<std::string>& words);

// One connection. Reads give up after patience() and return what came until then, so that a test fails instead of hanging.
class Wire {
 public:
  Wire(std::uint16_t port, const std::string& from = "127.0.0.1");  // from: any address of 127/8
  explicit Wire(const std::string& unix_path);
  Wire(Wire&& other) noexcept;
  Wire& operator=(Wire&& other) noexcept;
  ~Wire();

  bool connected() const { return connected_; }
  void send(std::string_view bytes);
  std::string read(std::size_t bytes);  // exactly so many
  std::string read_reply();             // one whole reply, as it stands on the wire
  std::string read_to_end();            // until the server closes
  bool closed();                        // the server closed, and nothing came before that
  bool answered() const;                // something is here to be read; does not wait
  void finish_sending();
  void close();
  void reset();  // an abortive end: unread bytes are lost on both sides

  // One command, its whole reply.
  std::string call(const std::vector<std::string>& words);
  std::string call_bytes(std::string_view bytes);

 private:
  void connect_to(const void* address, std::size_t size);
  bool fill();  // false: the end, or patience is over
  int socket_ = -1;
  bool connected_ = false;
  bool ended_ = false;
  std::string input_;
};

class FrontTest : public testing::Test {
 protected:
  FrontTest();
  void TearDown() override;

  // On a free port, with the operator's key beside those the options bring.
  void start(RespOptions options = {});
  // Ends everything but the file and starts again on it.
  void restart();
  void stop_all();

  Wire connect() { return Wire(port()); }
  Wire operate();                                                // authenticated by the operator's key
  Wire authenticate(const std::vector<std::string>& arguments);  // AUTH with these
  std::uint16_t port() const;

  // Moves the clock; sweeps and time-outs follow by themselves, so wait for what they bring with eventually().
  void advance(Duration by) { clock.advance(by); }
  // Runs on the loop's thread and waits for it.
  void on_loop(UniqueFunction<void()> work);
  Core& core() { return front->core(); }
  // So many connections wait in a blocked pop.
  bool waits(std::size_t count = 1);

  ManualClock clock;
  command::ServerFacts facts{.version = "0.1.0", .started_at = clock.now(), .node = "node-1"};
  engine::Options engine_options;  // a test may change them before start()
  std::string folder;
  std::unique_ptr<Metrics> metrics;
  std::unique_ptr<store::sqlite::SqliteStore> store;
  std::unique_ptr<store::ThrowingStore> throwing;  // between the store and the engine
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<command::Door> door;
  std::unique_ptr<net::IoLoop> loop;
  std::unique_ptr<RespFront> front;

 private:
  void tick_until_stopped();
  RespOptions options_;
  std::thread ticker_;
  std::atomic<bool> ticking_{false};
};

}  // namespace muster::resp
