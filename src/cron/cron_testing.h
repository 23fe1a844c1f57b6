// What the tests of timings share: instants as text, and plans that must parse.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/time_text.h"
#include "cron/cron.h"

namespace muster::cron {

inline Instant at(std::string_view text) {
  const auto instant = parse_rfc3339(text);
  EXPECT_TRUE(instant.has_value()) << text;
  return instant.value_or(Instant());
}

inline Timing kagzi(std::string text) { return {.text = std::move(text), .form = CronForm::kagzi}; }
inline Timing native(std::string text, std::string zone = "UTC") { return {.text = std::move(text), .zone = std::move(zone)}; }

// REQUIRES: the timing parses.
inline Plan plan_of(const Timing& timing) {
  Result<Plan> plan = Plan::parse(timing);
  EXPECT_TRUE(plan.ok()) << timing.text << ": " << plan.status().message();
  return *plan;
}

// The next fires after an instant, as RFC 3339 without the fraction where there is none.
inline std::vector<std::string> fires(const Timing& timing, std::string_view after, std::size_t count) {
  const Plan plan = plan_of(timing);
  std::vector<std::string> out;
  Instant from = at(after);
  while (out.size() < count) {
    const auto fire = plan.next(from);
    if (!fire) break;
    std::string text = to_rfc3339(*fire);
    if (text.ends_with(".000Z")) text.replace(text.size() - 5, 5, "Z");
    out.push_back(std::move(text));
    from = *fire;
  }
  return out;
}

inline std::string refusal(const Timing& timing) {
  const Result<Plan> plan = Plan::parse(timing);
  if (plan.ok()) return "accepted";
  EXPECT_EQ(plan.code(), Code::invalid_argument);
  return plan.status().message();
}

using Texts = std::vector<std::string>;

}  // namespace muster::cron
