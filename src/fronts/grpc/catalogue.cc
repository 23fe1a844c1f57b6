#include "fronts/grpc/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "command/agent_runs.h"
#include "command/runs.h"
#include "command/schedules.h"
#include "command/workers.h"

namespace muster::rpc {
namespace {

std::array<std::span<const Method>, 5> all_methods() {
  return {k0_methods(), v1_methods(), native_methods(), health_methods(), reflection_methods()};
}

MetricLabels labels_of(const Method& method) {
  return {{"service", std::string(method.service)}, {"method", std::string(method.name)}};
}

// The words operators know from every gRPC server.
std::string_view code_name(std::size_t code) {
  static constexpr std::array<std::string_view, 17> kNames{
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return kNames[code];
}

// Commands whose answers carry payloads, or pages; none of them waits for anything to happen.
bool carries_much(const command::Spec* command) {
  static constexpr std::array kCommands{&command::kRunGet,     &command::kRunList,     &command::kRunGetStep,
                                        &command::kRunHistory, &command::kScheduleGet, &command::kScheduleList,
                                        &command::kWorkerList, &command::kAgentRunList};
  return std::find(kCommands.begin(), kCommands.end(), command) != kCommands.end();
}

}  // namespace

const Method* find_method(std::string_view service, std::string_view name) {
  for (const auto& list : all_methods())
    for (const Method& method : list)
      if (method.service == service && method.name == name) return &method;
  return nullptr;
}

Entry::Entry(const Method& with, Metrics& metrics)
    : method(with),
      open_(with.service == kHealthService),
      answers_much_(carries_much(with.command)),
      metrics_(metrics),
      took_(metrics.histogram("muster_grpc_call_seconds", "How long calls took, the wait of polls included.", latency_bounds(),
                              labels_of(with))) {}

Counter& Entry::counter(std::size_t code) {
  Counter* known = calls_[code].load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  MetricLabels labels = labels_of(method);
  labels.emplace("code", std::string(code_name(code)));
  Counter& made = metrics_.counter("muster_grpc_calls_total", "Calls by outcome.", labels);
  calls_[code].store(&made, std::memory_order_release);
  return made;
}

void Entry::measure(WireCode code, Ticks took) {
  counter(static_cast<std::size_t>(code)).add();
  took_.observe(std::chrono::duration<double>(took).count());
}

Catalogue::Catalogue(Metrics& metrics) {
  for (const auto& list : all_methods()) {
    for (const Method& method : list) {
      Entry& entry = entries_.emplace_back(method, metrics);
      by_path_.emplace(paths_.emplace_back(fmt::format("/{}/{}", method.service, method.name)), &entry);
    }
  }
  unknown_ = &entries_.emplace_back(Method{.service = "unknown", .name = "unknown"}, metrics);
}

Entry* Catalogue::find(std::string_view path) const {
  const auto at = by_path_.find(path);
  return at == by_path_.end() ? nullptr : at->second;
}

ErrorDialect Catalogue::dialect_of(std::string_view path) {
  if (path.starts_with("/kagzi.v1.")) return ErrorDialect::v1;
  return path.starts_with("/kagzi.") ? ErrorDialect::k0 : ErrorDialect::native;
}

std::vector<std::string> Catalogue::services() {
  std::set<std::string> names;
  for (const auto& list : all_methods())
    for (const Method& method : list) names.emplace(method.service);
  return {names.begin(), names.end()};
}

}  // namespace muster::rpc
