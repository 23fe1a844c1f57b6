// When the load that a worker tells in its heartbeats takes it out of service, and when it works again: pure rules that
// load_drains.h carries out.
//
// Memory or disk at its threshold drains the worker: what it runs goes on, and nothing new is given to it. It works again when
// each of them has been below its threshold by a margin for some beats in a row, so that a load about the threshold does not
// move it to and fro.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/worker.h"

namespace muster::engine {

// Percentages. 0 for a threshold: it drains nobody.
struct LoadLimits {
  std::uint32_t mem_pct = 90;
  std::uint32_t disk_pct = 95;
  std::uint32_t margin_pct = 5;
  std::uint32_t calm_beats = 3;
  friend bool operator==(const LoadLimits&, const LoadLimits&) = default;
};

struct LoadTold {
  std::optional<double> mem_pct;
  std::optional<double> disk_pct;
};

// `mem_pct` and `disk_pct` of a heartbeat's stats, or of the object `metrics` in them. What is no number from 0 on is not told.
LoadTold load_told(std::string_view stats);

// What is known of a worker when it is heard.
struct LoadFacts {
  WorkerState state = WorkerState::online;
  DrainOrigin origin = DrainOrigin::none;
  std::uint32_t calm_beats = 0;  // in a row, before this one
};

enum class LoadStep : std::uint8_t { stay, drain, resume };

struct LoadVerdict {
  LoadStep step = LoadStep::stay;
  std::uint32_t calm_beats = 0;
  std::string reason;  // of a drain: "memory 93 %"
};

LoadVerdict judge_load(const LoadFacts& facts, const LoadTold& told, const LoadLimits& limits);

}  // namespace muster::engine
