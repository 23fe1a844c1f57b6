// Many idle workers that beat evenly through one engine, with its sweeps running; what it costs is for the caller to read.
#pragma once

#include <functional>

#include "bench/rig.h"

namespace muster::bench {

inline constexpr double kBeatInterval = 10;  // seconds between two beats of one worker

struct Beating {
  std::size_t beats = 0;
  double cores = 0;         // what `cpu_seconds` grew by, per second
  double longest_tick = 0;  // seconds
};

// Registers `workers`, lets them beat for `wall` seconds and closes the rig's store. `settle` runs once in between.
Beating beat_workers(
    Rig& rig, std::size_t workers, double wall, const std::function<double()>& cpu_seconds,
    const std::function<void()>& settle = [] {});

}  // namespace muster::bench
