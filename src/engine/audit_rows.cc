#include "engine/audit_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace muster::engine {
namespace {

constexpr char kBetweenFields = '\x1f';  // no text of a row holds it
constexpr char kBetweenParts = ':';
constexpr std::size_t kStampDigits = 16;
constexpr std::size_t kIdDigits = kStampDigits + 8;
constexpr int kHex = 16;

// In the order of a line, behind the id.
constexpr std::array kTexts{&AuditRow::who,    &AuditRow::role,   &AuditRow::address,     &AuditRow::worker,
                            &AuditRow::action, &AuditRow::target, &AuditRow::correlation, &AuditRow::outcome};

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

void append_field(std::string& out, std::string_view text) {
  out.push_back(kBetweenFields);
  for (const char byte : text) out.push_back(static_cast<unsigned char>(byte) < ' ' ? ' ' : byte);
}

// A copy, so that the memory of a long one is given back.
void shorten_text(std::string& text) {
  if (text.size() <= kAuditFieldBytesMax) return;
  std::size_t size = kAuditFieldBytesMax;
  while (size > 0 && continues_character(text[size])) --size;
  text = text.substr(0, size);
}

// The text up to the next separator, which is taken away with it.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view out = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return out;
}

template <class Number>
std::optional<Number> number_of(std::string_view text, int base = 10) {
  Number out{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

bool is_action(std::string_view wanted, std::string_view action) {
  if (!action.starts_with(wanted)) return false;
  return action.size() == wanted.size() || action[wanted.size()] == '.';
}

bool fits(std::string_view wanted, std::string_view value) { return wanted.empty() || wanted == value; }

}  // namespace

bool matches(const AuditFilter& filter, const AuditRow& row) {
  if (filter.within && std::ranges::find(*filter.within, row.ns) == filter.within->end()) return false;
  if (!filter.ns.empty() && filter.ns != row.ns) return false;
  if (filter.since && row.at < *filter.since) return false;
  if (filter.until && row.at >= *filter.until) return false;
  return (filter.action.empty() || is_action(filter.action, row.action)) && row.target.starts_with(filter.target) &&
         fits(filter.who, row.who) && fits(filter.worker, row.worker) && fits(filter.outcome, row.outcome);
}

std::string audit_id(AuditStamp stamp, std::uint32_t node) { return fmt::format("{:016x}{:08x}", stamp, node); }

std::optional<AuditStamp> stamp_of(std::string_view id) {
  if (id.size() != kStampDigits && id.size() != kIdDigits) return std::nullopt;
  // Both ends are numbers without a sign, and together they are all of it.
  if (!number_of<std::uint64_t>(id.substr(id.size() - kStampDigits), kHex)) return std::nullopt;
  const auto stamp = number_of<std::uint64_t>(id.substr(0, kStampDigits), kHex);
  if (!stamp || *stamp > static_cast<std::uint64_t>(kAuditStampMax)) return std::nullopt;
  return static_cast<AuditStamp>(*stamp);
}

void shorten(AuditRow& row) {
  for (const auto text : kTexts) shorten_text(row.*text);
  if (row.ns.text().size() > kAuditFieldBytesMax) row.ns = NamespaceName();  // nobody's: no namespace has such a name
}

void append_line(std::string& out, const AuditRow& row) {
  out += row.id;
  append_field(out, row.ns.text());
  for (const auto text : kTexts) append_field(out, row.*text);
  out.push_back('\n');
}

std::vector<AuditRow> read_lines(std::string_view text) {
  std::vector<AuditRow> out;
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    AuditRow row;
    row.id = take(line, kBetweenFields);
    const auto stamp = stamp_of(row.id);
    if (!stamp || row.id.size() != kIdDigits) continue;
    row.at = from_ms(*stamp / kStampsPerMilli);
    row.ns = NamespaceName(std::string(take(line, kBetweenFields)));
    for (const auto field : kTexts) row.*field = take(line, kBetweenFields);
    out.push_back(std::move(row));
  }
  return out;
}

std::string index_key(AuditShelf shelf) { return shelf == AuditShelf::deeds ? "audit:deeds" : "audit:traffic"; }
std::string written_key(AuditShelf shelf) { return index_key(shelf) + ":written"; }
std::string text_key(AuditShelf shelf, const AuditBlock& block) { return index_key(shelf) + ":" + block.id; }

std::string member_of(const AuditBlock& block) {
  return fmt::format("{}:{}:{}:{}", block.id, block.first, block.count, block.written);
}

std::optional<AuditBlock> read_member(std::string_view member, double score) {
  AuditBlock block;
  block.id = take(member, kBetweenParts);
  const auto first = number_of<AuditStamp>(take(member, kBetweenParts));
  const auto count = number_of<std::uint64_t>(take(member, kBetweenParts));
  const auto written = number_of<std::uint64_t>(take(member, kBetweenParts));
  if (!first || !count || !written) return std::nullopt;
  block.first = *first;
  block.last = static_cast<AuditStamp>(score);
  block.count = *count;
  block.written = *written;
  return block;
}

bool is_over(const AuditBlock& block, const AuditKept& kept, std::uint64_t written, Instant now) {
  if (from_ms(block.last / kStampsPerMilli) + kept.age < now) return true;
  return written >= block.written && written - block.written >= kept.rows;
}

}  // namespace muster::engine
