// What two sides agree on about permessage-deflate (RFC 7692), per direction, and what one side is ready to agree to.
//
// Context takeover means that the sender's window lives on between messages. It compresses small messages better and costs memory
// for as long as the connection lives: about 256 kB at the sender, 40 kB at the receiver, with the full window. Ten thousand idle
// connections would hold 3 GB of it, so both directions are without by default: a thread's connections then share one compressor,
// what unpacks lives from the first to the last frame of one message, and an idle connection holds no memory of zlib at all.
#pragma once

#include "websocket/frame.h"

namespace muster::websocket {

inline constexpr int kWindowBitsLeast = 8;
inline constexpr int kWindowBitsMost = 15;  // 32 kB, which is also what is meant where nothing is said

struct DeflateDirection {
  bool takeover = false;
  int window_bits = kWindowBitsMost;
  friend bool operator==(const DeflateDirection&, const DeflateDirection&) = default;
};

struct DeflateTerms {
  DeflateDirection server;  // what the server sends
  DeflateDirection client;
  const DeflateDirection& sent_by(Role role) const { return role == Role::server ? server : client; }
  friend bool operator==(const DeflateTerms&, const DeflateTerms&) = default;
};

// REQUIRES: window bits between the two bounds above.
struct DeflatePolicy {
  bool enabled = true;
  DeflateTerms most;  // agreed is this or less
};

}  // namespace muster::websocket
