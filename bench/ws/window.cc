// What the window layer costs. The same frames take the same way through memory with a link and without one; only the difference
// counts, and it is small, so both are repeated many times and take turns.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "bench/ws/frames.h"
#include "bench/ws/measurements.h"
#include "session/envelope.h"
#include "session/link.h"

namespace muster::bench::ws {
namespace {

using session::Envelope;

constexpr std::size_t kTasks = 200'000;  // of one turn
constexpr std::size_t kInFlight = 8;     // tasks a worker has at a time

struct Frames {
  std::string dispatch;  // without its number
  Envelope result;
};

Frames frames() {
  Frames out;
  out.dispatch = scheduler_dispatch(1);
  out.dispatch.resize(out.dispatch.rfind(",\"session_seq\""));
  out.dispatch += '}';
  Dispatch dispatch;
  check(read_dispatch(scheduler_dispatch(1), dispatch), "our own dispatch can be read");
  std::string text;
  result(text, instance_id(1), 1, 1, dispatch);
  auto read = session::read_envelope(text, {});
  check(read.ok(), "our own result can be read");
  out.result = *std::move(read);
  return out;
}

double nanoseconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count() / kTasks;
}

// Keeps the compiler from leaving the work out.
std::size_t taken = 0;

double with_windows(const Frames& frames) {
  session::Link link({.send = {}, .receive = {}, .seed = 1});
  const auto began = std::chrono::steady_clock::now();
  const Instant now(std::chrono::milliseconds(1));
  session::LinkOutput out;
  for (std::size_t done = 0; done < kTasks; done += kInFlight) {
    for (std::size_t i = 0; i < kInFlight; ++i) {
      out.clear();
      check(link.send(frames.dispatch, now, out).ok(), "a window that is kept open has room");
      for (const std::string_view frame : out.transmit) taken += frame.size();
      taken += link.next_due().has_value() ? 1 : 0;
    }
    for (std::size_t i = 1; i <= kInFlight; ++i) {
      out.clear();
      link.acknowledged({.ack_seq = done + i, .ack_bitmap = 0, .recv_window = 64}, now, out);
      taken += link.next_due().has_value() ? 1 : 0;
      Envelope frame = frames.result;
      frame.session_seq = done + i;
      out.clear();
      link.received(std::move(frame), now, out);
      for (const Envelope& delivered : out.deliver) taken += delivered.bytes;
      taken += link.next_due().has_value() ? 1 : 0;
    }
  }
  return nanoseconds_since(began);
}

double without_windows(const Frames& frames) {
  const auto began = std::chrono::steady_clock::now();
  std::vector<Envelope> deliver;
  for (std::size_t done = 0; done < kTasks; done += kInFlight) {
    for (std::size_t i = 0; i < kInFlight; ++i) {
      const std::string dispatch = frames.dispatch;
      taken += dispatch.size();
    }
    for (std::size_t i = 0; i < kInFlight; ++i) {
      deliver.clear();
      deliver.push_back(frames.result);
      for (const Envelope& delivered : deliver) taken += delivered.bytes;
    }
  }
  return nanoseconds_since(began);
}

}  // namespace

double window_nanoseconds(const Settings& settings) {
  const Frames made = frames();
  std::vector<double> with;
  std::vector<double> without;
  for (int round = 0; round < settings.rounds(); ++round) {
    with.push_back(with_windows(made));
    without.push_back(without_windows(made));
  }
  return std::max(0.0, median(with) - median(without));
}

}  // namespace muster::bench::ws
