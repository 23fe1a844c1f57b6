#include "model/output.h"

#include <algorithm>

namespace muster {
namespace {

constexpr std::array<std::string_view, kOutputChannels> kChannelNames{"stdout", "stderr", "log", "llm", "metric", "custom"};

}  // namespace

std::string_view to_string(OutputChannel channel) { return kChannelNames[static_cast<std::size_t>(channel)]; }

std::optional<OutputChannel> parse_output_channel(std::string_view name) {
  const auto found = std::find(kChannelNames.begin(), kChannelNames.end(), name);
  if (found == kChannelNames.end()) return std::nullopt;
  return static_cast<OutputChannel>(found - kChannelNames.begin());
}

}  // namespace muster
