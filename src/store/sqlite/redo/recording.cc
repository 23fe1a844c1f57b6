#include "store/sqlite/redo/recording.h"

#include <bit>
#include <cstring>
#include <memory>
#include <type_traits>
#include <unordered_map>

#include "store/sqlite/db.h"

namespace muster::store::sqlite {
namespace {

static_assert(std::endian::native == std::endian::little, "recordings hold numbers as this machine does");

enum class Entry : std::uint8_t { text = 1, run = 2 };

template <class Number>
void put(std::string& out, Number value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_bytes(std::string& out, std::string_view bytes) {
  put(out, static_cast<std::uint32_t>(bytes.size()));
  out.append(bytes);
}

// Reads what put() wrote. Past the end everything is zero or empty, and ok() says so.
class Cursor {
 public:
  explicit Cursor(std::string_view left) : left_(left) {}
  bool ok() const { return ok_; }
  bool at_end() const { return left_.empty(); }

  template <class Number>
  Number take() {
    Number value{};
    const std::string_view raw = take(sizeof value);
    if (ok_) std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  std::string_view take_bytes() { return take(take<std::uint32_t>()); }

 private:
  std::string_view take(std::size_t size) {
    ok_ = ok_ && size <= left_.size();
    if (!ok_) return {};
    const std::string_view out = left_.substr(0, size);
    left_.remove_prefix(size);
    return out;
  }
  std::string_view left_;
  bool ok_ = true;
};

bool bind_next(Cursor& in, Statement& statement, int index) {
  switch (static_cast<Bound::Kind>(in.take<std::uint8_t>())) {
    case Bound::Kind::null: statement.bind_null(index); return true;
    case Bound::Kind::integer: statement.bind(index, in.take<std::int64_t>()); return true;
    case Bound::Kind::real: statement.bind(index, in.take<double>()); return true;
    case Bound::Kind::text: statement.bind_text(index, in.take_bytes()); return true;
    case Bound::Kind::blob: statement.bind_blob(index, in.take_bytes()); return true;
  }
  return false;
}

Status no_recording() { return Status::corrupt("what was recorded of the newest changes cannot be read"); }

}  // namespace

void Recording::add(std::uint16_t number, std::string_view sql, std::span<const Bound> bound) {
  if (number >= spelled_out_.size()) spelled_out_.resize(number + 1U);
  if (!spelled_out_[number]) {
    spelled_out_[number] = true;
    put(bytes_, Entry::text);
    put(bytes_, number);
    put_bytes(bytes_, sql);
  }
  put(bytes_, Entry::run);
  put(bytes_, number);
  put(bytes_, static_cast<std::uint8_t>(bound.size()));
  for (const Bound& value : bound) {
    put(bytes_, value.kind);
    switch (value.kind) {
      case Bound::Kind::null: break;
      case Bound::Kind::integer: put(bytes_, value.integer); break;
      case Bound::Kind::real: put(bytes_, value.real); break;
      case Bound::Kind::text:
      case Bound::Kind::blob: put_bytes(bytes_, value.bytes); break;
    }
  }
}

void Recording::drop_behind(std::size_t size) {
  bytes_.resize(size);
  if (size == 0 && bytes_.capacity() > kRecordingKept) bytes_.shrink_to_fit();
  spelled_out_.clear();
}

Status play(Connection& connection, std::string_view recorded) {
  std::unordered_map<std::uint16_t, std::unique_ptr<Statement>> statements;
  for (Cursor in(recorded); !in.at_end();) {
    const auto entry = in.take<Entry>();
    const auto number = in.take<std::uint16_t>();
    if (entry == Entry::text) {
      statements[number] = std::make_unique<Statement>(connection, "recorded", in.take_bytes());
    } else if (const auto known = statements.find(number); entry == Entry::run && known != statements.end()) {
      Statement& statement = *known->second;
      const int count = in.take<std::uint8_t>();
      for (int index = 1; index <= count; ++index)
        if (!bind_next(in, statement, index)) return no_recording();
      if (!in.ok()) return no_recording();
      while (statement.step()) {
      }
      statement.reset();
    } else {
      return no_recording();
    }
    if (!in.ok()) return no_recording();
    if (!connection.fault().ok()) return connection.fault();
  }
  return {};
}

}  // namespace muster::store::sqlite
