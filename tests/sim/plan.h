// What a seed decides before the first step: how hostile the world is, how big the crowd is, and what jobs look like.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/options.h"
#include "model/job.h"
#include "model/worker.h"
#include "tests/sim/random.h"

namespace muster::sim {

struct Plan {
  // Chances per message.
  double drop = 0;
  double repeat = 0;
  double slow = 0;  // delayed by seconds instead of milliseconds
  // Mean steps between events of each kind; 0: never.
  std::uint64_t crash_every = 0;  // at a write
  std::uint64_t kill_every = 0;   // between two steps
  std::uint64_t clean_restart_every = 0;
  std::uint64_t sync_trouble_every = 0;  // a spell of failing syncs
  std::uint64_t full_every = 0;          // a spell of a full disk
  std::uint64_t read_trouble_every = 0;
  std::uint64_t clock_jump_every = 0;
  std::size_t clients = 1;
  std::size_t workers = 4;
  std::size_t redo_bytes = 0;
  bool overlapped = false;
  bool helped = false;
  std::size_t readers = 1;
  Duration client_pause{200};  // mean
  engine::Options engine;
};
Plan make_plan(Random& random);

inline constexpr const char* kNamespaces[] = {"default", "other"};
inline constexpr std::size_t kQueues = 3;
inline constexpr std::size_t kTypes = 3;

QueueName queue_name(std::size_t index);
// A job with random features; `known` are jobs it may wait for.
JobSpec make_job(Random& random, const std::vector<JobId>& known, Instant now, std::uint64_t serial);
// A worker of the crowd; `able` ones offer everything there is.
WorkerSpec make_worker(Random& random, std::size_t index, bool able);

}  // namespace muster::sim
