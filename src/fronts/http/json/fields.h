// An object's fields as a table: name, how to read it, whether it must be there. Unknown, repeated and missing fields are refused
// by name; null means absent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fronts/http/json/reader.h"

namespace muster::http {

enum class Need : std::uint8_t { optional, required };

template <class T>
struct Field {
  std::string_view name;
  void (*read)(JsonReader& in, T& out);
  Need need = Need::optional;
};

// "unknown name \"queu\"; did you mean \"queue\"? accepted are …"
std::string unknown_name(std::string_view name, std::span<const std::string_view> accepted);

template <class T, std::size_t N>
void read_object(JsonReader& in, const std::array<Field<T>, N>& fields, T& out) {
  static_assert(N <= 64, "the fields seen are kept as bits");
  if (!in.enter_object()) return;
  std::uint64_t seen = 0;
  std::uint64_t given = 0;
  std::string key;
  while (in.next_member(key)) {
    std::size_t at = 0;
    while (at < N && fields[at].name != key) ++at;
    if (at == N) {
      std::array<std::string_view, N> names;
      for (std::size_t i = 0; i < N; ++i) names[i] = fields[i].name;
      return in.refuse(unknown_name(key, names));
    }
    const FieldScope scope(in, fields[at].name);
    const std::uint64_t bit = std::uint64_t{1} << at;
    if ((seen & bit) != 0) return in.refuse("given twice");
    seen |= bit;
    if (in.read_null()) continue;
    given |= bit;
    fields[at].read(in, out);
  }
  for (std::size_t i = 0; i < N; ++i) {
    if (fields[i].need == Need::optional || (given & (std::uint64_t{1} << i)) != 0) continue;
    const FieldScope scope(in, fields[i].name);
    in.refuse("required, and missing");
  }
}

// Calls `read_one` for each element, with its index named in errors.
template <class ReadOne>
void read_array(JsonReader& in, ReadOne read_one) {
  if (!in.enter_array()) return;
  for (std::size_t index = 0; in.next_element(); ++index) {
    const FieldScope scope(in, index);
    read_one(in);
  }
}

// A whole body: one object, and nothing after it.
template <class T, std::size_t N>
Result<T> read_body(std::string_view body, const std::array<Field<T>, N>& fields, T initial = {}) {
  JsonReader in(body);
  read_object(in, fields, initial);
  in.finish();
  if (!in.ok()) return in.status();
  return initial;
}

}  // namespace muster::http
