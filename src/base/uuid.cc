#include "base/uuid.h"

#include <array>
#include <random>

#include "base/ascii.h"

namespace muster {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::array<std::int8_t, 256> kValues = [] {
  std::array<std::int8_t, 256> values{};
  for (std::size_t c = 0; c < values.size(); ++c) values[c] = static_cast<std::int8_t>(hex_value(static_cast<char>(c)));
  return values;
}();

// So many digits as a word, the first one the highest; false: something else stands among them.
bool read_digits(std::string_view digits, std::uint64_t& word) {
  int all = 0;  // negative when one of them is
  for (const char c : digits) {
    const int value = kValues[static_cast<unsigned char>(c)];
    all |= value;
    word = (word << 4) | static_cast<std::uint64_t>(value & 15);
  }
  return all >= 0;
}

// The lowest digits of a word.
void write_digits(std::uint64_t word, char* to, std::size_t digits) {
  for (char* at = to + digits; at != to; word >>= 4) *--at = kDigits[word & 15];
}

constexpr std::uint32_t kCounterLimit = 1u << 18;  // 12 bits of rand_a and 6 bits of rand_b

}  // namespace

std::string Uuid::hex() const {
  std::string out(32, '0');
  write_digits(high, out.data(), 16);
  write_digits(low, out.data() + 16, 16);
  return out;
}

std::string Uuid::text() const {
  std::string out(36, '-');
  write_digits(high >> 32, out.data(), 8);
  write_digits(high >> 16, out.data() + 9, 4);
  write_digits(high, out.data() + 14, 4);
  write_digits(low >> 48, out.data() + 19, 4);
  write_digits(low, out.data() + 24, 12);
  return out;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
  Uuid out;
  if (text.size() == 32) {
    if (!read_digits(text.substr(0, 16), out.high) || !read_digits(text.substr(16), out.low)) return std::nullopt;
    return out;
  }
  if (text.size() != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return std::nullopt;
  const bool high = read_digits(text.substr(0, 8), out.high) && read_digits(text.substr(9, 4), out.high) &&
                    read_digits(text.substr(14, 4), out.high);
  if (!high || !read_digits(text.substr(19, 4), out.low) || !read_digits(text.substr(24), out.low)) return std::nullopt;
  return out;
}

UuidSource::UuidSource(const Clock& clock, std::uint64_t seed) : clock_(clock), random_state_(seed) {}

Uuid UuidSource::next() {
  const std::lock_guard lock(mutex_);
  const std::int64_t now_ms = to_ms(clock_.now());
  if (now_ms > last_ms_) {
    last_ms_ = now_ms;
    counter_ = 0;
  } else if (++counter_ == kCounterLimit) {
    // More ids in one millisecond than the counter holds: borrow the next millisecond rather than repeat a value.
    ++last_ms_;
    counter_ = 0;
  }
  random_state_ = mix64(random_state_);
  const auto ms = static_cast<std::uint64_t>(last_ms_) & 0xFFFF'FFFF'FFFFULL;
  const std::uint64_t high = (ms << 16) | 0x7000ULL | (counter_ >> 6);
  const std::uint64_t low = 0x8000'0000'0000'0000ULL | (static_cast<std::uint64_t>(counter_ & 63) << 56) | (random_state_ >> 8);
  return {high, low};
}

std::uint64_t random_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace muster
