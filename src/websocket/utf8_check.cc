#include "websocket/utf8_check.h"

#include <algorithm>

#include "base/utf8.h"

namespace muster::websocket {
namespace {

constexpr std::size_t kSequenceBytesMax = 4;

// Bytes of the sequence that a lead byte begins; 1 for everything that begins none.
std::size_t announced(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
}

// Whether further bytes can make a sequence of it. REQUIRES: it is shorter than its lead byte announces.
bool may_become_sequence(std::string_view start) {
  const auto lead = static_cast<unsigned char>(start.front());
  if (start.size() == 1) return lead >= 0xC2 && lead <= 0xF4;
  // Only the second byte has bounds of its own, and it is there: what is missing may be any continuation byte.
  std::array<char, kSequenceBytesMax> padded;
  padded.fill('\x80');
  std::copy(start.begin(), start.end(), padded.begin());
  return utf8_length({padded.data(), announced(start.front())}) != 0;
}

// How many bytes at the end belong to a sequence that goes on behind it.
std::size_t cut_bytes(std::string_view text) {
  for (std::size_t back = 1; back < kSequenceBytesMax && back <= text.size(); ++back) {
    const char byte = text[text.size() - back];
    if ((static_cast<unsigned char>(byte) & 0xC0) == 0x80) continue;  // the lead byte stands before it
    return announced(byte) > back ? back : 0;
  }
  return 0;
}

}  // namespace

bool Utf8Check::feed(std::string_view piece) {
  while (size_ > 0 && !piece.empty()) {
    cut_[size_++] = piece.front();
    piece.remove_prefix(1);
    const std::string_view sequence(cut_.data(), size_);
    if (size_ == announced(cut_.front())) {
      if (utf8_length(sequence) == 0) return false;
      size_ = 0;
    } else if (!may_become_sequence(sequence)) {
      return false;
    }
  }
  if (piece.empty()) return true;
  const std::size_t cut = cut_bytes(piece);
  if (!is_utf8(piece.substr(0, piece.size() - cut))) return false;
  if (cut == 0) return true;
  const std::string_view start = piece.substr(piece.size() - cut);
  std::copy(start.begin(), start.end(), cut_.begin());
  size_ = cut;
  return may_become_sequence(start);
}

}  // namespace muster::websocket
