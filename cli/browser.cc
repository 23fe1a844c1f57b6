#include "cli/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace muster::cli {
namespace {

constexpr const char* kOpener = "xdg-open";
// A shell on a machine far away has neither.
constexpr std::array kDesktops{"DISPLAY", "WAYLAND_DISPLAY"};

bool has_desktop() {
  for (const char* name : kDesktops)
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
  return false;
}

}  // namespace

bool open_in_browser(const std::string& address) {
  if (!has_desktop()) return false;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  // What a browser says of itself is not for whoever asked for a link.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // It must not end with the terminal.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string opener = kOpener, what = address;
  std::array<char*, 3> arguments{opener.data(), what.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, kOpener, &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed == 0;
}

}  // namespace muster::cli
