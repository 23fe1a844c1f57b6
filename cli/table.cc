#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/format.h"

namespace muster::cli {
namespace {

constexpr std::size_t kGap = 2;  // blanks between columns

std::string_view escape_of(Color color) {
  switch (color) {
    case Color::none: return "";
    case Color::dim: return "\x1b[2m";
    case Color::bold: return "\x1b[1m";
    case Color::red: return "\x1b[31m";
    case Color::green: return "\x1b[32m";
    case Color::yellow: return "\x1b[33m";
    case Color::blue: return "\x1b[34m";
    case Color::magenta: return "\x1b[35m";
    case Color::cyan: return "\x1b[36m";
  }
  return "";
}

struct StateColor {
  std::string_view state;
  Color color;
};

constexpr std::array kStateColors{
    StateColor{"scheduled", Color::blue},  StateColor{"ready", Color::cyan},      StateColor{"running", Color::yellow},
    StateColor{"completed", Color::green}, StateColor{"dead", Color::red},        StateColor{"cancelled", Color::dim},
    StateColor{"online", Color::green},    StateColor{"draining", Color::yellow}, StateColor{"offline", Color::dim},
    StateColor{"healthy", Color::green},   StateColor{"warn", Color::yellow},     StateColor{"degraded", Color::magenta},
    StateColor{"unhealthy", Color::red},   StateColor{"paused", Color::yellow},   StateColor{"active", Color::green},
    StateColor{"pending", Color::cyan},    StateColor{"failed", Color::red},
};

}  // namespace

std::string colored(std::string_view text, Color color, bool on) {
  if (!on || color == Color::none || text.empty()) return std::string(text);
  return std::string(escape_of(color)).append(text).append("\x1b[0m");
}

Color color_of_state(std::string_view state) {
  const auto at =
      std::find_if(kStateColors.begin(), kStateColors.end(), [state](const StateColor& s) { return s.state == state; });
  return at == kStateColors.end() ? Color::none : at->color;
}

void Table::add(std::vector<Cell> cells) {
  for (Cell& cell : cells) cell.text = printable(cell.text);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::string> Table::lines(Look look) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c].text));
    widths.push_back(width);
  }

  const auto line_of = [&](const auto& cell_of) {
    std::string line;
    std::size_t used = 0;
    std::size_t pending = 0;  // blanks owed; written only when something follows them
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::size_t before = c == 0 ? 0 : kGap;
      const Cell cell = cell_of(c);
      std::string text = cell.text;
      const std::size_t fill = widths[c] - display_width(text);
      if (columns_[c].align == Align::right) pending += fill;
      if (look.width_max > 0) {
        const std::size_t at = used + pending + before;
        text = at >= look.width_max ? "" : shortened(text, look.width_max - at);
      }
      pending += before;
      if (!text.empty()) {
        line.append(pending, ' ').append(colored(text, cell.color, look.color));
        used += pending + display_width(text);
        pending = 0;
      }
      if (columns_[c].align == Align::left) pending += widths[c] - std::min(widths[c], display_width(text));
    }
    return line;
  };

  std::vector<std::string> out;
  out.push_back(line_of([&](std::size_t c) { return Cell{columns_[c].title, Color::bold}; }));
  for (const auto& row : rows_) out.push_back(line_of([&](std::size_t c) { return row[c]; }));
  return out;
}

}  // namespace muster::cli
