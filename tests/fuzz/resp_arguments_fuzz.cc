// Commands with any arguments, from their bytes through the session, the tables and the engine to a store on a disk in memory:
// nothing crashes, and what comes back is a sequence of well-formed replies, one for each command at most.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "fronts/resp/core.h"
#include "fronts/resp/session.h"
#include "net/connection_testing.h"
#include "tests/fuzz/resp_loop.h"
#include "tests/fuzz/store_rig.h"

using namespace muster;

namespace {

constexpr int kRoundsMax = 10'000;  // of the loop for one input
constexpr int kRunsPerRig = 2'000;  // then the disk starts empty again

// Where the reply that begins at `from` ends; npos: it is not well-formed or not whole.
std::size_t end_of_reply(std::string_view bytes, std::size_t from, int depth) {
  constexpr std::string_view kTypes = "+-:$*_#,%~>";
  const std::size_t line = bytes.find("\r\n", from);
  if (depth > 16 || line == std::string_view::npos || kTypes.find(bytes[from]) == std::string_view::npos)
    return std::string_view::npos;
  long long count = 0;
  const std::string_view head = bytes.substr(from + 1, line - from - 1);
  const char type = bytes[from];
  if (type == '$' || type == '*' || type == '%' || type == '~' || type == '>') {
    const auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), count);
    if (error != std::errc() || end != head.data() + head.size()) return std::string_view::npos;
  }
  std::size_t at = line + 2;
  if (type == '$') {
    if (count < 0) return at;
    at += static_cast<std::size_t>(count) + 2;
    return at <= bytes.size() && bytes.substr(at - 2, 2) == "\r\n" ? at : std::string_view::npos;
  }
  if (type == '%') count *= 2;
  for (long long i = 0; (type == '*' || type == '%' || type == '~' || type == '>') && i < count; ++i) {
    if (at >= bytes.size()) return std::string_view::npos;
    at = end_of_reply(bytes, at, depth + 1);
    if (at == std::string_view::npos) return at;
  }
  return at;
}

struct Rig : fuzz::StoreRig {
  Rig() {
    engine = std::make_unique<engine::Engine>(*db, clock, metrics, engine::Options{});
    resp::RespOptions front;
    front.compat_flags.auth_optional = true;
    front.compat_flags.flush_allowed = true;
    core = std::make_shared<resp::Core>(
        loop, *engine, metrics, front,
        command::ServerFacts{.version = "0", .started_at = clock.now(), .listeners = {}, .node = "n"});
  }
  ~Rig() {
    engine->stop();
    settle(nullptr);
    core.reset();
  }

  void settle(net::HeldConnection* peer) {
    for (int round = 0; round < kRoundsMax; ++round) {
      bool busy = db->pump();
      busy = !net::run_posted(loop, 1) || busy;
      if (peer != nullptr)
        for (UniqueFunction<void(bool)>& done : std::exchange(peer->waiting, {})) {
          done(true);
          busy = true;
        }
      if (!busy) return;
    }
  }

  void run(std::string_view bytes) {
    net::HeldConnection peer;
    const auto session = std::make_shared<resp::RespSession>(core, peer);
    session->begin({.auth_needed = false});
    session->received(bytes);
    settle(&peer);
    for (std::size_t at = 0; at < peer.sent.size();) {
      at = end_of_reply(peer.sent, at, 0);
      check(at != std::string_view::npos, "replies are well-formed and whole");
    }
    for (UniqueFunction<void(bool)>& done : std::exchange(peer.waiting, {})) done(false);
    session->closed();
    settle(nullptr);
    clock.advance(Duration(1'000));
    engine->tick();
    settle(nullptr);
  }

  std::unique_ptr<engine::Engine> engine;
  net::IoLoop loop{clock};
  std::shared_ptr<resp::Core> core;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::unique_ptr<Rig> rig;
  static int runs = 0;
  if (!rig || ++runs % kRunsPerRig == 0) {
    rig.reset();
    rig = std::make_unique<Rig>();
  }
  rig->run(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
