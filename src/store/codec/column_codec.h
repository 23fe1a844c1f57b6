// Rows column by column, in both directions: ColumnsIn reads them from a row of either store (integer(), real(), text(), view()
// and is_null() of a column); ColumnsOut hands them to a Sink: null(), flag(bool), integer(int64), real(double),
// text(string_view) of what the value itself holds, made(string) of what had to be written out.
//
// Names are text, and so are enumerators, UUIDs and lists (as JSON); instants and durations are milliseconds; a job is its key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/uuid.h"
#include "store/codec/agent_texts.h"
#include "store/codec/id_codec.h"

namespace muster::store {

template <class T>
inline constexpr bool kIsUuid = std::is_same_v<T, Uuid>;
template <class Tag>
inline constexpr bool kIsUuid<UuidOf<Tag>> = true;
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T>
inline constexpr bool kMayBeNull = false;
template <class T>
inline constexpr bool kMayBeNull<std::optional<T>> = true;

template <class Row>
class ColumnsIn {
 public:
  ColumnsIn(const Row& row, int first, const IdCodec& ids) : row_(row), next_(first), ids_(ids) {}

  template <class... Values>
  ColumnsIn& operator()(Values&... values) {
    (one(values, next_++), ...);
    return *this;
  }

 private:
  template <class T>
  void one(T& value, int column) const {
    if constexpr (kMayBeNull<T>) {
      value.reset();
      if (!row_.is_null(column)) one(value.emplace(), column);
    } else if constexpr (std::is_same_v<T, JobId>) {
      value = ids_.encode(row_.integer(column));
    } else if constexpr (std::is_same_v<T, bool>) {
      value = row_.integer(column) != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = named_as<T>(row_.view(column));
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(row_.integer(column));
    } else if constexpr (std::is_floating_point_v<T>) {
      value = row_.real(column);
    } else if constexpr (std::is_same_v<T, Instant>) {
      value = from_ms(row_.integer(column));
    } else if constexpr (std::is_same_v<T, Duration>) {
      value = Duration(row_.integer(column));
    } else if constexpr (kIsUuid<T>) {
      value = T{Uuid::parse(row_.view(column)).value_or(Uuid())};
    } else if constexpr (kIsList<T>) {
      list_from_text(row_.view(column), value);
    } else {
      value = T(row_.text(column));
    }
  }

  const Row& row_;
  int next_;
  const IdCodec& ids_;
};

// Without `ids` a job is its id as text: for whoever compares values and writes no row.
template <class Sink>
class ColumnsOut {
 public:
  ColumnsOut(Sink& sink, const IdCodec* ids) : sink_(sink), ids_(ids) {}

  template <class... Values>
  ColumnsOut& operator()(const Values&... values) {
    (one(values), ...);
    return *this;
  }

 private:
  template <class T>
  void one(const T& value) {
    if constexpr (kMayBeNull<T>) {
      value ? one(*value) : (void)sink_.null();
    } else if constexpr (std::is_same_v<T, JobId>) {
      const auto key = ids_ != nullptr ? ids_->decode(value) : std::nullopt;
      if (ids_ == nullptr)
        sink_.made(value.text());
      else
        key ? (void)sink_.integer(*key) : (void)sink_.null();
    } else if constexpr (std::is_same_v<T, bool>) {
      sink_.flag(value);
    } else if constexpr (std::is_enum_v<T>) {
      sink_.text(to_string(value));
    } else if constexpr (std::is_integral_v<T>) {
      sink_.integer(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      sink_.real(value);
    } else if constexpr (std::is_same_v<T, Instant>) {
      sink_.integer(to_ms(value));
    } else if constexpr (std::is_same_v<T, Duration>) {
      sink_.integer(std::int64_t{value.count()});
    } else if constexpr (std::is_same_v<T, std::string>) {
      sink_.text(value);
    } else if constexpr (kIsUuid<T>) {
      sink_.made(value.text());
    } else if constexpr (kIsList<T>) {
      sink_.made(list_to_text(value));
    } else {
      sink_.text(value.text());
    }
  }

  Sink& sink_;
  const IdCodec* ids_;
};

}  // namespace muster::store
