// What a job tells while it runs: output on channels, and what else a worker reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/time.h"

namespace muster::sdk {

struct OutputChunk {
  std::uint64_t number = 0;  // its place in the output of the job, from 1; the server's
  std::string channel;       // stdout, stderr, log, llm, metric, custom
  std::string data;          // text, or any bytes
  std::optional<std::uint64_t> index;
  std::string mime_type;
  std::string metadata;  // a JSON object; empty: none
  bool terminal = false;
  std::uint64_t fence = 0;
  std::optional<Instant> at;
  std::string document;  // as the server sent it
};

// What of a channel is gone.
struct OutputGap {
  std::string channel;
  std::uint64_t chunks = 0, bytes = 0, until = 0;
};

struct OutputQuery {
  std::string channel;      // empty: all
  std::uint64_t after = 0;  // chunks behind this number
  std::optional<std::uint32_t> limit;
  Duration wait{0};  // for something to read while the job is unfinished, at most a minute
};

struct JobOutput {
  std::string id, state, stage;
  std::vector<OutputChunk> chunks;
  std::uint64_t next = 0;  // read on behind this
  bool more = false;
  std::vector<OutputGap> gaps;
  std::string document;
};

// What is left empty stays as it was.
struct Feedback {
  std::optional<double> fraction;
  std::string message, stage;
  std::string metrics;  // a JSON object
  std::string results;  // a JSON object that is merged into the partial result
  std::vector<OutputChunk> chunks;
};

}  // namespace muster::sdk
