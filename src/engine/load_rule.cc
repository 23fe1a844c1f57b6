#include "engine/load_rule.h"

#include <array>

#include <fmt/format.h>

#include "base/json_reader.h"

namespace muster::engine {
namespace {

enum class Level : std::uint8_t { calm, between, high };

// One of the two, with its threshold.
struct Measure {
  std::string_view name;
  std::optional<double> told;
  std::uint32_t threshold = 0;
};

Level level_of(const Measure& measure, std::uint32_t margin) {
  if (!measure.told || measure.threshold == 0) return Level::calm;
  if (*measure.told >= measure.threshold) return Level::high;
  return *measure.told < static_cast<double>(measure.threshold) - margin ? Level::calm : Level::between;
}

std::optional<double> percentage(const json::Tree& stats, const char* name) {
  auto value = json::get<double>(stats, name);
  if (value && !(*value >= 0)) value.reset();
  return value;
}

}  // namespace

LoadTold load_told(std::string_view stats) {
  // Most workers tell neither, and their stats need not be read.
  if (stats.find("mem_pct") == stats.npos && stats.find("disk_pct") == stats.npos) return {};
  const auto tree = json::parse_object(stats);
  if (!tree) return {};
  LoadTold told{percentage(*tree, "mem_pct"), percentage(*tree, "disk_pct")};
  if (const json::Tree* metrics = json::member(*tree, "metrics")) {
    if (!told.mem_pct) told.mem_pct = percentage(*metrics, "mem_pct");
    if (!told.disk_pct) told.disk_pct = percentage(*metrics, "disk_pct");
  }
  return told;
}

LoadVerdict judge_load(const LoadFacts& facts, const LoadTold& told, const LoadLimits& limits) {
  // A beat without numbers says nothing about the load.
  if (!told.mem_pct && !told.disk_pct) return {LoadStep::stay, facts.calm_beats, {}};
  LoadVerdict verdict;
  bool calm = true;
  for (const Measure& measure :
       std::array{Measure{"memory", told.mem_pct, limits.mem_pct}, Measure{"disk", told.disk_pct, limits.disk_pct}}) {
    const Level level = level_of(measure, limits.margin_pct);
    if (level != Level::calm) calm = false;
    if (level == Level::high)
      verdict.reason += fmt::format("{}{} {:.4g} %", verdict.reason.empty() ? "" : ", ", measure.name, *measure.told);
  }
  if (!verdict.reason.empty()) {
    const bool may = facts.state == WorkerState::online && facts.origin != DrainOrigin::overruled;
    if (may) verdict.step = LoadStep::drain;
    return verdict;
  }
  if (!calm || (facts.origin != DrainOrigin::load && facts.origin != DrainOrigin::overruled)) return verdict;
  verdict.calm_beats = facts.calm_beats + 1;
  if (verdict.calm_beats >= limits.calm_beats) verdict.step = LoadStep::resume;
  return verdict;
}

}  // namespace muster::engine
