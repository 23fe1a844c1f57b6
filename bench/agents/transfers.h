// HTTP requests side by side on one thread over libcurl, and nothing more: what the rows of agents are compared with, and how
// their streams are read.
#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "agents/claude/curl_loop.h"

namespace muster::bench::agents {

struct Transfer {
  std::string url;
  std::string body;                             // empty: GET
  std::function<bool(std::string_view)> heard;  // false: it has heard enough
  std::function<void(bool ok)> done;            // may start others
};

class Transfers {
 public:
  explicit Transfers(std::size_t at_once) : loop_(at_once) {}
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  void start(Transfer transfer);
  // Until none is left or the time is over; false: the time was over.
  bool run(double seconds_max);

 private:
  struct Open {
    Transfer transfer;
    curl_slist* headers = nullptr;
    bool enough = false;
  };
  static std::size_t on_bytes(char* bytes, std::size_t size, std::size_t count, void* open);
  void ended(CURL* easy, CURLcode code);

  claude::CurlLoop loop_;
  std::unordered_map<CURL*, std::unique_ptr<Open>> open_;
};

}  // namespace muster::bench::agents
