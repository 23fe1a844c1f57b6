// Archives of packages: a folder NAME/VERSION/FILE that an operator fills and workers download from, and the checks that what is
// installed is what was meant.
//
// Names are held to forms without `/` and without a dot in front, and no link is followed below the folder, so nothing outside of
// it is ever opened. Files are read and hashed on a thread of its own: neither the loop nor the store waits for a disk. Made by
// server/, which also stops it; used by the package commands. Any thread; replies come on the archives' thread or before the
// call returns.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "base/bounded_queue.h"
#include "base/reply.h"
#include "base/unique_function.h"

namespace muster::command {

inline constexpr std::size_t kArchiveWaitingMax = 64;                  // files that are waiting to be read or hashed
inline constexpr std::size_t kArchiveBytesDefault = 64 * 1024 * 1024;  // of one archive
inline constexpr std::size_t kArchiveFileBytesMax = 255;               // of a file's name
inline constexpr std::size_t kArchiveFilesMax = 1'000;                 // of one version's folder that are looked at

struct ArchiveRef {
  std::string name;
  std::string version;
  std::string file;  // empty: the only one there
};

struct CheckedArchive {
  std::string url;     // where a worker finds it
  std::string sha256;  // empty: it is not known
};

struct ArchiveBytes {
  std::string bytes;
};

class Archives {
 public:
  struct Options {
    std::string folder;  // empty: there is none
    std::string url;     // of the folder, for workers; empty: file:// of the folder
    std::size_t bytes_max = kArchiveBytesDefault;
  };

  explicit Archives(Options options);
  ~Archives();  // ends the thread; what waits is answered

  // An archive of the folder. Its hash must be `sha256` and that of a file FILE.sha256 beside it, as far as they are given.
  // invalid_argument: there is none, there are several, or it is not what it should be.
  void find(ArchiveRef ref, std::string sha256, Reply<CheckedArchive> reply);
  // A url as an operator gave it. What is a file that this machine can read is held to `sha256`.
  void check(std::string url, std::string sha256, Reply<CheckedArchive> reply);
  // not_found: there is none.
  void read(ArchiveRef ref, Reply<ArchiveBytes> reply);

 private:
  template <class T, class Work>
  void later(Reply<T> reply, Work work);

  const Options options_;
  BoundedQueue<UniqueFunction<void()>> waiting_{kArchiveWaitingMax};
  std::thread thread_;
};

}  // namespace muster::command
