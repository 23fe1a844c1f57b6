// What happens between fork and exec. Private to this folder: only async-signal-safe calls, no allocation, no locks.
#pragma once

#include <linux/types.h>

#include <cstdint>

namespace muster::worker::child {

enum class Stage : std::int32_t { streams, folder, limits, namespaces, identity, mounts, guard, files, exec };

struct Trouble {
  Stage stage;
  std::int32_t error;
};

// Everything the child needs, prepared before the fork. Pointers live in the parent's memory, which the child has a copy of.
struct Plan {
  const char* path = nullptr;
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  const char* folder = nullptr;
  int in = -1;
  int out = -1;
  int err = -1;
  int trouble = -1;  // write end; closes on exec
  int parent = 0;    // pid of the worker
  std::uint64_t memory_bytes = 0;
  std::uint64_t cpu_seconds = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t open_files = 0;
  bool sandboxed = false;
  bool own_users = false;          // a user namespace: the worker is not root
  const char* user_map = nullptr;  // "<uid> <uid> 1"
  const char* group_map = nullptr;
  bool read_only = false;
  const char* const* writable = nullptr;  // ends with null; `folder` is the first
  int landlock = -1;                      // rules to put on; -1: none
};

[[noreturn]] void run(const Plan& plan);

}  // namespace muster::worker::child
