// What a tool said, made fit for a model: valid UTF-8 of a bounded length. What is changed about it is said in it.
#pragma once

#include <optional>
#include <string>

#include "model/agent.h"

namespace muster::agents {

struct ShownOutput {
  std::string text;                  // at most kToolOutputMax bytes of the output, and the marks
  std::optional<std::string> whole;  // set: `text` is only its beginning
};

ShownOutput shown_output(std::string text);

// Its first `bytes_max` bytes with a mark behind them, or all of it. REQUIRES: UTF-8.
std::string shortened(std::string text, std::size_t bytes_max);

// Bytes that are not UTF-8 become U+FFFD, one each; the count is returned.
std::size_t repair_utf8(std::string& text);

}  // namespace muster::agents
