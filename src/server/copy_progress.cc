#include "server/copy_progress.h"

#include <algorithm>

#include <fmt/format.h>

namespace muster::server {
namespace {

constexpr std::uint64_t kBarWidth = 30;
constexpr Ticks kDrawEvery = std::chrono::milliseconds(100);
constexpr const char* kLineStart = "\r\x1b[K";  // over what is there

std::string_view verb_of(store::transfer::Phase phase) {
  switch (phase) {
    case store::transfer::Phase::copying: return "copy";
    case store::transfer::Phase::comparing: return "compare";
  }
  unreachable();
}

std::string bar(std::uint64_t done, std::uint64_t total) {
  const std::uint64_t filled = total == 0 ? kBarWidth : std::min(done, total) * kBarWidth / total;
  return std::string(filled, '#') + std::string(kBarWidth - filled, '.');
}

}  // namespace

std::string CopyProgress::text_for(const store::transfer::Step& step) {
  const std::string what = fmt::format("{:<8} {:<17}", verb_of(step.phase), to_string(step.kind));
  if (!terminal_) return step.last ? fmt::format("{} {} of {}\n", what, step.done, step.total) : std::string();
  const Ticks now = clock_.elapsed();
  if (!step.last && now - drawn_at_ < kDrawEvery) return {};
  drawn_at_ = now;
  return fmt::format("{}{} [{}] {} of {}{}", kLineStart, what, bar(step.done, step.total), step.done, step.total,
                     step.last ? "\n" : "");
}

}  // namespace muster::server
