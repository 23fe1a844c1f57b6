// The terminal: its size, a progress line on stderr, and the full screen for live views. Used by commands on the main thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

struct TerminalSize {
  std::size_t rows = 24;
  std::size_t columns = 80;
};

bool stdin_is_terminal();
bool stdout_is_terminal();
bool stderr_is_terminal();
TerminalSize terminal_size();
// The locale's encoding is UTF-8, so that block characters can be shown.
bool terminal_is_unicode();

// One line on stderr that is written over. Silent unless stderr is a terminal. At most a few redraws a second.
class ProgressLine {
 public:
  ~ProgressLine() { clear(); }
  void show(std::string_view text);
  void show_fraction(std::string_view what, double fraction, std::string_view text);
  void clear();

 private:
  std::chrono::steady_clock::time_point drawn_at_{};
  bool drawn_ = false;
};

// A view that takes over the screen until `q`, Escape or a signal, and gives it back as it was.
struct LiveView {
  std::chrono::milliseconds interval{1'000};
  // Runs on a thread of its own, once per interval; returns false to end the view.
  std::function<bool()> refresh;
  // Runs on the calling thread after each refresh, key and change of size. Lines longer than the screen are the view's fault.
  std::function<std::vector<std::string>(TerminalSize)> draw;
  // Must make a refresh in flight return soon.
  std::function<void()> interrupt;
};
// REQUIRES: stdin and stdout are terminals.
void run_live(const LiveView& view);

// Set by SIGINT or SIGTERM once catch_interrupts() was called; for commands that have something to tidy up.
void catch_interrupts();
bool interrupted();

}  // namespace muster::cli
