// What becomes of one call's answer, whatever way it comes: a stream, a document or lines. Called on the client's thread only.
//
// One receiver lives as long as its call and sees each try from started() on; deliver() or fail() is its end, once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agents/claude/api.h"
#include "base/reply.h"
#include "base/status.h"

namespace muster::claude {

class Receiver {
 public:
  virtual ~Receiver() = default;
  // A try begins; what an earlier one brought is forgotten.
  virtual void started(std::uint32_t attempt) = 0;
  // Whether an answer of this type can be what is waited for.
  virtual bool accepts(std::string_view content_type) const = 0;
  // While it has none, no bytes are brought.
  virtual bool has_room() const { return true; }
  // Bytes of an answer with status 200. Not ok: the try has failed.
  virtual Status bytes(std::string_view bytes) = 0;
  // Ok: all of the answer is there, even if the connection did not end well.
  virtual Status complete(bool ended_well) = 0;
  // REQUIRES: complete() said ok.
  virtual void deliver() = 0;
  virtual void fail(Status why) = 0;
  // What has been used so far, as far as it is known.
  virtual TokenUsage usage() const { return {}; }
};

std::unique_ptr<Receiver> receive_stream(std::shared_ptr<StreamSink> sink);
// `tokens`: where the usage of lines is counted.
std::unique_ptr<Receiver> receive_lines(std::shared_ptr<LineSink> lines, Reply<std::uint64_t> reply,
                                        UniqueFunction<void(const TokenUsage&)> tokens);
std::unique_ptr<Receiver> receive_batch(Reply<Batch> reply);
std::unique_ptr<Receiver> receive_token_count(Reply<std::uint64_t> reply);

}  // namespace muster::claude
