// Figures over time as people read them in a terminal, for `muster top --history`.
#pragma once

#include <cstddef>
#include <string>

#include "cli/table.h"
#include "sdk/cpp/types.h"

namespace muster::cli {

// "1.2s" of what is a time, "3.4" of a rate, "12k" of a count, by the figure's name.
std::string format_figure(const std::string& name, double value);

struct FigureLook {
  std::size_t width = 40;  // of the lines over time
  bool unicode = false;
};

// A row for each figure: newest, least, mean, most, and its course. Of what nobody knew there is nothing.
Table figures_table(const sdk::HistoryFigures& figures, const FigureLook& look);

}  // namespace muster::cli
