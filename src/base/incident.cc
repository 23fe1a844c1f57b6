#include "base/incident.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <stdexcept>

#include "base/log.h"
#include "base/uuid.h"

namespace muster {
namespace {

constexpr std::size_t kWhatBytesMax = 300;  // of an exception's text in the log

// An id is made when it is first needed: by the guard, or before it by a request that goes while the stack unwinds.
thread_local std::uint64_t unwinding_id = 0;
thread_local std::uint64_t handled_id = 0;

std::uint64_t make_id() {
  static const std::uint64_t seed = random_seed();
  static std::atomic<std::uint64_t> made{0};
  const std::uint64_t id = mix64(seed + made.fetch_add(1, std::memory_order_relaxed)) >> 16;
  return id == 0 ? 1 : id;
}

std::string text_of(std::uint64_t id) { return fmt::format("{:012x}", id); }

Status told(std::string_view id) {
  return Status::internal(fmt::format("the server made a mistake; its log has the details under incident {}", id));
}

std::string cut(std::string_view what) {
  // A parser of JSON quotes what it read last: that is somebody's data.
  what = what.substr(0, what.find("; last read"));
  return std::string(what.substr(0, kWhatBytesMax));
}

// REQUIRES: inside a catch block.
std::string describe_current() {
  try {
    throw;
  } catch (const std::exception& error) {
    return cut(error.what());
  } catch (...) {
    return "an exception of an unknown type";
  }
}

void write_line(const std::string& where, std::string_view doing, std::string_view job_id, const std::string& id) {
  constexpr std::string_view kMessage = "a mistake of the server ended a piece of work";
  const log::Field incident{"incident", id}, place{"where", where}, type{"type", std::string(doing)};
  const log::Field detail{"detail", describe_current()};
  if (job_id.empty()) return log::error(kMessage, {incident, place, type, detail});
  log::error(kMessage, {incident, place, type, {"job_id", std::string(job_id)}, detail});
}

}  // namespace

Incidents::Incidents(Metrics& metrics, std::string_view where)
    : where_(where),
      counter_(&metrics.counter("muster_internal_errors_total", "Mistakes of the server that ended one piece of work.",
                                {{"where", where_}})) {}

Incident::Incident(const Incidents& at, std::string_view doing, std::string_view job_id) noexcept : outer_(handled_id) {
  handled_id = unwinding_id != 0 ? unwinding_id : make_id();
  unwinding_id = 0;
  if (at.counter_ != nullptr) at.counter_->add();
  try {
    id_ = text_of(handled_id);
    status_ = told(id_);
    write_line(at.where_, doing, job_id, id_);
  } catch (...) {
    // No memory for a text. This one is short enough to need none.
    status_ = Status(Code::internal, "out of memory");
  }
}

Incident::~Incident() { handled_id = outer_; }

Status unanswered(const Incidents& at, std::string_view doing) noexcept {
  try {
    if (std::uncaught_exceptions() > 0) {
      if (unwinding_id == 0) unwinding_id = make_id();
      return told(text_of(unwinding_id));
    }
    if (handled_id != 0) return told(text_of(handled_id));
    try {
      throw std::logic_error("a request was let go of without an answer");
    } catch (...) {
      return Incident(at, doing).status();
    }
  } catch (...) {
    return Status(Code::internal, "out of memory");
  }
}

}  // namespace muster
