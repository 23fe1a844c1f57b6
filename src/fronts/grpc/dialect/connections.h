// On which connections workers speak. Kagzi requests about a run name neither a worker nor a lease, so who may act on it follows
// from the connection they come by: registrations, heartbeats and polls on it say whose it is.
//
// Only memory, and only of this node: after a restart, or when it grew too large, a worker is known again at its next heartbeat
// or poll. The transport does not say when a connection ends; one is taken for broken when a call that waited on it was
// cancelled from the other side, until something is heard on it again. Any thread.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "command/speaker.h"
#include "model/ids.h"

namespace muster::rpc {

inline constexpr std::size_t kConnectionsKnownMax = 200'000;  // then all are forgotten
inline constexpr std::size_t kConnectionsPerWorkerMax = 16;   // beyond, the one heard longest ago is forgotten

class Connections {
 public:
  // An empty connection is one the transport does not know; nothing is noted about it.
  void registered(const std::string& connection, const WorkerId& worker);
  void heard(const std::string& connection, const WorkerId& worker);
  // One registration on this connection was taken back. The connection stays known as one of a worker's.
  void left(const std::string& connection, const WorkerId& worker);
  void broke(const std::string& connection);

  command::ActsAs acts_as(const std::string& connection, const WorkerId& holder) const;
  bool is_connected(const WorkerId& worker) const;

 private:
  struct Place {
    std::string connection;
    int registrations = 0;
  };
  void note(const std::string& connection, const WorkerId& worker, int registrations);

  mutable std::mutex mutex_;                             // leaf; guards what follows
  std::unordered_map<std::string, bool> open_;           // by connection; false: it may be gone
  std::unordered_map<WorkerId, std::vector<Place>> of_;  // by worker; the one heard last at the end
};

}  // namespace muster::rpc
