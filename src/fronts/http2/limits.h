// What one HTTP/2 connection may ask of the server. docs/limits.md has the answer at each bound.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace muster::http2 {

struct Limits {
  std::size_t streams_max = 10'000;                    // open at once; the peer holds further ones back, or has them refused
  std::size_t header_list_bytes_max = 64 * 1024;       // of one request, as RFC 9113 counts them; beyond: Head::too_large
  std::size_t stream_window_bytes = 256 * 1024;        // what a peer may send of one body before it is taken
  std::size_t unfinished_bytes_max = 8 * 1024 * 1024;  // kept of bodies that are not complete; beyond, the oldest alone goes on
  Duration idle{30 * 60'000};                          // without a stream: GOAWAY and the end
  Duration first_bytes{10'000};                        // for the peer's preface and settings
  Duration input_silence{30'000};                      // of a peer that owes bytes
  Duration output_silence{30'000};                     // of a peer that opens no window for an answer: the stream is reset
  Duration keepalive{0};                               // pings to quiet peers; 0: none
  Duration keepalive_answer{20'000};                   // for their answer; then the connection ends
  Duration keepalive_accepted{10'000};                 // peers may ping this often; GOAWAY "too_many_pings" beyond
};

inline constexpr std::size_t kConnectionWindowBytes = 1024 * 1024;  // of all streams together; given back as bytes arrive
inline constexpr std::size_t kUnsentFrameBytesMax = 256 * 1024;     // of frames; more are made when the system has taken them
inline constexpr std::size_t kUnreadFrameBytesMax = 4 * kUnsentFrameBytesMax;  // the same; beyond, nothing is read from the peer
inline constexpr std::size_t kSentBytesKept = 64 * 1024;  // of an answer that goes on; beyond, what has left is let go
inline constexpr std::size_t kContinuationsMax = 8;       // frames of one header block; GOAWAY beyond
inline constexpr std::size_t kHeaderListFactorMax = 4;    // a list this many times above its bound ends the connection
inline constexpr std::uint64_t kResetsBurst = 2'000;      // streams that a peer opens and resets; GOAWAY beyond
inline constexpr std::uint64_t kResetsPerSecond = 200;    // what it earns back
inline constexpr std::uint64_t kControlsBurst = 2'000;  // SETTINGS, PING, PRIORITY, empty DATA and unknown frames; GOAWAY beyond
inline constexpr std::uint64_t kControlsPerSecond = 100;  // what it earns back
inline constexpr std::uint32_t kPingStrikesMax = 2;       // pings that came too early; GOAWAY at one more
inline constexpr Duration kDrainAnswer{1'000};            // for a peer to hear that the server stops before no more is taken

}  // namespace muster::http2
