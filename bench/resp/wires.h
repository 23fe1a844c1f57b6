// The dialects the lives are measured in.
#pragma once

#include <memory>
#include <string>

#include "bench/resp/load.h"

namespace muster::bench::resp {

using WirePtr = std::unique_ptr<Wire>;

WirePtr muster_life(std::string key);     // LPUSH queue:ready, BRPOP, JOB.UPDATE completed
WirePtr muster_actions(std::string key);  // ACTION.SUBMIT of 100 inputs, BRPOP, JOB.UPDATE completed
WirePtr redis_reliable();                 // LPUSH, BLMOVE, LREM
WirePtr redis_lossy();                    // LPUSH, BRPOP
WirePtr beanstalk_life();                 // put, reserve, delete
enum class Plain : std::uint8_t { ping, get, set };
WirePtr plain(Plain what, std::string key);  // one command over and over; key empty: no AUTH
WirePtr echo_life();                         // three lines there and back

inline constexpr std::size_t kActionInputs = 100;

}  // namespace muster::bench::resp
