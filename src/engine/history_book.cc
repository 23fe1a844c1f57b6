#include "engine/history_book.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/sha256.h"

namespace muster::engine {
namespace {

constexpr std::string_view kMagic = "muster history 1\n";
constexpr std::size_t kDigestBytes = 64;
constexpr std::size_t kFiguresMax = 64;  // of an image, whoever wrote it

constexpr std::int64_t floored(std::int64_t value, std::int64_t by) {
  const std::int64_t quotient = value / by;
  return quotient * by > value ? quotient - 1 : quotient;
}

// Thousandths are what people see, and the digits of a float beyond them are noise.
double shown(float value) { return std::isnan(value) ? value : std::round(static_cast<double>(value) * 1'000) / 1'000; }

// Of an age the worst counts: a mean would hide the job that waited.
bool keeps_greatest(std::size_t figure) { return static_cast<Figure>(figure) == Figure::oldest_ready; }

void put_number(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

// Takes from the front of a text that another process wrote.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : text_(text) {}
  bool failed() const { return failed_; }
  bool done() const { return text_.empty(); }
  std::string_view take(std::size_t count) {
    failed_ = failed_ || count > text_.size();
    if (failed_) return {};
    const std::string_view out = text_.substr(0, count);
    text_.remove_prefix(count);
    return out;
  }
  std::string_view line() {
    const std::size_t end = text_.find('\n');
    failed_ = failed_ || end == std::string_view::npos;
    return failed_ ? std::string_view() : take(end + 1).substr(0, end);
  }
  std::uint64_t number(std::size_t bytes) {
    const std::string_view taken = take(bytes);
    std::uint64_t out = 0;
    for (std::size_t i = taken.size(); i-- > 0;) out = out << 8 | static_cast<unsigned char>(taken[i]);
    return out;
  }

 private:
  std::string_view text_;
  bool failed_ = false;
};

std::string names_line() { return fmt::format("{}\n", fmt::join(kFigureNames, " ")); }

// By place in the image: which figure of ours it is; kFigures: none.
std::vector<std::size_t> figures_of(std::string_view line) {
  std::vector<std::size_t> out;
  while (!line.empty() && out.size() <= kFiguresMax) {
    const std::string_view name = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), name.size() + 1));
    out.push_back(static_cast<std::size_t>(std::find(kFigureNames.begin(), kFigureNames.end(), name) - kFigureNames.begin()));
  }
  return out;
}

}  // namespace

HistoryRing::HistoryRing(Duration step, std::size_t rows_max) : step_(step), rows_(rows_max) {}

std::int64_t HistoryRing::step_of(Instant at) const { return floored(to_ms(at), step_.count()); }
Instant HistoryRing::instant_of(std::int64_t step) const { return from_ms(step * step_.count()); }

std::size_t HistoryRing::place_of(std::int64_t step) const {
  const auto size = static_cast<std::int64_t>(rows_.size());
  return static_cast<std::size_t>((step % size + size) % size);
}

std::optional<Instant> HistoryRing::newest() const { return empty() ? std::nullopt : std::optional(instant_of(newest_)); }

void HistoryRing::put(Instant at, const HistoryRow& row) {
  const std::int64_t step = step_of(at);
  const auto size = static_cast<std::int64_t>(rows_.size());
  if (empty() || step < oldest_ || step - newest_ >= size) {
    oldest_ = step;
  } else {
    for (std::int64_t skipped = newest_ + 1; skipped < step; ++skipped) row_of(skipped) = HistoryRow();
    oldest_ = std::max(oldest_, step - size + 1);
  }
  newest_ = step;
  row_of(step) = row;
}

HistoryPoints HistoryRing::read(std::optional<Instant> since) const {
  HistoryPoints out;
  out.step = step_;
  std::int64_t from = oldest_;
  if (since) from = std::max(from, step_of(*since) + 1);
  from = std::min(from, newest_ + 1);
  out.from = instant_of(from);
  out.points = static_cast<std::size_t>(newest_ + 1 - from);
  for (std::size_t figure = 0; figure < kFigures; ++figure) {
    std::vector<double>& values = out.series[std::string(kFigureNames[figure])];
    values.reserve(out.points);
    for (std::int64_t step = from; step <= newest_; ++step) values.push_back(shown(row_of(step).values[figure]));
  }
  return out;
}

HistoryRow HistoryRing::folded(Instant from, Instant to) const {
  HistoryRow out;
  const std::int64_t first = std::max(oldest_, step_of(from));
  const std::int64_t last = std::min(newest_, step_of(to - Duration(1)));
  for (std::size_t figure = 0; figure < kFigures; ++figure) {
    double sum = 0;
    double greatest = 0;
    std::size_t known = 0;
    for (std::int64_t step = first; step <= last; ++step) {
      const float value = row_of(step).values[figure];
      if (std::isnan(value)) continue;
      sum += value;
      greatest = known == 0 ? value : std::max<double>(greatest, value);
      ++known;
    }
    if (known > 0) out.values[figure] = static_cast<float>(keeps_greatest(figure) ? greatest : sum / static_cast<double>(known));
  }
  return out;
}

HistoryBook::HistoryBook() : hour_(kHistoryStep, kHistoryRowsMax), day_(kHistoryDayStep, kHistoryDayRowsMax) {}

void HistoryBook::put(Instant at, const HistoryRow& row) {
  // A minute that is over is folded before a long gap drops its rows.
  if (const auto before = hour_.newest(); before && day_.step_of(*before) < day_.step_of(at)) {
    const Instant minute = day_.instant_of(day_.step_of(*before));
    day_.put(minute, hour_.folded(minute, minute + kHistoryDayStep));
  }
  hour_.put(at, row);
}

HistoryPoints HistoryBook::read(HistorySpan span, std::optional<Instant> since) const {
  return (span == HistorySpan::hour ? hour_ : day_).read(since);
}

std::string HistoryBook::image() const {
  std::string out(kMagic);
  out += names_line();
  for (const HistoryRing* ring : {&hour_, &day_}) {
    put_number(out, static_cast<std::uint64_t>(ring->oldest_), 8);
    put_number(out, static_cast<std::uint64_t>(ring->newest_ + 1 - ring->oldest_), 8);
    for (std::int64_t step = ring->oldest_; step <= ring->newest_; ++step)
      for (const float value : ring->row_of(step).values) put_number(out, std::bit_cast<std::uint32_t>(value), 4);
  }
  return out + sha256_hex(out);
}

Result<HistoryBook> HistoryBook::from_image(std::string_view image, Instant now) {
  const Status unknown = Status::corrupt("it is no history of figures");
  const Status damaged = Status::corrupt("the history of figures is damaged");
  if (!image.starts_with(kMagic)) return unknown;
  if (image.size() < kMagic.size() + kDigestBytes || image.size() > kHistoryImageBytesMax) return damaged;
  const std::string_view body = image.substr(0, image.size() - kDigestBytes);
  if (sha256_hex(body) != image.substr(body.size())) return damaged;

  Bytes in(body.substr(kMagic.size()));
  const std::vector<std::size_t> figures = figures_of(in.line());
  if (figures.size() > kFiguresMax) return unknown;
  HistoryBook book;
  for (HistoryRing* ring : {&book.hour_, &book.day_}) {
    const auto oldest = static_cast<std::int64_t>(in.number(8));
    const std::uint64_t count = in.number(8);
    const std::int64_t ahead = ring->step_of(now);
    if (in.failed() || count > ring->rows_.size()) return damaged;
    for (std::uint64_t i = 0; i < count; ++i) {
      HistoryRow row;
      for (const std::size_t figure : figures) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(in.number(4)));
        if (figure < kFigures) row.values[figure] = value;
      }
      if (in.failed()) return damaged;
      if (oldest < 0 || oldest > ahead) continue;
      const std::int64_t step = oldest + static_cast<std::int64_t>(i);
      if (step <= ahead) ring->put(ring->instant_of(step), row);
    }
  }
  if (!in.done()) return damaged;
  return book;
}

}  // namespace muster::engine
