// Parameters of one statement, in PostgreSQL's binary form: scalars, and columns of many rows as arrays.
//
// A parameter's type is fixed by a cast in the statement's text ($1::bigint[]), so the call names the same type here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
