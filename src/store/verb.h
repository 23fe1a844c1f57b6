// The store's verbs by name: for decorators that treat them alike and for the labels of their metrics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster::store {

enum class Verb : std::uint8_t {
  enqueue,
  claim,
  complete,
  fail,
  snooze,
  release,
  report_progress,
  renew,
  cancel,
  redrive,
  redrive_matching,
  get_jobs,
  list_jobs,
  explain,
  find_jobs,
  put_plan,
  get_plans,
  list_plans,
  delete_plan,
  submit_action,
  get_action,
  list_actions,
  keyspace,
  register_workers,
  heartbeat,
  drain,
  unregister,
  get_workers,
  list_workers,
  change_queue,
  list_queues,
  create_namespace,
  list_namespaces,
  delete_namespace,
  promote_due,
  expire_leases,
  time_out_jobs,
  expire_waiting,
  end_preferences,
  bury_silent_workers,
  end_drains,
  prune_finished,
  prune_workers,
  settle_actions,
  expire_keys,
  info,
  backup,
};

// In the order of the enumerators, so that a verb is also an index.
inline constexpr std::array<std::string_view, 47> kVerbNames{"enqueue",
                                                             "claim",
                                                             "complete",
                                                             "fail",
                                                             "snooze",
                                                             "release",
                                                             "report_progress",
                                                             "renew",
                                                             "cancel",
                                                             "redrive",
                                                             "redrive_matching",
                                                             "get_jobs",
                                                             "list_jobs",
                                                             "explain",
                                                             "find_jobs",
                                                             "put_plan",
                                                             "get_plans",
                                                             "list_plans",
                                                             "delete_plan",
                                                             "submit_action",
                                                             "get_action",
                                                             "list_actions",
                                                             "keyspace",
                                                             "register_workers",
                                                             "heartbeat",
                                                             "drain",
                                                             "unregister",
                                                             "get_workers",
                                                             "list_workers",
                                                             "change_queue",
                                                             "list_queues",
                                                             "create_namespace",
                                                             "list_namespaces",
                                                             "delete_namespace",
                                                             "promote_due",
                                                             "expire_leases",
                                                             "time_out_jobs",
                                                             "expire_waiting",
                                                             "end_preferences",
                                                             "bury_silent_workers",
                                                             "end_drains",
                                                             "prune_finished",
                                                             "prune_workers",
                                                             "settle_actions",
                                                             "expire_keys",
                                                             "info",
                                                             "backup"};

constexpr std::size_t index_of(Verb verb) { return static_cast<std::size_t>(verb); }
constexpr std::string_view to_string(Verb verb) { return kVerbNames[index_of(verb)]; }

static_assert(kVerbNames.size() == index_of(Verb::backup) + 1);
static_assert(to_string(Verb::register_workers) == "register_workers");

}  // namespace muster::store
