// Objects of JSON described once: each field's name, place in a C++ value, bounds and one line of help. The description reads a
// request, writes a reply and draws the schema of both, so that none of the three can say something else than the others.
//
//   constexpr std::array kLeaseFields{
//       field<&LeaseRef::job>("id", "The job.").required(),
//       field<&LeaseRef::fence>("fence").required(),
//   };
//   constexpr Object<LeaseRef> kLease{"Lease", "", kLeaseFields};
//
// field<> goes both ways, given<> is of requests only, shown<> of replies only. A type is read, written and drawn by the
// functions read_value, write_value and draw_value that are found for it: those of plain types are in codec/values.h, and an
// object that is part of others says which description is its own: `const Object<LeaseRef>& object_of(Of<LeaseRef>) { return
// kLease; }`.
//
// A field costs one call through a pointer; the table is walked, nothing is built.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fronts/http/json/reader.h"
#include "fronts/http/json/writer.h"

namespace muster::http {

template <class T>
struct Of {};

// `judged`: what is missing is refused further in, in better words.
enum class Need : std::uint8_t { optional, required, judged };

// What is accepted. The reader refuses what is outside of `within`; what is only `judged` is refused further in, by those who
// know why.
struct Range {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  bool enforced = false;
};

// --- schemas -------------------------------------------------------------------------------------------------------

// Who sends it: a client must give what is required, a server always gives what is never left out.
enum class Sent : std::uint8_t { by_client = 1, by_server = 2, by_both = 3 };
constexpr Sent operator|(Sent a, Sent b) { return static_cast<Sent>(static_cast<int>(a) | static_cast<int>(b)); }

class Schemas;
using Draw = void (*)(Schemas& out);

// The part of the document that is being drawn, and the named objects that were referred to so far. A draw function adds the
// members of a schema to an object that was begun.
class Schemas {
 public:
  struct Named {
    Draw draw = nullptr;
    std::string_view example;
    Sent sent = Sent::by_client;
  };

  explicit Schemas(std::string& text) : json(text) {}
  Sent sent() const { return sent_; }
  void set_sent(Sent sent) { sent_ = sent; }
  // A reference instead of the object itself.
  void refer(std::string_view name, Draw draw, std::string_view example = {});
  const std::map<std::string, Named>& named() const { return named_; }
  void add(const Schemas& other);  // what that one referred to

  JsonWriter json;

 private:
  Sent sent_ = Sent::by_client;
  std::map<std::string, Named> named_;
};

// What a field's schema says besides its type.
struct Caption {
  std::string_view name;  // _ms at its end: milliseconds
  std::string_view doc;
  Range range;
};
void draw_caption(Schemas& out, const Caption& caption);

// --- fields --------------------------------------------------------------------------------------------------------

// A function, or none. Whether there is one is known to the compiler under UBSan too, where GCC holds it possible that the
// address of an instantiated template is null.
template <class Signature>
struct Hook;
template <class... Args>
struct Hook<void(Args...)> {
  void (*call)(Args...) = nullptr;
  bool set = false;

  constexpr Hook() = default;
  template <class Function>
  constexpr Hook(Function function) : call(function), set(true) {}
  void operator()(Args... args) const { call(std::forward<Args>(args)...); }
};

template <class T>
struct Field {
  std::string_view name;
  std::string_view doc;
  Hook<void(JsonReader& in, T& out, const Range& range)> read{};               // none: only in replies
  Hook<void(JsonWriter& out, std::string_view name, const T& value)> write{};  // none: only in requests
  void (*draw)(Schemas& out) = nullptr;                                        // null: not in the document
  Range range{};
  Need need = Need::optional;
  bool always = false;       // in a reply
  bool alternative = false;  // to the field before it: both of them are too many

  constexpr Field required() const {
    Field out = *this;
    out.need = Need::required;
    return out;
  }
  constexpr Field within(double least, double most) const {
    Field out = *this;
    out.range = {least, most, true};
    return out;
  }
  constexpr Field judged(double least, double most = std::numeric_limits<double>::max()) const {
    Field out = *this;
    out.range = {least, most, false};
    return out;
  }
  // Another way to write it; it may be left out.
  constexpr Field written(void (*how)(JsonWriter&, std::string_view, const T&)) const {
    Field out = *this;
    out.write = how;
    out.always = false;
    return out;
  }
};

template <class T>
struct Object {
  std::string_view name;  // in the document; empty: drawn where it stands
  std::string_view doc;
  std::span<const Field<T>> fields;
  std::string_view example{};  // JSON; %Name% stands for the example of another object
};

// --- reaching a member, through members, pointers and optionals ----------------------------------------------------

template <auto... Path>
struct RootOf;
template <class C, class M, M C::*First, auto... Rest>
struct RootOf<First, Rest...> {
  using type = C;
};
template <auto... Path>
using Root = typename RootOf<Path...>::type;

template <class M>
struct IsOptional : std::false_type {};
template <class M>
struct IsOptional<std::optional<M>> : std::true_type {};

template <auto First, auto... Rest>
constexpr auto& reach(auto& object) {
  auto& member = object.*First;
  if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(member)>> || requires { member.get(); }) {
    if constexpr (sizeof...(Rest) == 0)
      return *member;
    else
      return reach<Rest...>(*member);
  } else if constexpr (sizeof...(Rest) == 0) {
    return member;
  } else {
    return reach<Rest...>(member);
  }
}
template <auto... Path>
using Reached = std::remove_cvref_t<decltype(reach<Path...>(std::declval<Root<Path...>&>()))>;

// Nothing to say: an empty text or list, a zero, a default.
template <class M>
bool is_blank(const M& value) {
  if constexpr (requires { value.empty(); })
    return value.empty();
  else
    return value == M{};
}

// Optionals are read into their inside and left out when they are empty.
template <class M>
void read_value(JsonReader& in, std::optional<M>& out, const Range& range) {
  read_value(in, out.emplace(), range);
}
template <class M>
void draw_value(Schemas& out, Of<std::optional<M>>) {
  draw_value(out, Of<M>{});
}

template <auto... Path>
void read_member(JsonReader& in, Root<Path...>& out, const Range& range) {
  read_value(in, reach<Path...>(out), range);
}
template <auto... Path>
void write_member(JsonWriter& out, std::string_view name, const Root<Path...>& value) {
  const auto& member = reach<Path...>(value);
  if constexpr (IsOptional<Reached<Path...>>::value) {
    if (!member) return;
    out.plain_key(name);
    write_value(out, *member);
  } else {
    out.plain_key(name);
    write_value(out, member);
  }
}
template <auto... Path>
void write_member_unless_blank(JsonWriter& out, std::string_view name, const Root<Path...>& value) {
  const auto& member = reach<Path...>(value);
  if (is_blank(member)) return;
  out.plain_key(name);
  write_value(out, member);
}
template <auto... Path>
void draw_member(Schemas& out) {
  draw_value(out, Of<Reached<Path...>>{});
}

// Of a type, whoever has it; lengths of time and fences are never negative, for example.
template <class M>
inline constexpr Range kUsualRange{};
template <class M>
inline constexpr Range kUsualRange<std::optional<M>> = kUsualRange<M>;

template <auto... Path>
constexpr auto given(std::string_view name, std::string_view doc = {}) {
  return Field<Root<Path...>>{.name = name,
                              .doc = doc,
                              .read = read_member<Path...>,
                              .draw = draw_member<Path...>,
                              .range = kUsualRange<Reached<Path...>>};
}
template <auto... Path>
constexpr auto shown(std::string_view name, std::string_view doc = {}) {
  return Field<Root<Path...>>{.name = name,
                              .doc = doc,
                              .write = write_member<Path...>,
                              .draw = draw_member<Path...>,
                              .range = kUsualRange<Reached<Path...>>,
                              .always = !IsOptional<Reached<Path...>>::value};
}
template <auto... Path>
constexpr auto shown_unless_blank(std::string_view name, std::string_view doc = {}) {
  auto out = shown<Path...>(name, doc);
  out.write = write_member_unless_blank<Path...>;
  out.always = false;
  return out;
}
template <auto... Path>
constexpr auto field(std::string_view name, std::string_view doc = {}) {
  auto out = shown<Path...>(name, doc);
  out.read = read_member<Path...>;
  return out;
}
template <auto... Path>
constexpr auto field_unless_blank(std::string_view name, std::string_view doc = {}) {
  auto out = shown_unless_blank<Path...>(name, doc);
  out.read = read_member<Path...>;
  return out;
}

// --- tables made of tables -----------------------------------------------------------------------------------------

template <const auto& kTable, std::size_t I, auto... Path>
constexpr auto lifted() {
  using T = Root<Path...>;
  constexpr auto& kField = kTable[I];
  using M = Reached<Path...>;
  Field<T> out{.name = kField.name,
               .doc = kField.doc,
               .draw = kField.draw,
               .range = kField.range,
               .need = kField.need,
               .always = kField.always,
               .alternative = kField.alternative};
  // What stands behind a pointer is shown and not changed.
  constexpr bool kFixed = std::is_const_v<std::remove_reference_t<decltype(reach<Path...>(std::declval<T&>()))>>;
  if constexpr (IsOptional<M>::value) {
    out.always = false;
    if constexpr (kField.read.set)
      out.read = [](JsonReader& in, T& whole, const Range& range) { kTable[I].read(in, *reach<Path...>(whole), range); };
    if constexpr (kField.write.set)
      out.write = [](JsonWriter& json, std::string_view name, const T& whole) {
        if (reach<Path...>(whole)) kTable[I].write(json, name, *reach<Path...>(whole));
      };
  } else {
    if constexpr (kField.read.set && !kFixed)
      out.read = [](JsonReader& in, T& whole, const Range& range) { kTable[I].read(in, reach<Path...>(whole), range); };
    if constexpr (kField.write.set)
      out.write = [](JsonWriter& json, std::string_view name, const T& whole) {
        kTable[I].write(json, name, reach<Path...>(whole));
      };
  }
  return out;
}

// The fields of a member, as fields of the whole. Those of an optional are there while it is.
template <const auto& kTable, auto... Path>
constexpr auto fields_of() {
  return []<std::size_t... I>(std::index_sequence<I...>) { return std::array{lifted<kTable, I, Path...>()...}; }
  (std::make_index_sequence<kTable.size()>{});
}

template <class T, std::size_t... N>
constexpr auto joined(const std::array<Field<T>, N>&... tables) {
  static_assert((N + ...) <= 64, "the fields seen are kept as bits");
  std::array<Field<T>, (N + ...)> all{};
  std::size_t at = 0;
  const auto append = [&](const auto& table) {
    for (const Field<T>& each : table) all[at++] = each;
  };
  (append(tables), ...);
  return all;
}

// --- reading and writing -------------------------------------------------------------------------------------------

// "unknown name \"queu\"; did you mean \"queue\"? accepted are …"
std::string unknown_name(std::string_view name, std::span<const std::string_view> accepted);
std::string two_of_one(std::string_view first, std::string_view second);

// Unknown, repeated and missing fields are refused by name; null means absent.
template <class T>
void read_object(JsonReader& in, std::span<const Field<T>> fields, T& out) {
  if (!in.enter_object()) return;
  std::uint64_t seen = 0;
  std::uint64_t given_bits = 0;
  std::string key;
  while (in.next_member(key)) {
    std::size_t at = 0;
    while (at < fields.size() && (fields[at].name != key || !fields[at].read.set)) ++at;
    if (at == fields.size()) {
      std::vector<std::string_view> names;
      for (const Field<T>& each : fields)
        if (each.read.set) names.push_back(each.name);
      return in.refuse(unknown_name(key, names));
    }
    const FieldScope scope(in, fields[at].name);
    const std::uint64_t bit = std::uint64_t{1} << at;
    if ((seen & bit) != 0) return in.refuse("given twice");
    seen |= bit;
    if (in.read_null()) continue;
    given_bits |= bit;
    fields[at].read(in, out, fields[at].range);
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool is_given = (given_bits >> i & 1) != 0;
    if (is_given && fields[i].alternative && (given_bits >> (i - 1) & 1) != 0)
      in.refuse(two_of_one(fields[i - 1].name, fields[i].name));
    if (is_given || fields[i].need != Need::required) continue;
    const FieldScope scope(in, fields[i].name);
    in.refuse("required, and missing");
  }
}

template <class T>
void read_object(JsonReader& in, const Object<T>& object, T& out) {
  read_object(in, object.fields, out);
}

// A whole body: one object, and nothing after it.
template <class T>
Result<T> read_body(std::string_view body, const Object<T>& object, T initial = {}) {
  JsonReader in(body);
  read_object(in, object.fields, initial);
  in.finish();
  if (!in.ok()) return in.status();
  return initial;
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

template <class T>
void write_object(JsonWriter& out, const Object<T>& object, const T& value) {
  out.begin_object();
  for (const Field<T>& each : object.fields)
    if (each.write.set) each.write(out, each.name, value);
  out.end_object();
}

// --- drawing -------------------------------------------------------------------------------------------------------

template <class T>
void draw_members(Schemas& out, const Object<T>& object) {
  out.json.member("type", "object");
  if (!object.doc.empty()) out.json.member("description", object.doc);
  out.json.key("properties");
  out.json.begin_object();
  for (const Field<T>& each : object.fields) {
    if (each.draw == nullptr || (!each.read.set && out.sent() == Sent::by_client)) continue;
    if (!each.write.set && out.sent() == Sent::by_server && each.read.set) continue;
    out.json.key(each.name);
    out.json.begin_object();
    each.draw(out);
    draw_caption(out, {.name = each.name, .doc = each.doc, .range = each.range});
    out.json.end_object();
  }
  out.json.end_object();
  bool any = false;
  for (const Field<T>& each : object.fields) {
    if (each.draw == nullptr) continue;
    if (!(out.sent() == Sent::by_server ? each.always : each.need != Need::optional)) continue;
    if (!std::exchange(any, true)) out.json.key("required"), out.json.begin_array();
    out.json.string(each.name);
  }
  if (any) out.json.end_array();
  out.json.member("additionalProperties", false);
}

// The object itself, or a reference to it when it has a name.
template <const auto& kObject>
void draw_object(Schemas& out) {
  if constexpr (kObject.name.empty())
    draw_members(out, kObject);
  else
    out.refer(
        kObject.name, [](Schemas& inside) { draw_members(inside, kObject); }, kObject.example);
}

// --- objects inside objects, and lists -----------------------------------------------------------------------------

template <class T>
concept Described = requires {
  object_of(Of<T>{});
};

template <Described T>
void read_value(JsonReader& in, T& out, const Range&) {
  read_object(in, object_of(Of<T>{}), out);
}
template <Described T>
void write_value(JsonWriter& out, const T& value) {
  write_object(out, object_of(Of<T>{}), value);
}
template <Described T>
void draw_value(Schemas& out, Of<T>) {
  const Object<T>& object = object_of(Of<T>{});
  if (object.name.empty()) return draw_members(out, object);
  out.refer(
      object.name, [](Schemas& inside) { draw_members(inside, object_of(Of<T>{})); }, object.example);
}

// A whole reply.
template <Described T>
void write(JsonWriter& out, const T& value) {
  write_object(out, object_of(Of<T>{}), value);
}

template <class T>
void read_value(JsonReader& in, std::vector<T>& out, const Range& range) {
  out.clear();
  read_array(in, [&](JsonReader& element) { read_value(element, out.emplace_back(), range); });
}
template <class T>
void write_value(JsonWriter& out, const std::vector<T>& values) {
  out.begin_array();
  for (const T& value : values) write_value(out, value);
  out.end_array();
}
template <class T>
void draw_value(Schemas& out, Of<std::vector<T>>) {
  out.json.member("type", "array");
  out.json.key("items");
  out.json.begin_object();
  draw_value(out, Of<T>{});
  out.json.end_object();
}

}  // namespace muster::http
