#include "store/postgres/wire/params.h"

#include <bit>
#include <cstring>

#include "base/check.h"

namespace muster::store::postgres {
namespace {

template <class T>
void put(std::string& into, T value) {
  char bytes[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[i] = static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * (sizeof(T) - 1 - i))) & 0xFF);
  into.append(bytes, sizeof(T));
}

template <class T>
void overwrite(std::string& in, std::size_t at, T value) {
  std::string bytes;
  put(bytes, value);
  std::memcpy(in.data() + at, bytes.data(), sizeof(T));
}

// ndim, has_null, element type, length, lower bound: four bytes each.
constexpr std::size_t kHeaderBytes = 20;
constexpr std::size_t kEmptyHeaderBytes = 12;  // an array without elements has no dimension
constexpr std::int32_t kNullLength = -1;

}  // namespace

void put_int2(std::string& into, std::int16_t value) { put(into, value); }
void put_int4(std::string& into, std::int32_t value) { put(into, value); }
void put_int8(std::string& into, std::int64_t value) { put(into, value); }

Column::Column(Type type) : type_(type), bytes_(kHeaderBytes, '\0') {}

Column& Column::add(std::int64_t value) {
  switch (type_) {
    case Type::boolean:
      put(bytes_, std::int32_t{1});
      bytes_.push_back(value != 0 ? 1 : 0);
      break;
    case Type::int2:
      put(bytes_, std::int32_t{2});
      put(bytes_, static_cast<std::int16_t>(value));
      break;
    case Type::int4:
      put(bytes_, std::int32_t{4});
      put(bytes_, static_cast<std::int32_t>(value));
      break;
    case Type::int8:
      put(bytes_, std::int32_t{8});
      put(bytes_, value);
      break;
    case Type::bytes:
    case Type::text:
    case Type::float8: check(false, "a number goes into a column of whole numbers");
  }
  ++count_;
  return *this;
}

Column& Column::add_real(double value) {
  check(type_ == Type::float8, "a real number goes into a column of real numbers");
  put(bytes_, std::int32_t{8});
  put(bytes_, std::bit_cast<std::int64_t>(value));
  ++count_;
  return *this;
}

Column& Column::add(std::string_view value) {
  put(bytes_, static_cast<std::int32_t>(value.size()));
  bytes_.append(value);
  ++count_;
  return *this;
}

Column& Column::add_null() {
  put(bytes_, kNullLength);
  has_null_ = true;
  ++count_;
  return *this;
}

std::string Column::take() {
  overwrite(bytes_, 0, std::int32_t{count_ == 0 ? 0 : 1});
  overwrite(bytes_, 4, std::int32_t{has_null_ ? 1 : 0});
  overwrite(bytes_, 8, static_cast<std::int32_t>(type_));
  overwrite(bytes_, 12, count_);
  overwrite(bytes_, 16, std::int32_t{1});
  if (count_ == 0) bytes_.resize(kEmptyHeaderBytes);
  return std::move(bytes_);
}

Params Table::params() {
  Params params;
  for (Column& column : columns_) params.array(std::move(column));
  return params;
}

Params& Params::int8(std::int64_t value) {
  put(values_.emplace_back(std::in_place).value(), value);
  return *this;
}

Params& Params::int4(std::int64_t value) {
  put(values_.emplace_back(std::in_place).value(), static_cast<std::int32_t>(value));
  return *this;
}

Params& Params::int2(std::int64_t value) {
  put(values_.emplace_back(std::in_place).value(), static_cast<std::int16_t>(value));
  return *this;
}

Params& Params::boolean(bool value) {
  values_.emplace_back(std::string(1, value ? 1 : 0));
  return *this;
}

Params& Params::float8(double value) {
  put(values_.emplace_back(std::in_place).value(), std::bit_cast<std::int64_t>(value));
  return *this;
}

Params& Params::text(std::string_view value) {
  values_.emplace_back(std::string(value));
  return *this;
}

Params& Params::null() {
  values_.emplace_back(std::nullopt);
  return *this;
}

Params& Params::array(Column column) {
  values_.emplace_back(column.take());
  return *this;
}

Params& Params::int8s(const std::vector<std::int64_t>& values) {
  Column column(Type::int8);
  for (const std::int64_t value : values) column.add(value);
  return array(std::move(column));
}

Params& Params::int4s(const std::vector<std::int32_t>& values) {
  Column column(Type::int4);
  for (const std::int32_t value : values) column.add(std::int64_t{value});
  return array(std::move(column));
}

std::size_t Params::bytes_total() const {
  std::size_t total = 0;
  for (const auto& value : values_) total += value ? value->size() : 0;
  return total;
}

}  // namespace muster::store::postgres
