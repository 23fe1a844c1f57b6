#include "sdk/cpp/pool.h"

namespace muster::sdk {

std::unique_ptr<Transport> ConnectionPool::borrow() {
  std::unique_ptr<Transport> transport;
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    transport = std::make_unique<Transport>(options_);
  } else {
    // The one used last is the one most likely to be open still.
    transport = std::move(idle_.back());
    idle_.pop_back();
  }
  if (interrupted_) transport->interrupt();
  busy_.insert(transport.get());
  return transport;
}

void ConnectionPool::give_back(std::unique_ptr<Transport> transport) {
  const std::lock_guard lock(mutex_);
  busy_.erase(transport.get());
  if (idle_.size() < kIdleMax) idle_.push_back(std::move(transport));
}

Result<Response> ConnectionPool::perform(const Request& request) {
  std::unique_ptr<Transport> transport = borrow();
  Result<Response> response = transport->perform(request);
  give_back(std::move(transport));
  return response;
}

Result<Nothing> ConnectionPool::stream(const std::string& path, const std::string& last_event_id,
                                       const std::function<bool(std::string_view)>& take) {
  std::unique_ptr<Transport> transport = borrow();
  Result<Nothing> outcome = transport->stream(path, last_event_id, take);
  give_back(std::move(transport));
  return outcome;
}

void ConnectionPool::interrupt() {
  const std::lock_guard lock(mutex_);
  interrupted_ = true;
  for (Transport* transport : busy_) transport->interrupt();
}

}  // namespace muster::sdk
