// Timings from the wire: nothing crashes or searches for ever, and what is accepted keeps its promises.
//
// The first byte chooses form, gap, fold and zone; the rest is the text, with a zone's name behind a '|' when the byte says so.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "cron/cron.h"

using namespace muster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = data[0];
  std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  Timing timing;
  timing.form = (choice & 1) != 0 ? CronForm::kagzi : CronForm::native;
  timing.gap = (choice & 2) != 0 ? GapRule::skip : GapRule::next;
  timing.fold = (choice & 4) != 0 ? FoldRule::twice : FoldRule::once;
  if ((choice & 8) != 0) timing.zone = "Europe/Berlin";
  if (const std::size_t bar = text.find('|'); (choice & 16) != 0 && bar != std::string_view::npos) {
    timing.zone = text.substr(bar + 1);
    text = text.substr(0, bar);
  }
  timing.text = text;
  const Result<cron::Plan> plan = cron::Plan::parse(timing);
  if (!plan.ok()) {
    check(!plan.status().message().empty(), "a refusal says why");
    return 0;
  }
  Instant at(std::chrono::seconds(1'774'700'000));  // a day before Berlin's clocks change
  const Instant begin = at;
  std::size_t count = 0;
  while (count < 20) {
    const auto next = plan->next(at);
    if (!next) break;
    check(*next > at, "a fire is later than what was asked");
    at = *next;
    ++count;
  }
  const auto back = plan->between(begin, at, 100);
  check(back.size() == count, "looking back finds what looking ahead found");
  if (count > 0) check(back.back() == at, "the newest fire is the last");
  return 0;
}
