// Finds out that something else is wanted of workers' packages, and has their sessions look.
//
// What is wanted on this node is told by its events at once (change_watch.h); what is wanted on another is found by asking every
// kLookEvery whether anything changed, one question a tenant. Sessions look a few at a time, so that a wish about ten thousand
// workers does not hold up the rest. One per front. On the loop's thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "base/status.h"
#include "fronts/ws/deadlines.h"

namespace muster::ws {

struct Core;
class WorkerSession;

class PackageWatch : public std::enable_shared_from_this<PackageWatch> {
 public:
  explicit PackageWatch(Core& core);

  // Only while there is somebody to tell. Idempotent.
  void start();
  void stop();
  // Something else is wanted in this tenant.
  void changed(const std::string& tenant);

 private:
  struct Tenant {
    std::string version;  // of its wishes
    bool known = false;
    bool asking = false;
  };
  void poll();
  void polled(const std::string& tenant, const Result<std::string>& version);
  void look_some();

  Core& core_;
  std::map<std::string, Tenant> tenants_;
  std::string polled_up_to_;  // tenants take turns
  std::deque<std::weak_ptr<WorkerSession>> waiting_;
  Deadlines::Entry poll_;
  Deadlines::Entry look_;
  bool watching_ = false;
};

}  // namespace muster::ws
