#include "cli/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cli/format.h"

namespace muster::cli {
namespace {

// `width` values or fewer, each the mean of those it stands for; a stretch that nobody knew is 0.
std::vector<double> squeezed(const std::vector<std::optional<double>>& values, std::size_t width) {
  const std::size_t count = std::min(width, values.size());
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    std::size_t known = 0;
    for (std::size_t at = i * values.size() / count; at < (i + 1) * values.size() / count; ++at)
      if (values[at]) sum += *values[at], ++known;
    out.push_back(known == 0 ? 0 : sum / static_cast<double>(known));
  }
  return out;
}

}  // namespace

std::string format_figure(const std::string& name, double value) {
  if (name.ends_with("_ms"))
    return value < 10 ? fmt::format("{:.1f}ms", value) : format_duration(sdk::Duration(static_cast<std::int64_t>(value)));
  if (name.ends_with("_per_second")) return format_rate(value);
  if (name == "cpu_cores") return fmt::format("{:.2f}", value);
  return format_count(static_cast<std::uint64_t>(std::max(0.0, value)));
}

Table figures_table(const sdk::HistoryFigures& figures, const FigureLook& look) {
  Table table({{"FIGURE"},
               {"NOW", Align::right},
               {"LEAST", Align::right},
               {"MEAN", Align::right},
               {"MOST", Align::right},
               {"OVER TIME"}});
  for (const auto& [name, values] : figures.series) {
    std::vector<double> known;
    for (const auto& value : values)
      if (value) known.push_back(*value);
    if (known.empty()) continue;
    const auto [least, most] = std::minmax_element(known.begin(), known.end());
    const double mean = std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size());
    table.add({{name},
               {format_figure(name, known.back())},
               {format_figure(name, *least), Color::dim},
               {format_figure(name, mean), Color::dim},
               {format_figure(name, *most), Color::dim},
               {sparkline(squeezed(values, look.width), look.unicode), Color::cyan}});
  }
  return table;
}

}  // namespace muster::cli
