// Aligned columns for terminals. Cells carry text and a colour; widths count characters, never escape sequences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

enum class Color : std::uint8_t { none, dim, bold, red, green, yellow, blue, magenta, cyan };

// Wraps the text in escape sequences when `on`.
std::string colored(std::string_view text, Color color, bool on);
// The colour of a job's, a worker's or a health state.
Color color_of_state(std::string_view state);

struct Cell {
  std::string text;
  Color color = Color::none;
};

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: as many cells as columns. Text is made printable here.
  void add(std::vector<Cell> cells);
  std::size_t rows() const { return rows_.size(); }

  struct Look {
    bool color = false;
    std::size_t width_max = 0;  // 0: as wide as needed; otherwise longer lines are cut, the last column first
  };
  // Heading first; no trailing blanks.
  std::vector<std::string> lines(Look look) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace muster::cli
