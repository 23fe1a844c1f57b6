#include "model/schedule.h"

#include <algorithm>
#include <array>

#include "base/time_text.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 4> kOverlapNames{"allow", "skip", "buffer_one", "cancel_previous"};

// With an offset instead of Z, and a fraction only where there is one: keys that were written once must never be spelled
// otherwise.
std::string instant_text(Instant at) {
  std::string text = to_rfc3339(at);
  if (text.ends_with('Z')) text.pop_back();
  if (text.ends_with(".000")) text.resize(text.size() - 4);
  return text + "+00:00";
}

}  // namespace

std::string fire_key(const ScheduleId& schedule, Instant fire_at) {
  return "schedule:" + schedule.text() + ":" + instant_text(fire_at);
}

std::string_view to_string(Overlap overlap) { return kOverlapNames[static_cast<std::size_t>(overlap)]; }

std::optional<Overlap> parse_overlap(std::string_view name) {
  const auto* const it = std::find(kOverlapNames.begin(), kOverlapNames.end(), name);
  if (it == kOverlapNames.end()) return std::nullopt;
  return static_cast<Overlap>(it - kOverlapNames.begin());
}

}  // namespace muster
