// Hashes: named fields in one key, in byte order, ten thousand at most.
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "store/keyspace/families.h"

namespace muster::store::keyspace {
namespace {

constexpr std::size_t kValuesAtOnce = 32;  // each may be as long as a value can be

std::optional<KeyAnswer> refuse_field(const std::string& name, std::size_t value_bytes) {
  if (name.size() > Bounds::kKeyBytesMax)
    return KeyAnswer::refuse(
        fmt::format("Protocol error: Field name too large: {} bytes (max: {})", name.size(), Bounds::kKeyBytesMax));
  if (value_bytes > Bounds::kValueBytesMax)
    return KeyAnswer::refuse(
        fmt::format("Protocol error: Field value too large: {} bytes (max: {})", value_bytes, Bounds::kValueBytesMax));
  return std::nullopt;
}

// How many fields there will be decides before the first is written; which of them are new is only asked near the bound.
std::optional<KeyAnswer> refuse_fields(Stage& stage, const Look& hash, const std::vector<KeyPair>& fields) {
  const auto before = static_cast<std::size_t>(hash.head ? hash.head->count : 0);
  if (before + fields.size() <= Bounds::kFieldsMax) return std::nullopt;
  std::set<std::string_view> added;
  for (const KeyPair& field : fields) added.insert(field.first);
  if (hash.head) {
    const std::vector<std::string_view> names(added.begin(), added.end());
    const auto there = stage.rows.fields_of(*hash.head, names);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (there[i]) added.erase(names[i]);
  }
  if (before + added.size() <= Bounds::kFieldsMax) return std::nullopt;
  return KeyAnswer::refuse(
      fmt::format("Protocol error: Hash field limit exceeded: {} (max: {})", before + added.size(), Bounds::kFieldsMax));
}

// Writes fields that have been judged; says how many are new.
std::int64_t put(Stage& stage, const std::string& key, const Look& hash, const std::vector<KeyPair>& fields) {
  KeyHead head = hash.head ? *hash.head : stage.create(key, KeyType::hash);
  std::map<std::string_view, std::string_view> last;  // of a name that is given twice
  for (const KeyPair& field : fields) last[field.first] = field.second;
  std::vector<FieldView> views;
  for (const auto& [name, value] : last) views.push_back({name, value});
  const std::int64_t added = stage.rows.put_fields(head, views);
  head.count += added;
  stage.save(key, head);
  return added;
}

std::optional<std::string> value_of(Stage& stage, const Look& hash, const std::string& field) {
  return hash.head ? stage.rows.field(*hash.head, field) : std::nullopt;
}

// A whole number, leniently: a plus sign and leading zeros are fine. Otherwise what is wrong with it.
struct ReadNumber {
  std::int64_t value = 0;
  const char* fault = nullptr;
};
ReadNumber read_number(std::string_view text) {
  if (text.empty()) return {0, "cannot parse integer from empty string"};
  const bool below = text.front() == '-';
  const bool signed_twice = text.starts_with("+-");
  if (text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size() || signed_twice)
    return {0, "invalid digit found in string"};
  if (error == std::errc::result_out_of_range)
    return {0, below ? "number too small to fit in target type" : "number too large to fit in target type"};
  return {value, nullptr};
}

}  // namespace

KeyAnswer apply(Stage& stage, const key::HashSet& c) {
  for (const KeyPair& field : c.fields)
    if (auto refused = refuse_field(field.first, field.second.size())) return *refused;
  const Look hash = stage.look_to_write(c.key, KeyType::hash);
  if (hash.wrong) return wrong_type();
  if (c.fields.empty()) return KeyAnswer::count(0);
  if (auto refused = refuse_changes(c.fields.size())) return *refused;
  if (c.only_if_missing && value_of(stage, hash, c.fields.front().first)) return KeyAnswer::count(0);
  if (auto refused = refuse_fields(stage, hash, c.fields)) return *refused;
  const std::int64_t added = put(stage, c.key, hash, c.fields);
  return c.answer_done ? KeyAnswer::ok() : KeyAnswer::count(added);
}

KeyAnswer apply(Stage& stage, const key::HashGet& c) {
  const Look hash = stage.look(c.key, KeyType::hash);
  if (hash.wrong) return wrong_type();
  auto value = value_of(stage, hash, c.field);
  return value ? KeyAnswer::bytes(std::move(*value)) : KeyAnswer::none();
}

KeyAnswer apply(Stage& stage, const key::HashGetMany& c) {
  const Look hash = stage.look(c.key, KeyType::hash);
  if (hash.wrong) return wrong_type();
  if (!hash.head) return KeyAnswer::all(std::vector<KeyAnswer>(c.fields.size()));
  Gathered out;
  bool fits = true;
  ask_in_pieces(c.fields, kValuesAtOnce, [&](const std::vector<std::string_view>& names) {
    for (auto& value : stage.rows.fields_of(*hash.head, names))
      fits = fits && out.add(value ? KeyAnswer::bytes(std::move(*value)) : KeyAnswer::none());
    return fits;
  });
  return fits ? out.take() : refuse_answer();
}

KeyAnswer apply(Stage& stage, const key::HashDelete& c) {
  Look hash = stage.look_to_write(c.key, KeyType::hash);
  if (hash.wrong) return wrong_type();
  if (!hash.head) return KeyAnswer::count(0);
  if (auto refused = refuse_changes(c.fields.size())) return *refused;
  const std::int64_t removed = stage.rows.remove_fields(*hash.head, {c.fields.begin(), c.fields.end()});
  if (removed == 0) return KeyAnswer::count(0);
  hash.head->count -= removed;
  stage.save(c.key, *hash.head);
  return KeyAnswer::count(removed);
}

KeyAnswer apply(Stage& stage, const key::HashAll& c) {
  const Look hash = stage.look(c.key, KeyType::hash);
  if (hash.wrong) return wrong_type();
  if (!hash.head) return KeyAnswer::all({});
  Gathered out;
  bool fits = true;
  walk_fields(stage, *hash.head, [&](KeyPair field) {
    if (c.part != key::HashPart::values) fits = out.add(std::move(field.first));
    if (c.part != key::HashPart::fields) fits = fits && out.add(std::move(field.second));
    return fits;
  });
  return fits ? out.take() : refuse_answer();
}

KeyAnswer apply(Stage& stage, const key::HashExists& c) {
  const Look hash = stage.look(c.key, KeyType::hash);
  if (hash.wrong) return wrong_type();
  return KeyAnswer::count(value_of(stage, hash, c.field).has_value());
}

KeyAnswer apply(Stage& stage, const key::HashLength& c) {
  const Look hash = stage.look(c.key, KeyType::hash);
  if (hash.wrong) return wrong_type();
  return KeyAnswer::count(hash.head ? hash.head->count : 0);
}

KeyAnswer apply(Stage& stage, const key::HashIncrement& c) {
  if (auto refused = refuse_field(c.field, 0)) return *refused;
  const Look hash = stage.look_to_write(c.key, KeyType::hash);
  if (hash.wrong) return wrong_type();
  const auto before = value_of(stage, hash, c.field);
  const ReadNumber number = before ? read_number(*before) : ReadNumber{};
  if (number.fault != nullptr)
    return KeyAnswer::refuse(fmt::format("Protocol error: Hash field is not an integer: {}", number.fault));
  const auto after = sum(number.value, c.by);
  if (!after) return KeyAnswer::refuse("Protocol error: Integer overflow in HINCRBY");
  const std::vector<KeyPair> field{{c.field, std::to_string(*after)}};
  if (auto refused = refuse_fields(stage, hash, field)) return *refused;
  put(stage, c.key, hash, field);
  return KeyAnswer::count(*after);
}

KeyAnswer apply(Stage& stage, const key::HashIncrementReal& c) {
  if (auto refused = refuse_field(c.field, 0)) return *refused;
  const Look hash = stage.look_to_write(c.key, KeyType::hash);
  if (hash.wrong) return wrong_type();
  RealSum after = add_real(value_of(stage, hash, c.field).value_or("0"), c.by);
  if (after.fault == RealSum::Fault::not_a_number) return KeyAnswer::refuse("hash value is not a float");
  if (after.fault == RealSum::Fault::not_finite) return KeyAnswer::refuse("increment would produce NaN or Infinity");
  const std::vector<KeyPair> field{{c.field, after.text}};
  if (auto refused = refuse_fields(stage, hash, field)) return *refused;
  put(stage, c.key, hash, field);
  return KeyAnswer::bytes(std::move(after.text));
}

KeyAnswer apply(Stage& stage, const key::HashScan& c) {
  const Look hash = stage.look(c.key, KeyType::hash);
  if (hash.wrong) return wrong_type();
  return scan_fields(stage, hash, {c.after, c.pattern, c.limit, true});
}

}  // namespace muster::store::keyspace
