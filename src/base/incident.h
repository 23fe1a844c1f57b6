// Exceptions that reached a guard. The work they ended is answered `internal` with an incident id, the log line has the same id,
// muster_internal_errors_total grows, and the process goes on.
//
// Guards stand where work begins: a request of a front, a handler of the I/O loop, a verb or an answer of a store, a background
// pass. Each is a catch block around that work which makes an Incident:
//
//   try {
//     work();
//   } catch (...) {
//     const Incident incident(incidents_, "GET");
//     refuse(incident.status());
//   }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/metrics.h"
#include "base/status.h"

namespace muster {

// Where incidents of one part of the server are counted.
class Incidents {
 public:
  Incidents(Metrics& metrics, std::string_view where);           // "wire", "store" or "engine"
  explicit Incidents(std::string_view where) : where_(where) {}  // logged only

 private:
  friend class Incident;
  std::string where_;
  Counter* counter_ = nullptr;
};

class Incident {
 public:
  // Logs the exception that is being handled and counts it. `doing` names the work: a command, a verb, a pass; never a payload or
  // a secret. `job_id`: the job it was about, where one is known. REQUIRES: inside a catch block.
  Incident(const Incidents& at, std::string_view doing, std::string_view job_id = {}) noexcept;
  ~Incident();
  Incident(const Incident&) = delete;
  Incident& operator=(const Incident&) = delete;

  const std::string& id() const { return id_; }
  // What whoever asked for the work is told.
  const Status& status() const { return status_; }

 private:
  std::uint64_t outer_;  // the incident whose clean-up this one happened in; 0: none
  std::string id_;
  Status status_;
};

// For a request that is let go of without an answer: `internal`, with the id of the exception that is unwinding the stack or
// whose guard is cleaning up on this thread. Without either the request was forgotten, which is an incident of its own.
Status unanswered(const Incidents& at, std::string_view doing) noexcept;

}  // namespace muster
