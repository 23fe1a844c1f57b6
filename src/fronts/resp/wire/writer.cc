#include "fronts/resp/wire/writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace muster::resp::wire {
namespace {

constexpr std::string_view kEnd = "\r\n";

void header(std::string& out, char type, std::int64_t number) {
  std::array<char, 24> text;
  text[0] = type;
  char* end = std::to_chars(text.data() + 1, text.data() + text.size(), number).ptr;
  end = std::copy(kEnd.begin(), kEnd.end(), end);
  out.append(text.data(), end);
}

void count(std::string& out, char type, std::size_t number) { header(out, type, static_cast<std::int64_t>(number)); }

// A line ends at its CR LF: one inside would make two of it.
void line(std::string& out, std::string_view text) {
  const std::size_t from = out.size();
  out += text;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(from), out.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
  out += kEnd;
}

}  // namespace

void simple(std::string& out, std::string_view text) {
  out += '+';
  line(out, text);
}

void error(std::string& out, std::string_view text) {
  out += "-ERR ";
  line(out, text);
}

void error_as_is(std::string& out, std::string_view text) {
  out += '-';
  line(out, text);
}

void integer(std::string& out, std::int64_t value) { header(out, ':', value); }

void bulk(std::string& out, std::string_view text) {
  count(out, '$', text.size());
  out += text;
  out += kEnd;
}

void null(std::string& out, Protocol protocol) { out += protocol == Protocol::resp3 ? "_\r\n" : "$-1\r\n"; }
void null_array(std::string& out, Protocol protocol) { out += protocol == Protocol::resp3 ? "_\r\n" : "*-1\r\n"; }
void array(std::string& out, std::size_t size) { count(out, '*', size); }

void map(std::string& out, std::size_t pairs, Protocol protocol) {
  if (protocol == Protocol::resp3)
    count(out, '%', pairs);
  else
    count(out, '*', 2 * pairs);
}

void set(std::string& out, std::size_t size, Protocol protocol) { count(out, protocol == Protocol::resp3 ? '~' : '*', size); }
void push(std::string& out, std::size_t size, Protocol protocol) { count(out, protocol == Protocol::resp3 ? '>' : '*', size); }

void real(std::string& out, double value, Protocol protocol) {
  const std::string text = format_real(value);
  if (protocol == Protocol::resp2) return bulk(out, text);
  out += ',';
  line(out, text);
}

void boolean(std::string& out, bool value, Protocol protocol) {
  if (protocol == Protocol::resp2) return integer(out, value ? 1 : 0);
  out += value ? "#t\r\n" : "#f\r\n";
}

std::string format_real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  // The shortest digits that read back as the same number; without an exponent while that stays readable.
  std::array<char, 400> text{};
  const double size = std::fabs(value);
  const bool plain = size < 1e21 && size >= 1e-6;
  const auto [end, error] = plain ? std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed)
                                  : std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end);
}

std::string ok() { return "+OK\r\n"; }

std::string error_reply(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 7);
  error(out, text);
  return out;
}

std::string integer_reply(std::int64_t value) {
  std::string out;
  integer(out, value);
  return out;
}

std::string bulk_reply(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 24);
  bulk(out, text);
  return out;
}

std::string null_reply(Protocol protocol) {
  std::string out;
  null(out, protocol);
  return out;
}

}  // namespace muster::resp::wire
