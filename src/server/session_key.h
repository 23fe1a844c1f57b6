// The operator's key: configured, or generated once into a file that only its owner can read. It is never logged.
#pragma once

#include <string>

#include "base/status.h"
#include "server/config.h"

namespace muster::server {

struct SessionKey {
  std::string text;        // 64 hex digits
  std::string path;        // the file it is in; empty: it was configured
  bool generated = false;  // by this call
};

// REQUIRES: the data folder exists. invalid_argument: the file is there but holds no key. unavailable: it cannot be
// read or written.
Result<SessionKey> session_key(const Config& config);

}  // namespace muster::server
