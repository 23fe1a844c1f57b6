#include "cron/cron.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/uuid.h"
#include "cron/calendar.h"
#include "cron/explain.h"
#include "cron/fields.h"
#include "cron/interval.h"
#include "cron/zone.h"
#include "model/limits.h"

namespace muster::cron {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

// Nothing fires before 1970 or behind this; a day is enough for every offset to UTC.
constexpr Instant kEnd = std::chrono::sys_days(std::chrono::year(kYearLast + 1) / 1 / 2);
// A zone has two stretches a year; a search that sees more than this is lost.
constexpr int kStretchesMax = 4 * (kYearLast - kYearFirst);
constexpr std::uint64_t kLeftOutMax = 100'000;  // counting older fires stops here

struct Shorthand {
  std::string_view name;
  std::string_view fields;
  bool kagzi;
};

constexpr std::array kShorthands{
    Shorthand{"@yearly", "0 0 0 1 1 *", true},  Shorthand{"@annually", "0 0 0 1 1 *", false},
    Shorthand{"@monthly", "0 0 0 1 * *", true}, Shorthand{"@weekly", "0 0 0 * * 1", true},
    Shorthand{"@daily", "0 0 0 * * *", true},   Shorthand{"@midnight", "0 0 0 * * *", false},
    Shorthand{"@hourly", "0 0 * * * *", true},
};

constexpr std::string_view kEvery = "every";

Local local(sys_seconds at, seconds offset) { return Local(at.time_since_epoch() + offset); }
sys_seconds instant(Local at, seconds offset) { return sys_seconds(at.time_since_epoch() - offset); }

// The stretch before this one, or one with the same offset where there is none.
seconds offset_before(const Zone& zone, const Stretch& stretch) {
  if (stretch.begin <= sys_seconds(seconds(0)) - std::chrono::days(366)) return stretch.offset;
  return zone.at(stretch.begin - seconds(1)).offset;
}

// Fields in a zone. Within a stretch local time is UTC shifted; what is special happens at its begin: local times that were left
// out (gap) or that come again (fold).
class Zoned {
 public:
  Zoned(const Fields& fields, const Zone& zone, GapRule gap, FoldRule fold)
      : fields_(fields), zone_(zone), gap_(gap), fold_(fold) {}

  std::optional<sys_seconds> first_from(sys_seconds from) const {
    for (int i = 0; i < kStretchesMax; ++i) {
      const Stretch stretch = zone_.at(from);
      const seconds before = offset_before(zone_, stretch);
      if (from == stretch.begin && fills_gap(stretch, before)) return from;
      if (const auto found = cron::first_from(fields_, std::max(local(from, stretch.offset), open_from(stretch, before))))
        if (instant(*found, stretch.offset) < stretch.end) return instant(*found, stretch.offset);
      if (stretch.end >= kEnd) return std::nullopt;
      from = stretch.end;
    }
    return std::nullopt;
  }

  std::optional<sys_seconds> last_until(sys_seconds until) const {
    for (int i = 0; i < kStretchesMax; ++i) {
      const Stretch stretch = zone_.at(until);
      const seconds before = offset_before(zone_, stretch);
      if (const auto found = cron::last_until(fields_, local(until, stretch.offset)))
        if (*found >= open_from(stretch, before)) return instant(*found, stretch.offset);
      if (fills_gap(stretch, before)) return stretch.begin;
      if (stretch.begin <= sys_seconds(seconds(0)) - std::chrono::days(2)) return std::nullopt;
      until = stretch.begin - seconds(1);
    }
    return std::nullopt;
  }

 private:
  // Whether the stretch begins with the fire of a local time that the gap before it swallowed.
  bool fills_gap(const Stretch& stretch, seconds before) const {
    if (gap_ == GapRule::skip || before >= stretch.offset) return false;
    const auto found = cron::first_from(fields_, local(stretch.begin, before));
    return found && *found < local(stretch.begin, stretch.offset);
  }

  // The local time from which the stretch's times count: where times come again and once is enough, behind those.
  Local open_from(const Stretch& stretch, seconds before) const {
    const bool again = fold_ == FoldRule::once && before > stretch.offset;
    return local(stretch.begin, again ? before : stretch.offset);
  }

  const Fields& fields_;
  const Zone& zone_;
  GapRule gap_;
  FoldRule fold_;
};

}  // namespace

struct Plan::State {
  std::variant<Fields, Duration> when;
  Zone zone;
  GapRule gap = GapRule::next;
  FoldRule fold = FoldRule::once;
  std::string zone_name;

  // REQUIRES: 0 <= from < kEnd.
  std::optional<Instant> first_from(Instant from) const {
    if (const auto* interval = std::get_if<Duration>(&when)) {
      const Duration since = from.time_since_epoch();
      return Instant((since + *interval - Duration(1)) / *interval * *interval);
    }
    const auto& fields = std::get<Fields>(when);
    const auto second = std::chrono::ceil<seconds>(from);
    if (!zone.is_utc()) return Zoned(fields, zone, gap, fold).first_from(second);
    const auto found = cron::first_from(fields, local(second, seconds(0)));
    if (!found) return std::nullopt;
    return instant(*found, seconds(0));
  }

  std::optional<Instant> last_until(Instant until) const {
    if (const auto* interval = std::get_if<Duration>(&when)) return Instant(until.time_since_epoch() / *interval * *interval);
    const auto& fields = std::get<Fields>(when);
    const auto second = std::chrono::floor<seconds>(until);
    if (!zone.is_utc()) return Zoned(fields, zone, gap, fold).last_until(second);
    const auto found = cron::last_until(fields, local(second, seconds(0)));
    if (!found) return std::nullopt;
    return instant(*found, seconds(0));
  }
};

namespace {

Result<std::variant<Fields, Duration>> parse_when(std::string_view text, CronForm form) {
  if (text.starts_with('@')) {
    const auto* const it =
        std::find_if(kShorthands.begin(), kShorthands.end(), [&](const Shorthand& s) { return s.name == text; });
    if (it != kShorthands.end() && (it->kagzi || form == CronForm::native)) {
      const Result<Fields> fields = parse_fields(it->fields, form);
      if (!fields.ok()) return fields.status();
      return std::variant<Fields, Duration>(*fields);
    }
    std::string accepted;
    for (const Shorthand& shorthand : kShorthands)
      if (shorthand.kagzi || form == CronForm::native) accepted += fmt::format(" {}", shorthand.name);
    return Status::invalid_argument(fmt::format("shorthand '{}' is not one of{}", quoted(text), accepted));
  }
  const bool is_interval =
      text.starts_with(kEvery) && text.size() > kEvery.size() && (text[kEvery.size()] == ' ' || text[kEvery.size()] == '\t');
  if (is_interval && form == CronForm::native) {
    const Result<Duration> interval = parse_interval(trimmed(text.substr(kEvery.size())));
    if (!interval.ok()) return interval.status();
    return std::variant<Fields, Duration>(*interval);
  }
  const Result<Fields> fields = parse_fields(text, form);
  if (!fields.ok()) return fields.status();
  return std::variant<Fields, Duration>(*fields);
}

}  // namespace

Result<Plan> Plan::parse(const Timing& timing) {
  if (timing.text.size() > limits::kTimingBytesMax)
    return Status::invalid_argument(
        fmt::format("the timing has {} bytes; at most {} are accepted", timing.text.size(), limits::kTimingBytesMax));
  const std::string_view text = trimmed(timing.text);
  if (text.empty()) return Status::invalid_argument("the timing is empty; cron fields or a shorthand like @daily are accepted");
  if (timing.jitter < Duration(0) || timing.jitter > kJitterMax)
    return Status::invalid_argument(
        fmt::format("jitter is {} ms; 0 to {} ms is accepted", timing.jitter.count(), kJitterMax.count()));
  auto when = parse_when(text, timing.form);
  if (!when.ok()) return when.status();
  const Result<Zone> zone = Zone::find(timing.zone);
  if (!zone.ok()) return zone.status();
  return Plan(std::make_shared<const State>(
      State{.when = std::move(*when), .zone = *zone, .gap = timing.gap, .fold = timing.fold, .zone_name = timing.zone}));
}

std::string Plan::explanation() const {
  if (const auto* interval = std::get_if<Duration>(&state_->when)) return explained(*interval);
  const std::string words = explained(std::get<Fields>(state_->when));
  return state_->zone.is_utc() ? words : fmt::format("{}, {}", words, state_->zone_name);
}

std::optional<Instant> Plan::next(Instant at) const {
  if (at >= kEnd) return std::nullopt;
  return state_->first_from(std::max(at + Duration(1), Instant()));
}

std::vector<Instant> Plan::between(Instant from, Instant to, std::size_t keep, std::uint64_t* left_out) const {
  from = std::max(from, Instant() - Duration(1));
  to = std::min(to, kEnd);
  std::vector<Instant> fires;
  std::uint64_t older = 0;
  // Backwards from the end, so that what is not kept costs nothing but the counting.
  for (Instant at = to; at > from;) {
    const auto fire = state_->last_until(at);
    if (!fire || *fire <= from) break;
    if (fires.size() < keep) {
      fires.push_back(*fire);
    } else {
      if (left_out == nullptr || older == kLeftOutMax) break;
      ++older;
    }
    at = *fire - Duration(1);
  }
  std::reverse(fires.begin(), fires.end());
  if (left_out != nullptr) *left_out = older;
  return fires;
}

Duration jitter_of(const ScheduleSpec& spec, Instant fire_at) {
  if (spec.timing.jitter <= Duration(0)) return Duration(0);
  std::uint64_t hash = static_cast<std::uint64_t>(to_ms(fire_at));
  for (const char c : spec.id.text()) hash = mix64(hash ^ static_cast<unsigned char>(c));
  return Duration(static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(spec.timing.jitter.count())));
}

}  // namespace muster::cron
