// The rows one statement answered, in binary form. Columns are read by position, in the order of the statement's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct pg_result;

namespace muster::store::postgres {

class Rows {
 public:
  Rows() = default;
  explicit Rows(pg_result* result);  // takes it over

  std::size_t size() const;
  std::size_t affected() const;  // rows a statement without answer changed
  bool null(std::size_t row, int column) const;
  std::int64_t integer(std::size_t row, int column) const;  // of any width, booleans too; 0 for null
  std::optional<std::int64_t> maybe(std::size_t row, int column) const;
  double real(std::size_t row, int column) const;
  std::string_view view(std::size_t row, int column) const;  // text or bytes; empty for null; valid while the rows are
  std::string text(std::size_t row, int column) const { return std::string(view(row, column)); }

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace muster::store::postgres
