// Texts: a key that holds one value of bytes, which may be a number.
#include "store/keyspace/families.h"

namespace muster::store::keyspace {
namespace {

constexpr const char* kNotAnInteger = "value is not an integer or out of range";
constexpr const char* kOverflow = "increment or decrement would overflow";

// The key's text changes and its expiry stays.
void replace(Stage& stage, const std::string& key, const Look& text, std::string_view value) {
  stage.set_text(key, text.head, value, text.head ? text.head->expires_at : std::nullopt);
}

std::string value_of(Stage& stage, const Look& text) { return text.head ? stage.rows.text(*text.head) : std::string(); }

}  // namespace

KeyAnswer apply(Stage& stage, const key::Get& c) {
  const Look text = stage.look(c.key, KeyType::text);
  if (text.wrong) return wrong_type();
  return text.head ? KeyAnswer::bytes(stage.rows.text(*text.head)) : KeyAnswer::none();
}

KeyAnswer apply(Stage& stage, const key::GetMany& c) {
  Gathered out;
  for (const std::string& key : c.keys) {
    const Look text = stage.look(key, KeyType::text);
    if (!out.add(text.head ? KeyAnswer::bytes(stage.rows.text(*text.head)) : KeyAnswer::none())) return refuse_answer();
  }
  return out.take();
}

KeyAnswer apply(Stage& stage, const key::Set& c) {
  if (auto refused = refuse_value(c.value.size())) return *refused;
  std::optional<Instant> expires_at;
  if (c.expires_at) {
    expires_at = stage.instant(*c.expires_at, c.relative);
    if (!expires_at) return KeyAnswer::refuse("invalid expire time");
  }
  const auto found = stage.find_to_write(c.key);
  if (c.answer_old && found && found->type != KeyType::text) return wrong_type();
  KeyAnswer old = c.answer_old && found ? KeyAnswer::bytes(stage.rows.text(*found)) : KeyAnswer::none();
  if (c.when == key::SetWhen::if_missing && found) return old;
  if (c.when == key::SetWhen::if_present && !found) return old;
  if (c.keep_expiry && found) expires_at = found->expires_at;
  if (expires_at && *expires_at <= stage.now) {
    if (found) stage.remove(c.key, *found);
  } else {
    stage.set_text(c.key, found, c.value, expires_at);
  }
  return c.answer_old ? old : KeyAnswer::ok();
}

KeyAnswer apply(Stage& stage, const key::SetMany& c) {
  for (const KeyPair& pair : c.pairs)
    if (auto refused = refuse_value(pair.second.size())) return *refused;
  if (c.only_if_all_missing) {
    for (const KeyPair& pair : c.pairs)
      if (stage.find(pair.first)) return KeyAnswer::count(0);
  }
  for (const KeyPair& pair : c.pairs) stage.set_text(pair.first, stage.find_to_write(pair.first), pair.second, std::nullopt);
  return c.only_if_all_missing ? KeyAnswer::count(1) : KeyAnswer::ok();
}

KeyAnswer apply(Stage& stage, const key::GetDelete& c) {
  const Look text = stage.look_to_write(c.key, KeyType::text);
  if (text.wrong) return wrong_type();
  if (!text.head) return KeyAnswer::none();
  KeyAnswer out = KeyAnswer::bytes(stage.rows.text(*text.head));
  stage.remove(c.key, *text.head);
  return out;
}

KeyAnswer apply(Stage& stage, const key::GetExpire& c) {
  std::optional<Instant> expires_at;
  if (c.expires_at) {
    expires_at = stage.instant(*c.expires_at, c.relative);
    if (!expires_at) return KeyAnswer::refuse("invalid expire time");
  }
  Look text = stage.look_to_write(c.key, KeyType::text);
  if (text.wrong) return wrong_type();
  if (!text.head) return KeyAnswer::none();
  KeyAnswer out = KeyAnswer::bytes(stage.rows.text(*text.head));
  if (expires_at && *expires_at <= stage.now) {
    stage.remove(c.key, *text.head);
  } else if (expires_at || c.persist) {
    text.head->expires_at = expires_at;
    stage.save_expiry(c.key, *text.head);
  }
  return out;
}

KeyAnswer apply(Stage& stage, const key::Append& c) {
  const Look text = stage.look_to_write(c.key, KeyType::text);
  if (text.wrong) return wrong_type();
  std::string value = value_of(stage, text);
  if (auto refused = refuse_value(value.size() + c.value.size())) return *refused;
  value += c.value;
  replace(stage, c.key, text, value);
  return KeyAnswer::count(static_cast<std::int64_t>(value.size()));
}

KeyAnswer apply(Stage& stage, const key::Length& c) {
  const Look text = stage.look(c.key, KeyType::text);
  if (text.wrong) return wrong_type();
  return KeyAnswer::count(static_cast<std::int64_t>(value_of(stage, text).size()));
}

KeyAnswer apply(Stage& stage, const key::GetRange& c) {
  const Look text = stage.look(c.key, KeyType::text);
  if (text.wrong) return wrong_type();
  const std::string value = value_of(stage, text);
  const auto part = slice(c.start, c.stop, value.size());
  return KeyAnswer::bytes(part ? value.substr(part->first, part->count) : std::string());
}

KeyAnswer apply(Stage& stage, const key::SetRange& c) {
  const Look text = stage.look_to_write(c.key, KeyType::text);
  if (text.wrong) return wrong_type();
  std::string value = value_of(stage, text);
  if (c.value.empty()) return KeyAnswer::count(static_cast<std::int64_t>(value.size()));
  if (c.offset > Bounds::kValueBytesMax) return *refuse_value(std::max<std::size_t>(c.offset, Bounds::kValueBytesMax + 1));
  const std::size_t end = static_cast<std::size_t>(c.offset) + c.value.size();
  if (auto refused = refuse_value(end)) return *refused;
  if (value.size() < end) value.resize(end, '\0');
  value.replace(static_cast<std::size_t>(c.offset), c.value.size(), c.value);
  replace(stage, c.key, text, value);
  return KeyAnswer::count(static_cast<std::int64_t>(value.size()));
}

KeyAnswer apply(Stage& stage, const key::Increment& c) {
  const Look text = stage.look_to_write(c.key, KeyType::text);
  if (text.wrong) return wrong_type();
  const auto before = text.head ? exact_integer(stage.rows.text(*text.head)) : std::optional<std::int64_t>(0);
  if (!before) return KeyAnswer::refuse(kNotAnInteger);
  const auto after = sum(*before, c.by);
  if (!after) return KeyAnswer::refuse(kOverflow);
  replace(stage, c.key, text, std::to_string(*after));
  return KeyAnswer::count(*after);
}

KeyAnswer apply(Stage& stage, const key::IncrementReal& c) {
  const Look text = stage.look_to_write(c.key, KeyType::text);
  if (text.wrong) return wrong_type();
  RealSum after = add_real(text.head ? stage.rows.text(*text.head) : "0", c.by);
  if (after.fault == RealSum::Fault::not_a_number) return KeyAnswer::refuse("value is not a valid float");
  if (after.fault == RealSum::Fault::not_finite) return KeyAnswer::refuse("increment would produce NaN or Infinity");
  replace(stage, c.key, text, after.text);
  return KeyAnswer::bytes(std::move(after.text));
}

}  // namespace muster::store::keyspace
