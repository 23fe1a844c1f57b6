// A link in the hands of a hostile peer: any frames, acks, resumes and restarts in any order keep its promises.
//
// Each step is one byte that chooses what happens and one that says with which number, near the edge of what is accepted or far
// off.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "session/link.h"

using namespace muster;
using namespace muster::session;

namespace {

constexpr std::size_t kQueued = 8;
constexpr std::size_t kBytes = 4'000;

struct Hostile {
  std::uint32_t window;
  Link link{LinkOptions{.send = {.window = window, .queued_frames = kQueued, .bytes = kBytes},
                        .receive = {.window = window, .held_bytes = kBytes},
                        .seed = 1}};
  Instant now{std::chrono::seconds(1'800'000'000)};
  LinkOutput out = {};
  std::uint64_t delivered = 0;

  static std::uint64_t near(std::uint64_t base, std::uint8_t offset) {
    return offset >= 250 ? ~std::uint64_t{0} - (255 - offset) : base + offset - 8;
  }

  void receive(std::uint8_t argument) {
    Envelope frame;
    frame.id = "x";
    frame.session_seq = near(link.window_ack().ack_seq, argument);
    frame.ack_request = true;
    frame.bytes = std::size_t{argument} * 16;
    link.received(std::move(frame), now, out);
    check(out.ack.has_value(), "each numbered frame is acknowledged");
  }

  void acknowledge(std::uint8_t argument) {
    const std::uint64_t bits = argument % 3 == 0 ? 0 : std::uint64_t{argument} << (argument % 56);
    link.acknowledged({.ack_seq = near(link.sending().acked_through(), argument), .ack_bitmap = bits, .recv_window = argument},
                      now, out);
  }

  void step(std::uint8_t what, std::uint8_t argument) {
    out.clear();
    switch (what % 8) {
      case 0: return receive(argument);
      case 1: return acknowledge(argument);
      case 2: static_cast<void>(link.send("{" + std::string(argument * 2, 'x') + "}", now, out).ok()); return;
      case 3: now += Duration(argument * 100); return link.tick(now, out);
      case 4: return link.disconnected();
      case 5: static_cast<void>(link.resumed(near(link.sending().acked_through(), argument), now, out).ok()); return;
      case 6: check(link.restore(link.state()).ok(), "a link's own state is accepted"); return;
      case 7:
        if (argument != 0) return;
        link.reset();
        delivered = 0;
        return;
    }
  }

  void judge() {
    for (const Envelope& frame : out.deliver) {
      check(*frame.session_seq > delivered, "numbers are delivered in order, once");
      delivered = *frame.session_seq;
    }
    const WindowAck ack = link.window_ack();
    check((ack.ack_bitmap & 1) == 0, "the next number is never held");
    check(ack.recv_window == window && (window == 64 || ack.ack_bitmap >> window == 0), "nothing is held beyond the window");
    check(ack.ack_seq >= delivered, "what was delivered is acknowledged");
    check(link.receiving().held_bytes() <= kBytes && link.receiving().held().size() < window, "what is held is bounded");
    check(link.sending().bytes() <= kBytes && link.sending().frames() <= window + kQueued, "what is kept is bounded");
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Hostile peer{.window = data[0] % 64u + 1};
  for (std::size_t at = 1; at + 1 < size; at += 2) {
    peer.step(data[at], data[at + 1]);
    peer.judge();
  }
  return 0;
}
