// The connections of one Client. Private to it: borrow a Transport, make one call, give it back.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "sdk/cpp/transport.h"

namespace muster::sdk {

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
