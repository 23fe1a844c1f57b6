#include "cli/terminal.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "cli/format.h"

namespace muster::cli {
namespace {

constexpr std::chrono::milliseconds kRedrawMin{100};
constexpr int kKeyWaitMillis = 100;
constexpr std::size_t kBarWidth = 28;

constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
volatile std::sig_atomic_t g_ending = 0;
volatile std::sig_atomic_t g_resized = 0;

extern "C" void on_ending(int) { g_ending = 1; }
extern "C" void on_resized(int) { g_resized = 1; }

void write_all(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// Raw keys, the alternate screen and no cursor, undone in the destructor whatever ended the view.
class FullScreen {
 public:
  FullScreen() {
    for (std::size_t i = 0; i < kEndingSignals.size(); ++i) install(kEndingSignals[i], on_ending, before_[i]);
    install(SIGWINCH, on_resized, before_resize_);
    // Stopping would leave the shell on the alternate screen without echo; `q` is a key away.
    install(SIGTSTP, SIG_IGN, before_stop_);
    tcgetattr(STDIN_FILENO, &saved_);
    termios raw = saved_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    write_all("\x1b[?1049h\x1b[?25l\x1b[?7l");
  }
  ~FullScreen() {
    write_all("\x1b[?7h\x1b[?25h\x1b[?1049l");
    tcsetattr(STDIN_FILENO, TCSANOW, &saved_);
    for (std::size_t i = 0; i < kEndingSignals.size(); ++i) sigaction(kEndingSignals[i], &before_[i], nullptr);
    sigaction(SIGWINCH, &before_resize_, nullptr);
    sigaction(SIGTSTP, &before_stop_, nullptr);
  }
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  static void draw(const std::vector<std::string>& lines, TerminalSize size) {
    std::string frame = "\x1b[H";
    const std::size_t count = std::min(lines.size(), size.rows);
    for (std::size_t i = 0; i < count; ++i) {
      frame.append(lines[i]).append("\x1b[K");
      if (i + 1 < count) frame.append("\r\n");
    }
    frame.append("\x1b[J");
    write_all(frame);
  }

 private:
  static void install(int signal, void (*handler)(int), struct sigaction& before) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, &before);
  }

  termios saved_{};
  std::array<struct sigaction, kEndingSignals.size()> before_{};
  struct sigaction before_resize_ {};
  struct sigaction before_stop_ {};
};

std::optional<char> next_key() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&input, 1, kKeyWaitMillis) <= 0) return std::nullopt;
  char key = 0;
  if (read(STDIN_FILENO, &key, 1) == 1) return key;
  return 'q';  // the terminal is gone
}

}  // namespace

bool stdin_is_terminal() { return isatty(STDIN_FILENO) == 1; }
bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

TerminalSize terminal_size() {
  winsize size{};
  TerminalSize out;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) {
    if (size.ws_row > 0) out.rows = size.ws_row;
    if (size.ws_col > 0) out.columns = size.ws_col;
  }
  return out;
}

bool terminal_is_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text(value);
    return text.find("UTF-8") != text.npos || text.find("utf8") != text.npos || text.find("utf-8") != text.npos;
  }
  return false;
}

void ProgressLine::show(std::string_view text) {
  if (!stderr_is_terminal()) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - drawn_at_ < kRedrawMin) return;
  const std::string line = shortened(printable(text), terminal_size().columns - 1);
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  std::fflush(stderr);
  drawn_at_ = now;
  drawn_ = true;
}

void ProgressLine::show_fraction(std::string_view what, double fraction, std::string_view text) {
  show(fmt::format("{} [{}] {:3.0f}%  {}", what, bar(fraction, kBarWidth, terminal_is_unicode()), fraction * 100, text));
}

void ProgressLine::clear() {
  if (!drawn_) return;
  std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

void run_live(const LiveView& view) {
  g_ending = 0;
  std::mutex mutex;
  std::condition_variable wake;
  bool done = false;
  std::atomic<bool> fresh = true;
  std::thread refresher([&] {
    for (;;) {
      const bool more = view.refresh();
      fresh = true;
      std::unique_lock lock(mutex);
      if (!more) done = true;
      if (wake.wait_for(lock, view.interval, [&] { return done; })) return;
    }
  });
  {
    const FullScreen screen;
    for (;;) {
      if (g_resized != 0 || fresh.exchange(false)) {
        g_resized = 0;
        const TerminalSize size = terminal_size();
        FullScreen::draw(view.draw(size), size);
      }
      const std::optional<char> key = next_key();
      const std::lock_guard lock(mutex);
      constexpr char kEscape = '\x1b';
      constexpr char kControlD = '\x04';
      if (g_ending != 0 || key == 'q' || key == 'Q' || key == kEscape || key == kControlD) done = true;
      if (done) break;
    }
  }
  wake.notify_all();
  view.interrupt();
  refresher.join();
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_ending;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return g_ending != 0; }

}  // namespace muster::cli
