// Starts one tool: no shell, own session and process group, clean environment, own folder, limits, and, when asked, a sandbox
// and rules about files.
//
//   worker ──fork──► tool                                              (no sandbox)
//   worker ──fork──► guard ──new namespaces, fork──► init ──fork──► tool   (sandbox: when init ends, everything in it ends)
//
// Between fork and exec only system calls happen: the worker has other threads. What fails there comes back through a pipe that
// closes by itself when the tool runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/status.h"
#include "worker/process/landlock.h"

namespace muster::worker {

// 0: no limit beyond the worker's own.
struct ResourceLimits {
  std::uint64_t memory_bytes = 0;  // address space
  std::uint64_t cpu_seconds = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t open_files = 0;
};

struct Launch {
  std::string path;               // of the executable, absolute
  std::vector<std::string> argv;  // [0]: the command as the plan says it
  std::string folder;             // working directory, HOME and TMPDIR
  std::string search_path;        // PATH
  std::string language;           // LANG
  ResourceLimits limits;
  bool sandboxed = false;
  bool read_only = false;             // sandboxed: nothing outside `folder` and `writable` can be written
  std::vector<std::string> writable;  // sandboxed and read_only: these can
  std::optional<FileRights> files{};  // by Landlock, where the kernel has it; empty: whatever the worker may
};

struct Streams {
  int in = -1;
  int out = -1;
  int err = -1;
};

struct Process {
  pid_t pid = -1;  // also its process group
  Fd handle;       // readable when it has ended
};

// not_found, permission_denied, unavailable: why it does not run, in the operating system's words.
Result<Process> spawn(const Launch& launch, const Streams& streams);

// Whether spawn() can make sandboxes here. `folder`: any that can be written.
Status probe_sandbox(const std::string& folder);

// To the whole group. REQUIRES: the process was not reaped.
void signal_group(const Process& process, int signal);

struct Ending {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
};
// Waits. Call once.
Ending reap(const Process& process);

}  // namespace muster::worker
