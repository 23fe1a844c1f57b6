// What groups changed, as bytes: the statements that ran, with what was bound to them, in their order.
//
// The writer's connection records into it; play() runs the statements again. On the rows that the recording began with, they make
// the same change: nothing in them depends on a clock, on chance, or on another connection. A statement is spelled out where it
// is used first, so the bytes stand alone, and another version of this program can play them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::store::sqlite {

class Connection;

// A value bound to a statement. The bytes of texts and blobs are the caller's.
struct Bound {
  enum class Kind : std::uint8_t { null, integer, real, text, blob };
  Kind kind = Kind::null;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view bytes;
};

// What an empty recording, or one that waits, keeps of its memory.
inline constexpr std::size_t kRecordingKept = 4 << 20;

class Recording {
 public:
  // `number` stands for the text from here on, until some of the recording is dropped.
  void add(std::uint16_t number, std::string_view sql, std::span<const Bound> bound);

  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  // Drops what comes behind the first `size` bytes.
  void drop_behind(std::size_t size);

 private:
  std::string bytes_;
  std::vector<bool> spelled_out_;  // by number
};

// Runs what was recorded, in the transaction that is open. corrupt: the bytes are no recording. Others: the store's.
Status play(Connection& connection, std::string_view recorded);

}  // namespace muster::store::sqlite
