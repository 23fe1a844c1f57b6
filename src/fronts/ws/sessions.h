// The workers of the front that have a session, connected or not, by instance. On the loop's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace muster::ws {

class WorkerSession;

class Sessions {
 public:
  std::shared_ptr<WorkerSession> find(const std::string& instance) const;
  void put(std::shared_ptr<WorkerSession> worker);
  void remove(const WorkerSession& worker);
  void clear() { sessions_.clear(); }
  std::vector<std::shared_ptr<WorkerSession>> all() const;
  std::size_t size() const { return sessions_.size(); }

 private:
  std::unordered_map<std::string, std::shared_ptr<WorkerSession>>
      sessions_;  // shared with their sockets and with answers on their way
};

}  // namespace muster::ws
