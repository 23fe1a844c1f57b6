// What a stream says, between the client's thread that hears it and the agenda that passes it on. Neighbouring deltas of one
// block become one piece, so that a fast model costs as many writes as the store can make and not one a token.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agents/agenda.h"
#include "agents/claude/api.h"
#include "model/output.h"

namespace muster::agents {

inline constexpr std::size_t kTokenPieceMax = 256 * 1024;        // of one chunk of tokens
inline constexpr std::size_t kPartialTextMax = 1024 * 1024;      // that is kept of a stream that broke
inline constexpr std::size_t kUntoldBytesMax = 4 * 1024 * 1024;  // that wait to be passed on; what comes then is left out

// One event of a run's stream: a JSON object with a "type".
OutputChunk event_chunk(std::string json);

class TokenSink final : public claude::StreamSink {
 public:
  // Both are called on the agenda: `more` when there is something to take, `end` last.
  struct Ears {
    std::function<void()> more;
    std::function<void(Result<claude::Answer>)> end;
  };
  struct Place {
    std::uint32_t iteration = 0;
    std::uint32_t attempt = 0;  // of the iteration; the client's own tries are counted on top
    bool after_break = false;
  };
  TokenSink(std::shared_ptr<Agenda> agenda, Place place, Ears ears)
      : agenda_(std::move(agenda)), place_(place), ears_(std::make_shared<const Ears>(std::move(ears))) {}

  void started(std::uint32_t attempt) override;
  void delta(const claude::Delta& delta) override;
  void ended(Result<claude::Answer> answer) override;

  // What was said since the last time, as events of the run.
  struct Taken {
    std::vector<OutputChunk> events;
    bool has_tokens = false;  // not only that a call was made
  };
  Taken take();
  // All text of the attempt that is under way, or was when it broke.
  std::string partial() const;

 private:
  struct Piece {
    const char* type = nullptr;
    std::size_t index = 0;
    std::string text;
    std::uint32_t attempt = 0;  // of a call
  };
  void tell(std::unique_lock<std::mutex> lock);

  const std::shared_ptr<Agenda> agenda_;  // shared with the runtime
  const Place place_;
  const std::shared_ptr<const Ears> ears_;  // shared with tasks on the agenda
  mutable std::mutex mutex_;                // leaf; guards the four below
  std::vector<Piece> pieces_;
  std::string partial_;
  std::size_t untold_ = 0;  // bytes
  bool told_ = false;       // that there is more
};

}  // namespace muster::agents
