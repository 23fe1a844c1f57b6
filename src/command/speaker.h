// Whether a request speaks for the attempt it is about, on wires whose requests need not name a lease. One rule for all of them.
//
//   it names a fence              the fence decides, whoever sends it
//   its connection is a worker's  that worker must be the holder
//   its connection is nobody's    only while no connection of the holder is known: after a restart of the server, or when the
//                                 holder's own connection ended and it comes back on a new one before it has said who it is
#pragma once

#include <cstdint>
#include <optional>

#include "model/ids.h"

namespace muster::command {

// As whom the connection of a request has acted.
enum class ActsAs : std::uint8_t { nobody, holder, others };

struct Speaker {
  std::optional<Fence> fence{};  // the lease that the request names, or under which its connection took the job
  ActsAs acts_as = ActsAs::nobody;
};

struct Holder {
  Fence fence{};           // of the current or last lease
  bool connected = false;  // a connection is known on which the holder is, or was a moment ago
};

enum class Standing : std::uint8_t {
  holder,    // it may act
  stand_in,  // it may act: nobody is there to say otherwise
  late,      // it held the attempt once, or never, and somebody else does
  stranger,  // nothing is known about it, and the holder is somewhere else
};

Standing standing_of(const Speaker& speaker, const Holder& holder);

}  // namespace muster::command
