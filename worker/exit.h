// How `muster worker` ends, as scripts see it.
#pragma once

namespace muster::worker {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitUnreachable = 3;
inline constexpr int kExitRefused = 5;

}  // namespace muster::worker
