#include "store/keyspace/stage.h"

#include <limits>

#include <fmt/format.h>

namespace muster::store::keyspace {
namespace {

// One step of a splitmix generator: good enough to draw by lot, and the same lots for the same seed.
std::uint64_t next_lot(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  return mixed ^ (mixed >> 31);
}

}  // namespace

std::optional<Slice> slice(std::int64_t start, std::int64_t stop, std::uint64_t length) {
  const auto size = static_cast<std::int64_t>(length);
  if (start < 0) start = start < -size ? 0 : start + size;
  if (stop < 0) stop = stop < -size ? -1 : stop + size;
  stop = std::min(stop, size - 1);
  if (start > stop) return std::nullopt;
  return Slice{static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(stop - start + 1)};
}

std::optional<KeyHead> Stage::find(std::string_view key) {
  auto head = rows.find(key);
  if (head && is_over(*head)) return std::nullopt;
  return head;
}

std::optional<KeyHead> Stage::find_to_write(std::string_view key) {
  auto head = rows.find(key);
  if (!head || !is_over(*head)) return head;
  remove(key, *head);
  return std::nullopt;
}

Look Stage::judge(std::optional<KeyHead> head, KeyType type) {
  if (head && head->type != type) return {true, std::nullopt};
  return {false, head};
}

std::optional<Instant> Stage::instant(Instant at, bool relative) const {
  const std::int64_t ms = to_ms(at);
  if (!relative) return at;
  const std::int64_t base = to_ms(now);
  if (ms > 0 && base > std::numeric_limits<std::int64_t>::max() - ms) return std::nullopt;
  if (ms < 0 && base < std::numeric_limits<std::int64_t>::min() - ms) return std::nullopt;
  return from_ms(base + ms);
}

void Stage::touch(std::string_view key) {
  ran_.wrote = true;
  if (ran_.touched.empty() || ran_.touched.back() != key) ran_.touched.emplace_back(key);
}

KeyHead Stage::create(std::string_view key, KeyType type, std::optional<Instant> expires_at) {
  touch(key);
  return rows.create(key, type, expires_at);
}

void Stage::save(std::string_view key, const KeyHead& head) {
  if (head.count <= 0) return remove(key, head);
  touch(key);
  rows.write(head);
}

void Stage::save_expiry(std::string_view key, const KeyHead& head) {
  touch(key);
  rows.write(head);
}

void Stage::remove(std::string_view key, const KeyHead& head) {
  touch(key);
  rows.remove(key, head);
}

void Stage::rename(std::string_view from, std::string_view to, const KeyHead& head) {
  touch(from);
  touch(to);
  rows.rename(from, to, head);
  if (head.type == KeyType::list) note_pushed(to);
}

bool Stage::clear() {
  ran_.cleared = true;
  ran_.wrote = true;
  ran_.unfinished = rows.clear(Bounds::kSliceRowsMax) == Bounds::kSliceRowsMax;
  return !ran_.unfinished;
}

void Stage::put_text(std::string_view key, const KeyHead& head, std::string_view value) {
  touch(key);
  rows.put_text(key, head, value);
}

void Stage::set_text(std::string_view key, const std::optional<KeyHead>& found, std::string_view value,
                     std::optional<Instant> expires_at) {
  if (!found || found->type != KeyType::text) {
    if (found) remove(key, *found);
    return put_text(key, create(key, KeyType::text, expires_at), value);
  }
  KeyHead head = *found;
  if (head.expires_at != expires_at) {
    head.expires_at = expires_at;
    rows.write(head);
  }
  put_text(key, head, value);
}

void Stage::note_pushed(std::string_view key) {
  if (std::find(ran_.pushed.begin(), ran_.pushed.end(), key) == ran_.pushed.end()) ran_.pushed.emplace_back(key);
}

std::uint64_t Stage::draw(std::uint64_t below) { return next_lot(lot_) % below; }

std::optional<KeyAnswer> refuse_key(std::string_view key) {
  if (key.size() <= Bounds::kKeyBytesMax) return std::nullopt;
  return KeyAnswer::refuse(fmt::format("Key length {} exceeds maximum {}", key.size(), Bounds::kKeyBytesMax));
}

std::optional<KeyAnswer> refuse_value(std::size_t bytes) {
  if (bytes <= Bounds::kValueBytesMax) return std::nullopt;
  return KeyAnswer::refuse(fmt::format("Element size {} exceeds maximum {}", bytes, Bounds::kValueBytesMax));
}

std::optional<KeyAnswer> refuse_count(std::uint64_t elements) {
  if (elements <= Bounds::kElementsMax) return std::nullopt;
  return KeyAnswer::refuse(fmt::format("Element count {} exceeds maximum {}", elements, Bounds::kElementsMax));
}

std::optional<KeyAnswer> refuse_pattern(std::string_view pattern) {
  if (pattern.size() <= Bounds::kPatternBytesMax) return std::nullopt;
  return KeyAnswer::refuse(fmt::format("Pattern length {} exceeds maximum {}", pattern.size(), Bounds::kPatternBytesMax));
}

KeyAnswer refuse_answer() {
  return KeyAnswer::refuse(fmt::format(
      "the answer is larger than kAnswerElementsMax ({} elements) or kAnswerBytesMax ({} bytes); ask for a part of it",
      Bounds::kAnswerElementsMax, Bounds::kAnswerBytesMax));
}

KeyAnswer refuse_read() {
  return KeyAnswer::refuse(
      fmt::format("the command looks at more than kReadRowsMax ({}) elements; ask for a part of them", Bounds::kReadRowsMax));
}

std::optional<KeyAnswer> refuse_keys(std::size_t keys) {
  if (keys <= Bounds::kKeysNamedMax) return std::nullopt;
  return KeyAnswer::refuse(
      fmt::format("the command names {} keys, more than kKeysNamedMax ({}); do it in parts", keys, Bounds::kKeysNamedMax));
}

std::optional<KeyAnswer> refuse_changes(std::uint64_t rows) {
  if (rows <= Bounds::kChangedRowsMax) return std::nullopt;
  return KeyAnswer::refuse(fmt::format("the command is about {} elements, more than kChangedRowsMax ({}); do it in parts", rows,
                                       Bounds::kChangedRowsMax));
}

std::optional<KeyAnswer> refuse_search(std::uint64_t rows) {
  if (rows <= Bounds::kSearchedRowsMax) return std::nullopt;
  return KeyAnswer::refuse(fmt::format("the command looks at {} elements before it changes one, more than kSearchedRowsMax ({})",
                                       rows, Bounds::kSearchedRowsMax));
}

bool Gathered::add(KeyAnswer answer) {
  bytes_ += answer.text.size();
  if (answers_.size() >= Bounds::kAnswerElementsMax || bytes_ > Bounds::kAnswerBytesMax) return false;
  answers_.push_back(std::move(answer));
  return true;
}

}  // namespace muster::store::keyspace
