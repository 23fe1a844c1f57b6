// Private to the codec: each object described once, as a table of its fields. The table reads a reply and writes a request.
//
// Reading takes absent fields as empty values and passes over unknown ones (a newer server); a field of the wrong type, or one
// that must be there and is not, throws nlohmann's exception, which decoded() turns into bad_reply. Writing leaves out what is
// empty, so that the server's defaults apply; numbers and flags are always said. Nothing throws out of this library.
#pragma once

#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sdk/cpp/codec.h"

namespace muster::sdk::fields {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kShownBytes = 80;  // of a text that could not be read

Error bad_reply(std::string_view text, std::string_view why);
Error not_accepted(std::string detail);  // invalid_argument, found before anything was sent

const Json* find(const Json& object, const char* key);  // null: absent, or JSON's null
// Text that is not UTF-8 is replaced instead of throwing; the server then judges the value.
std::string text_of(const Json& json);

// An object that is being written, and the first thing that kept it from being one.
struct Writing {
  Json json = Json::object();
  std::optional<Error> error;

  void fail(std::string detail) {
    if (!error) error = not_accepted(std::move(detail));
  }
};

template <class T>
struct Field {
  const char* name;
  void (*read)(const Json& object, const char* name, T& out) = nullptr;     // null: only in requests
  void (*write)(Writing& out, const char* name, const T& value) = nullptr;  // null: only in replies
  bool required = false;                                                    // in a reply

  constexpr Field must() const {
    Field out = *this;
    out.required = true;
    return out;
  }
};
template <class T>
using Fields = std::span<const Field<T>>;

// The table of each object: `template <> constexpr auto kFields<Queue> = std::array{field<&Queue::name>("name"), …};`
template <class T>
constexpr auto kFields = nullptr;
template <class T>
concept Described = !std::is_null_pointer_v<std::remove_const_t<decltype(kFields<T>)>>;

template <class T>
void read_fields(const Json& object, Fields<T> fields, T& out) {
  for (const Field<T>& field : fields) {
    if (field.required) static_cast<void>(object.at(field.name));
    if (field.read != nullptr) field.read(object, field.name, out);
  }
}
template <class T>
void write_fields(Writing& out, Fields<T> fields, const T& value) {
  for (const Field<T>& field : fields)
    if (field.write != nullptr) field.write(out, field.name, value);
}

// --- values --------------------------------------------------------------------------------------------------------

inline void get(const Json& json, std::string& out) { out = json.get<std::string>(); }
inline void get(const Json& json, Duration& out) { out = Duration(json.get<std::int64_t>()); }
inline void get(const Json& json, Instant& out) { out = parse_instant(json.get<std::string>()).value_or(Instant{}); }
inline void get(const Json& json, std::optional<Instant>& out) { out = parse_instant(json.get<std::string>()); }
template <class Number>
requires std::is_arithmetic_v<Number>
void get(const Json& json, Number& out) { out = json.get<Number>(); }
template <Described T>
void get(const Json& json, T& out) {
  read_fields(json, Fields<T>(kFields<T>), out);
}
template <class T>
void get(const Json& json, std::optional<T>& out) {
  get(json, out.emplace());
}
template <class T>
void get(const Json& json, std::vector<T>& out) {
  for (const Json& element : json) get(element, out.emplace_back());
}
template <class V>
void get(const Json& json, std::map<std::string, V>& out) {
  for (const auto& [name, value] : json.items()) get(value, out[name]);
}

inline Json put(Writing&, const std::string& text) { return text; }
inline Json put(Writing&, Duration length) { return length.count(); }
inline Json put(Writing&, Instant at) { return format_instant(at); }
template <class Number>
requires std::is_arithmetic_v<Number> Json put(Writing&, Number number) { return number; }
template <Described T>
Json put(Writing& out, const T& value) {
  Writing inside;
  write_fields(inside, Fields<T>(kFields<T>), value);
  if (inside.error && !out.error) out.error = std::move(inside.error);
  return std::move(inside.json);
}
template <class T>
Json put(Writing& out, const std::optional<T>& value) {
  return put(out, *value);
}
template <class T>
Json put(Writing& out, const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(put(out, value));
  return list;
}
template <class V>
Json put(Writing& out, const std::map<std::string, V>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = put(out, value);
  return object;
}

template <class M>
bool is_empty(const M& value) {
  if constexpr (requires { value.empty(); })
    return value.empty();
  else if constexpr (requires { value.has_value(); })
    return !value.has_value();
  else
    return false;
}

// --- fields --------------------------------------------------------------------------------------------------------

template <auto kMember>
struct Member;
template <class C, class M, M C::*kMember>
struct Member<kMember> {
  using Object = C;
  using Value = M;
};
template <auto kMember>
using ObjectOf = typename Member<kMember>::Object;

template <auto kMember>
void read_member(const Json& object, const char* name, ObjectOf<kMember>& out) {
  if (const Json* value = find(object, name)) get(*value, out.*kMember);
}
template <auto kMember>
void write_member(Writing& out, const char* name, const ObjectOf<kMember>& value) {
  if (!is_empty(value.*kMember)) out.json[name] = put(out, value.*kMember);
}

template <auto kMember>
constexpr auto field(const char* name) {
  return Field<ObjectOf<kMember>>{.name = name, .read = read_member<kMember>, .write = write_member<kMember>};
}
// Only in requests.
template <auto kMember>
constexpr auto asked(const char* name) {
  return Field<ObjectOf<kMember>>{.name = name, .write = write_member<kMember>};
}
// Said even when it is empty.
template <auto kMember>
constexpr auto said(const char* name) {
  using T = ObjectOf<kMember>;
  return Field<T>{.name = name,
                  .write = [](Writing& out, const char* key, const T& value) { out.json[key] = put(out, value.*kMember); }};
}

template <auto kMember>
constexpr auto field_said(const char* name) {
  auto out = said<kMember>(name);
  out.read = read_member<kMember>;
  return out;
}

// `name` holds JSON, `name`_base64 holds bytes.
void read_content(const Json& object, const std::string& name, std::optional<Content>& out);
void write_content(Writing& out, const std::string& name, const std::optional<Content>& content);
template <auto kMember>
constexpr auto content(const char* name) {
  using T = ObjectOf<kMember>;
  return Field<T>{.name = name,
                  .read = [](const Json& object, const char* key, T& out) { read_content(object, key, out.*kMember); },
                  .write = [](Writing& out, const char* key, const T& value) { write_content(out, key, value.*kMember); }};
}

// The object exactly as the server sent it.
template <auto kMember>
constexpr auto document() {
  using T = ObjectOf<kMember>;
  return Field<T>{.name = "", .read = [](const Json& object, const char*, T& out) { out.*kMember = text_of(object); }};
}

// Members that stand in an object of their own on the wire; it is left out when none of them is said.
template <const auto& kTable, class T>
constexpr Field<T> group(const char* name) {
  return {.name = name,
          .read =
              [](const Json& object, const char* key, T& out) {
                if (const Json* inside = find(object, key)) read_fields(*inside, Fields<T>(kTable), out);
              },
          .write =
              [](Writing& out, const char* key, const T& value) {
                Writing inside;
                write_fields(inside, Fields<T>(kTable), value);
                if (!inside.json.empty()) out.json[key] = std::move(inside.json);
              }};
}
// A member whose fields have other names here than elsewhere.
template <auto kMember, const auto& kTable>
constexpr auto member_as(const char* name) {
  using T = ObjectOf<kMember>;
  return Field<T>{.name = name, .write = [](Writing& out, const char* key, const T& value) {
                    if (!(value.*kMember)) return;
                    Writing inside;
                    write_fields(inside, Fields<std::remove_cvref_t<decltype(*(value.*kMember))>>(kTable), *(value.*kMember));
                    out.json[key] = std::move(inside.json);
                  }};
}

// --- whole texts ---------------------------------------------------------------------------------------------------

template <class Read>
auto read_text(std::string_view body, Read read) -> Result<decltype(read(std::declval<const Json&>()))> {
  try {
    const Json json = Json::parse(body);
    if (!json.is_object()) return bad_reply(body, "expected an object");
    return read(json);
  } catch (const Json::exception& e) {
    return bad_reply(body, e.what());
  }
}
template <class T>
Result<T> decoded(std::string_view body) {
  return read_text(body, [](const Json& json) {
    T out;
    get(json, out);
    return out;
  });
}
// The list under `key`; REQUIRES that the reply has it.
template <class T>
Result<std::vector<T>> decoded_list(std::string_view body, const char* key) {
  return read_text(body, [key](const Json& json) {
    std::vector<T> out;
    get(json.at(key), out);
    return out;
  });
}
// Each a value or an error.
Error element_error(const Json& error);
template <class T>
Result<std::vector<Result<T>>> decoded_each(std::string_view body, const char* key) {
  return read_text(body, [key](const Json& json) {
    std::vector<Result<T>> out;
    for (const Json& element : json.at(key)) {
      if (const Json* error = find(element, "error")) {
        out.push_back(element_error(*error));
      } else {
        T value;
        get(element, value);
        out.push_back(std::move(value));
      }
    }
    return out;
  });
}

template <class T>
Result<std::string> encoded(const T& value) {
  Writing out;
  Json json = put(out, value);
  if (out.error) return *std::move(out.error);
  return text_of(json);
}
// Of what holds no content and no text that must be JSON: nothing can be wrong with it.
template <class T>
std::string encoded_plain(const T& value) {
  Writing out;
  return text_of(put(out, value));
}

// --- objects that several sources share -----------------------------------------------------------------------------

template <>
inline constexpr auto kFields<Failure> = std::array{field_said<&Failure::kind>("kind"), field_said<&Failure::message>("message")};
template <>
inline constexpr auto kFields<LeaseRef> = std::array{field_said<&LeaseRef::id>("id"), field_said<&LeaseRef::fence>("fence")};

void write_spec(Writing& out, const JobSpec& spec);  // the members of a job's, for those who add to them
Json put(Writing& out, const JobSpec& spec);

}  // namespace muster::sdk::fields
