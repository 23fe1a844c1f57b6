// How much of anything the client takes, keeps or waits for. Each has a row in docs/limits.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace muster::claude {

inline constexpr std::size_t kModelRequestBytesMax = 32 * 1024 * 1024;     // the API's own
inline constexpr std::size_t kModelBatchRequestsMax = 100'000;             // the API's own
inline constexpr std::size_t kModelBatchBytesMax = 256 * 1024 * 1024;      // the API's own
inline constexpr std::size_t kModelEventBytesMax = 32 * 1024 * 1024;       // of one event's data
inline constexpr std::size_t kModelAnswerBytesMax = 64 * 1024 * 1024;      // of all events of one stream
inline constexpr std::size_t kModelBlocksMax = 4'096;                      // of one answer
inline constexpr std::size_t kModelResultLineBytesMax = 64 * 1024 * 1024;  // of one result of a batch
inline constexpr std::size_t kModelDocumentBytesMax = 1024 * 1024;         // of every other answer
inline constexpr std::size_t kModelErrorBytesMax = 16 * 1024;              // of an answer that is an error
inline constexpr std::size_t kModelErrorTextBytesMax = 1'024;              // of its message
inline constexpr std::size_t kModelExcerptBytesMax = 120;                  // of an answer that is no JSON, in an error
inline constexpr std::size_t kModelCallsWaitingMax = 100'000;
inline constexpr std::size_t kModelShortCallsMax = 16;  // at a time, beside the streams
inline constexpr std::size_t kModelIdleHandlesMax = 256;
inline constexpr std::size_t kCassetteBytesMax = 256 * 1024 * 1024;  // of the file of recorded exchanges
inline constexpr std::size_t kPlayerBatchesMax = 64;                 // that a replay remembers
inline constexpr Duration kModelRetryAfterMax{5 * 60'000};           // a longer wait that the API asks for is cut
inline constexpr Duration kModelCallTimeMax{60 * 60'000};            // of one try

}  // namespace muster::claude
