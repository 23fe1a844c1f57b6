// The workers of the front that have a session, connected or not. On the loop's thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::ws {

class WorkerSession;

class Sessions {
 public:
  // Tenants do not share instances: the same name in two of them is two workers.
  std::shared_ptr<WorkerSession> find(const std::string& tenant, const std::string& instance) const;
  // Of whichever tenant; for telling a worker that it named the wrong one.
  std::shared_ptr<WorkerSession> find_anywhere(const std::string& instance) const;
  void put(std::shared_ptr<WorkerSession> session);
  void remove(const WorkerSession& session);
  void clear() { sessions_.clear(); }
  std::vector<std::shared_ptr<WorkerSession>> all() const;
  bool empty() const { return sessions_.empty(); }

 private:
  // By instance, then by tenant. Shared with their sockets and with answers on their way.
  std::map<std::string, std::map<std::string, std::shared_ptr<WorkerSession>>> sessions_;
};

}  // namespace muster::ws
