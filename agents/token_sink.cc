#include "agents/token_sink.h"

#include <algorithm>

#include "base/json_reader.h"

namespace muster::agents {
namespace {

// Null: of no use to somebody who reads along.
const char* type_of(claude::DeltaKind kind) {
  switch (kind) {
    case claude::DeltaKind::text: return "text_delta";
    case claude::DeltaKind::thinking: return "thinking_delta";
    case claude::DeltaKind::input_json: return "input_json_delta";
    case claude::DeltaKind::block_start:
    case claude::DeltaKind::signature:
    case claude::DeltaKind::citations:
    case claude::DeltaKind::block_stop:
    case claude::DeltaKind::other: return nullptr;
  }
  return nullptr;
}

constexpr const char* kCall = "call";
constexpr const char* kRetry = "retry";

}  // namespace

OutputChunk event_chunk(std::string json) {
  OutputChunk chunk;
  chunk.channel = OutputChannel::llm;
  chunk.data = std::move(json);
  chunk.mime_type = "application/json";
  return chunk;
}

void TokenSink::tell(std::unique_lock<std::mutex> lock) {
  if (std::exchange(told_, true)) return;
  lock.unlock();
  agenda_->post([ears = ears_] { ears->more(); });
}

void TokenSink::started(std::uint32_t attempt) {
  std::unique_lock lock(mutex_);
  partial_.clear();
  const bool again = place_.after_break || attempt > 1;
  pieces_.push_back({.type = again ? kRetry : kCall, .text = {}, .attempt = place_.attempt + attempt - 1});
  // Also of a first attempt: what telling takes is at hand then when its first tokens come.
  tell(std::move(lock));
}

void TokenSink::delta(const claude::Delta& delta) {
  const char* const type = type_of(delta.kind);
  if (type == nullptr) return;
  std::unique_lock lock(mutex_);
  if (delta.kind == claude::DeltaKind::text && partial_.size() < kPartialTextMax) partial_ += delta.text;
  if (untold_ + delta.text.size() > kUntoldBytesMax) return;
  untold_ += delta.text.size();
  const bool joins = !pieces_.empty() && pieces_.back().type == type && pieces_.back().index == delta.index &&
                     pieces_.back().text.size() + delta.text.size() <= kTokenPieceMax;
  if (!joins) pieces_.push_back({.type = type, .index = delta.index, .text = {}});
  pieces_.back().text += delta.text;
  tell(std::move(lock));
}

void TokenSink::ended(Result<claude::Answer> answer) {
  agenda_->post([ears = ears_, answer = std::move(answer)]() mutable { ears->end(std::move(answer)); });
}

TokenSink::Taken TokenSink::take() {
  std::vector<Piece> pieces;
  {
    const std::lock_guard lock(mutex_);
    pieces.swap(pieces_);
    untold_ = 0;
    told_ = false;
  }
  Taken taken;
  for (const Piece& piece : pieces) {
    json::Tree event{{"type", piece.type}, {"iteration", place_.iteration}};
    if (piece.type == kCall || piece.type == kRetry) {
      event["attempt"] = piece.attempt;
      if (piece.type == kRetry) event["text"] = "the answer was broken off; what it had said is void";
    } else {
      taken.has_tokens = true;
      event["index"] = piece.index;
      event["text"] = piece.text;
    }
    taken.events.push_back(event_chunk(json::dump(event)));
  }
  return taken;
}

std::string TokenSink::partial() const {
  const std::lock_guard lock(mutex_);
  return partial_;
}

}  // namespace muster::agents
