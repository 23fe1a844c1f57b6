// HTTP connections over libcurl, kept alive between requests. Private to Client, which holds a pool of them.
//
// A Transport serves one call at a time. Only interrupt() may be called from another thread: it ends the call in flight, and
// every later one, with `interrupted`. No signal handlers are installed and no alarm is used, so time-outs are safe in
// programs with threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/cpp/result.h"

namespace muster::sdk {

struct TransportOptions {
  std::string base;  // of base_url()
  std::string token;
  std::string ca_file;
  std::chrono::milliseconds connect_timeout{5'000};
  std::string user_agent;
};

struct Request {
  const char* method = "GET";
  std::string path;  // with query, from the root
  std::string body;
  bool has_body = false;
  std::chrono::milliseconds timeout{30'000};
};

struct Response {
  int status = 0;
  std::string body;
};

class Transport {
 public:
  // An answer may not be longer than this; a server of ours never sends one.
  static constexpr std::size_t kResponseBytesMax = std::size_t{256} * 1024 * 1024;
  // A stream that is silent for this long is dead: the server writes a comment every 15 s.
  static constexpr std::chrono::seconds kStreamSilenceMax{45};

  explicit Transport(const TransportOptions& options);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // A status of 400 and above becomes the Error of its problem document. unreachable: nothing was sent. outcome_unknown: a
  // request that writes was sent and no answer came. unavailable: the same for a GET.
  Result<Response> perform(const Request& request);

  // Delivers the body of a 200 answer in pieces until `take` returns false, the server ends it, or it falls silent.
  Result<Nothing> stream(const std::string& path, const std::string& last_event_id,
                         const std::function<bool(std::string_view)>& take);

  void interrupt();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The connections of one Client: borrow a Transport, make one call, give it back.
class ConnectionPool {
 public:
  // Idle connections beyond this are closed when they are given back.
  static constexpr std::size_t kIdleMax = 64;

  explicit ConnectionPool(TransportOptions options) : options_(std::move(options)) {}

  Result<Response> perform(const Request& request);
  Result<Nothing> stream(const std::string& path, const std::string& last_event_id,
                         const std::function<bool(std::string_view)>& take);
  void interrupt();

 private:
  std::unique_ptr<Transport> borrow();
  void give_back(std::unique_ptr<Transport> transport);

  const TransportOptions options_;
  std::mutex mutex_;  // leaf; guards what follows
  bool interrupted_ = false;
  std::vector<std::unique_ptr<Transport>> idle_;
  std::set<Transport*> busy_;
};

}  // namespace muster::sdk
