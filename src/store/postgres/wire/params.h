// Parameters of one statement, in PostgreSQL's binary form: scalars, and columns of many rows as arrays.
//
// A parameter's type is fixed by a cast in the statement's text ($1::bigint[]), so the call names the same type here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/clock.h"

namespace muster::store::postgres {

// Object ids of the built-in types; the same in every PostgreSQL.
enum class Type : std::uint32_t { boolean = 16, bytes = 17, int8 = 20, int2 = 21, int4 = 23, text = 25, float8 = 701 };

// Values in network byte order at the end of a buffer.
void put_int2(std::string& into, std::int16_t value);
void put_int4(std::string& into, std::int32_t value);
void put_int8(std::string& into, std::int64_t value);

// One column of a multi-row parameter. The caller adds values of the column's type only.
class Column {
 public:
  explicit Column(Type type);
  Column& add(std::int64_t value);  // int2, int4, int8, boolean: narrowed to the column's width
  Column& add(std::string_view value);
  Column& add_real(double value);  // float8
  Column& add_null();
  template <class T>
  Column& add(const std::optional<T>& value) {
    return value ? add(*value) : add_null();
  }
  std::size_t size() const { return count_; }
  // The array's bytes; the column is used up.
  std::string take();

 private:
  Type type_;
  std::int32_t count_ = 0;
  bool has_null_ = false;
  std::string bytes_;
};

class Params;

// Rows of parameters, one array for each column: what a statement takes apart with unnest().
class Table {
 public:
  explicit Table(std::vector<Type> types) : columns_(types.begin(), types.end()) {}

  // One value for each column, in their order: numbers, enumerators, instants and durations (as milliseconds), texts, names, and
  // optional ones of these.
  template <class... Values>
  void add(const Values&... values) {
    check(sizeof...(Values) == columns_.size(), "a row has a value for each column");
    std::size_t at = 0;
    (put(columns_[at++], values), ...);
  }
  std::size_t size() const { return columns_.front().size(); }
  bool empty() const { return size() == 0; }
  // The columns as parameters; the table is used up.
  Params params();

 private:
  template <class T>
  static void put(Column& column, const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      column.add(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      column.add_real(value);
    } else if constexpr (std::is_same_v<T, Instant>) {
      column.add(to_ms(value));
    } else if constexpr (std::is_same_v<T, Duration>) {
      column.add(std::int64_t{value.count()});
    } else if constexpr (std::is_same_v<T, std::nullopt_t>) {
      column.add_null();
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      column.add(std::string_view(value));
    } else if constexpr (requires { value.text(); }) {
      column.add(std::string_view(value.text()));
    } else if (value) {
      put(column, *value);
    } else {
      column.add_null();
    }
  }
  std::vector<Column> columns_;
};

// A text that says nothing is null.
inline std::optional<std::string_view> or_null(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

class Params {
 public:
  Params& int8(std::int64_t value);
  Params& int8(std::optional<std::int64_t> value) { return value ? int8(*value) : null(); }
  Params& int4(std::int64_t value);
  Params& int2(std::int64_t value);
  Params& boolean(bool value);
  Params& float8(double value);
  Params& text(std::string_view value);
  Params& bytes(std::string_view value) { return text(value); }
  Params& null();
  Params& array(Column column);
  Params& int8s(const std::vector<std::int64_t>& values);
  Params& int4s(const std::vector<std::int32_t>& values);

  std::size_t size() const { return values_.size(); }
  const std::optional<std::string>& at(std::size_t index) const { return values_[index]; }
  std::size_t bytes_total() const;

 private:
  std::vector<std::optional<std::string>> values_;
};

}  // namespace muster::store::postgres
