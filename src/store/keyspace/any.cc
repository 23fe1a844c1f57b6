// Commands that any type of key understands: being there, being named, running out of time.
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include <fmt/format.h>

#include "base/glob.h"
#include "store/keyspace/families.h"
#include "store/keyspace/keyspace.h"

namespace muster::store::keyspace {
namespace {

bool may_expire(const key::Expire& c, const KeyHead& head, Instant at) {
  switch (c.when) {
    case key::ExpireWhen::always: return true;
    case key::ExpireWhen::if_none: return !head.expires_at;
    case key::ExpireWhen::if_some: return head.expires_at.has_value();
    // Without an expiry the key lives for ever, which is later than anything.
    case key::ExpireWhen::if_later: return head.expires_at && at > *head.expires_at;
    case key::ExpireWhen::if_earlier: return !head.expires_at || at < *head.expires_at;
  }
  return false;
}

// What every match begins with.
std::string_view fixed_part(std::string_view pattern) { return pattern.substr(0, pattern.find_first_of("*?[\\")); }

const char* name_of(KeyType type) {
  switch (type) {
    case KeyType::text: return "string";
    case KeyType::list: return "list";
    case KeyType::hash: return "hash";
    case KeyType::set: return "set";
    case KeyType::scores: return "zset";
  }
  return "none";
}

}  // namespace

KeyAnswer apply(Stage& stage, const key::Delete& c) {
  std::int64_t removed = 0;
  for (const std::string& key : c.keys) {
    const auto head = stage.find_to_write(key);
    if (!head) continue;
    stage.remove(key, *head);
    ++removed;
  }
  return KeyAnswer::count(removed);
}

KeyAnswer apply(Stage& stage, const key::Exists& c) {
  std::int64_t found = 0;
  for (const std::string& key : c.keys) found += stage.find(key).has_value();
  return KeyAnswer::count(found);
}

KeyAnswer apply(Stage& stage, const key::Version& c) {
  const auto head = stage.find(c.key);
  return head ? KeyAnswer::bytes(stage.rows.version(*head)) : KeyAnswer::none();
}

KeyAnswer apply(Stage& stage, const key::TypeOf& c) {
  const auto head = stage.find(c.key);
  return head ? KeyAnswer::bytes(name_of(head->type)) : KeyAnswer::none();
}

KeyAnswer apply(Stage& stage, const key::Expire& c) {
  const auto at = stage.instant(c.at, c.relative);
  if (!at) return KeyAnswer::refuse("invalid expire time");
  auto head = stage.find_to_write(c.key);
  if (!head || !may_expire(c, *head, *at)) return KeyAnswer::count(0);
  if (*at <= stage.now) {
    stage.remove(c.key, *head);
  } else {
    head->expires_at = at;
    stage.save_expiry(c.key, *head);
  }
  return KeyAnswer::count(1);
}

KeyAnswer apply(Stage& stage, const key::Persist& c) {
  auto head = stage.find_to_write(c.key);
  if (!head || !head->expires_at) return KeyAnswer::count(0);
  head->expires_at.reset();
  stage.save_expiry(c.key, *head);
  return KeyAnswer::count(1);
}

KeyAnswer apply(Stage& stage, const key::TimeLeft& c) {
  const auto head = stage.find(c.key);
  if (!head) return KeyAnswer::count(-2);
  if (!head->expires_at) return KeyAnswer::count(-1);
  return KeyAnswer::count(c.absolute ? to_ms(*head->expires_at) : (*head->expires_at - stage.now).count());
}

KeyAnswer apply(Stage& stage, const key::Rename& c) {
  const auto head = stage.find_to_write(c.from);
  if (!head) return KeyAnswer::refuse("no such key");
  if (c.from == c.to) return c.only_if_missing ? KeyAnswer::count(0) : KeyAnswer::ok();
  const auto there = stage.find_to_write(c.to);
  if (there && c.only_if_missing) return KeyAnswer::count(0);
  if (there) stage.remove(c.to, *there);
  stage.rename(c.from, c.to, *head);
  return c.only_if_missing ? KeyAnswer::count(1) : KeyAnswer::ok();
}

// Drawn from the first names in byte order, as many as a page may look at: a lot over all of them would have to walk them all.
KeyAnswer apply(Stage& stage, const key::RandomKey&) {
  auto names = stage.rows.names({}, Bounds::kNamesPageMax);
  if (const auto unnamed = stage.rows.find({})) names.push_back({{}, *unnamed});
  std::erase_if(names, [&stage](const KeyName& name) { return stage.is_over(name.head); });
  if (names.empty()) return KeyAnswer::none();
  return KeyAnswer::bytes(std::move(names[stage.draw(names.size())].name));
}

KeyAnswer apply(Stage& stage, const key::Names& c) {
  if (auto refused = refuse_pattern(c.pattern)) return *refused;
  const std::size_t limit = page_rows(c.limit);
  const std::string_view fixed = fixed_part(c.pattern);
  std::vector<KeyAnswer> out{KeyAnswer::bytes({})};
  const auto take = [&](std::string name, const KeyHead& head) {
    if (stage.is_over(head) || (c.type && head.type != *c.type)) return;
    if (c.pattern.empty() || glob_matches(c.pattern, name)) out.push_back(KeyAnswer::bytes(std::move(name)));
  };
  // Rows are asked for what comes after a name, so the least name that can match is looked up by itself.
  std::string after = c.after;
  if (after < fixed || after.empty()) {
    after = fixed;
    if (const auto least = stage.rows.find(fixed)) take(std::string(fixed), *least);
  }
  auto names = stage.rows.names(after, limit);
  std::size_t bytes = 0;
  for (const KeyName& name : names) bytes += name.name.size();
  const bool more = may_follow(names.size(), limit, bytes) && names.back().name.starts_with(fixed);
  if (more) out.front().text = names.back().name;
  for (KeyName& name : names) take(std::move(name.name), name.head);
  return KeyAnswer::all(std::move(out));
}

KeyAnswer apply(Stage& stage, const key::Count&) { return KeyAnswer::count(stage.rows.count(stage.now, Bounds::kCountedMax)); }

KeyAnswer apply(Stage& stage, const key::Clear&) {
  constexpr std::size_t kSlicesMax = Bounds::kWholeRowsMax / Bounds::kSliceRowsMax;
  for (std::size_t slices = 0; !stage.clear() && !stage.divisible && slices < kSlicesMax; ++slices) continue;
  return KeyAnswer::ok();
}

// A page of a hash or a set: [next, element, …], `next` empty at the end. Cursors are names, so whoever is there during the
// whole walk is met exactly once, however much changes meanwhile.

std::size_t page_rows(std::size_t limit) {
  return std::clamp<std::size_t>(limit == 0 ? Bounds::kNamesPageMax : limit, 1, Bounds::kNamesPageMax);
}

KeyAnswer scan_fields(Stage& stage, const Look& container, const FieldPage& page) {
  if (auto refused = refuse_pattern(page.pattern)) return *refused;
  Gathered out;
  out.add(std::string());
  if (!container.head) return out.take();
  bool fits = true;
  const auto take = [&](KeyPair field) {
    if (!page.pattern.empty() && !glob_matches(page.pattern, field.first)) return;
    fits = fits && out.add(std::move(field.first));
    if (page.with_values) fits = fits && out.add(std::move(field.second));
  };
  // Nothing comes before the empty name, so no cursor leads to it.
  if (page.after.empty())
    if (auto value = stage.rows.field(*container.head, {})) take({{}, std::move(*value)});
  auto fields = stage.rows.fields(*container.head, page.after, page_rows(page.limit));
  std::size_t bytes = 0;
  for (const KeyPair& field : fields) bytes += field.first.size() + field.second.size();
  std::string next = may_follow(fields.size(), page_rows(page.limit), bytes) ? fields.back().first : std::string();
  for (KeyPair& field : fields) take(std::move(field));
  if (!fits) return refuse_answer();
  KeyAnswer answer = out.take();
  answer.list.front().text = std::move(next);
  return answer;
}

namespace {

constexpr std::size_t kRealTextMax = 5 * 1'024;  // as long as the largest number is with all its digits

// strtold would also skip spaces and take hexadecimal; neither is a number here.
std::optional<long double> read_real(std::string_view text) {
  if (text.empty() || text.size() > kRealTextMax || text.find_first_not_of("0123456789+-.eEinfINF") != std::string_view::npos)
    return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  const long double value = std::strtold(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || std::isnan(value)) return std::nullopt;
  return value;
}

// With 17 decimals, then without the zeros that say nothing.
std::string write_real(long double value) {
  std::string out = fmt::format("{:.17f}", value);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out == "-0" ? "0" : out;
}

}  // namespace

std::optional<std::int64_t> exact_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const bool padded = text != "0" && (text.starts_with('0') || text.starts_with("-0"));
  if (padded) return std::nullopt;
  return value;
}

std::optional<std::int64_t> sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

RealSum add_real(std::string_view text, double by) {
  const auto before = read_real(text);
  if (!before) return {RealSum::Fault::not_a_number, {}};
  // By way of its shortest text, since 0.1 as a double is not 0.1 any more once it is given more digits.
  const auto step = read_real(fmt::format("{}", by));
  if (!step) return {RealSum::Fault::not_finite, {}};
  const long double after = *before + *step;
  if (!std::isfinite(after)) return {RealSum::Fault::not_finite, {}};
  return {RealSum::Fault::none, write_real(after)};
}

}  // namespace muster::store::keyspace
