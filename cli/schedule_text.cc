#include "cli/schedule_text.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "cli/format.h"

namespace muster::cli {
namespace {

// The process's TZ, put back at the end.
class ZoneScope {
 public:
  explicit ZoneScope(const std::string& zone) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    setenv("TZ", (":" + zone).c_str(), 1);
    tzset();
  }
  ~ZoneScope() {
    if (before_)
      setenv("TZ", before_->c_str(), 1);
    else
      unsetenv("TZ");
    tzset();
  }
  ZoneScope(const ZoneScope&) = delete;
  ZoneScope& operator=(const ZoneScope&) = delete;

 private:
  std::optional<std::string> before_;
};

std::string state_of(const sdk::Schedule& schedule) { return schedule.enabled ? "active" : "paused"; }

std::string template_text(const sdk::Schedule& schedule) {
  return fmt::format("{} {} in {}", schedule.is_run ? "workflow" : "job", schedule.type, schedule.queue);
}

std::string relative(sdk::Instant at, sdk::Instant now) {
  const std::string age = format_age(at, now);
  return at > now ? age : age + " ago";
}

// The number of the field in `field 3 (hours): …`; 0: none.
std::size_t field_of(std::string_view message) {
  constexpr std::string_view kWord = "field ";
  for (std::size_t at = message.find(kWord); at != std::string_view::npos; at = message.find(kWord, at + 1)) {
    const std::string_view rest = message.substr(at + kWord.size());
    std::size_t number = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (problem == std::errc() && number > 0) return number;
  }
  return 0;
}

}  // namespace

std::string local_text(sdk::Instant at, const std::string& zone) {
  const ZoneScope scope(zone);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%a %Y-%m-%d %H:%M:%S %Z", &parts);
  return std::string(text.data(), size);
}

std::vector<std::string> pointed_at(std::string_view timing, std::string_view message) {
  const std::size_t field = field_of(message);
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t seen = 0; seen < field; ++seen) {
    begin = timing.find_first_not_of(" \t", end);
    if (begin == std::string_view::npos) return {};
    end = std::min(timing.find_first_of(" \t", begin), timing.size());
  }
  if (field == 0) return {};
  const std::size_t before = display_width(timing.substr(0, begin));
  const std::size_t width = display_width(timing.substr(begin, end - begin));
  return {printable(timing), std::string(before, ' ') + std::string(width, '^')};
}

Table schedule_table(std::span<const sdk::Schedule> schedules, sdk::Instant now) {
  Table table({{"SCHEDULE"},
               {"STATE"},
               {"TIMING"},
               {"ZONE"},
               {"ENQUEUES"},
               {"NEXT", Align::right},
               {"LAST", Align::right},
               {"FIRED", Align::right},
               {"SKIPPED", Align::right},
               {"NOTE"}});
  for (const sdk::Schedule& schedule : schedules)
    table.add({{schedule.id},
               {state_of(schedule), color_of_state(state_of(schedule))},
               {schedule.timing.text},
               {schedule.timing.zone},
               {template_text(schedule)},
               {format_age(schedule.next_fire_at, now)},
               {format_age(schedule.last_fired_at, now)},
               {std::to_string(schedule.fired)},
               {std::to_string(schedule.skipped)},
               {schedule.note, Color::dim}});
  return table;
}

Table schedule_details(const sdk::Schedule& schedule, sdk::Instant now) {
  Table table({{"FIELD"}, {"VALUE"}});
  const auto put = [&table](const char* field, const std::string& value, Color color = Color::none) {
    if (!value.empty()) table.add({{field, Color::dim}, {value, color}});
  };
  const auto put_time = [&](const char* field, const std::optional<sdk::Instant>& at) {
    if (at) put(field, fmt::format("{} ({})", local_text(*at, schedule.timing.zone), relative(*at, now)));
  };
  put("id", schedule.id);
  put("state", state_of(schedule), color_of_state(state_of(schedule)));
  put("namespace", schedule.ns);
  put("timing", schedule.timing.text);
  put("zone", schedule.timing.zone);
  put("gap", schedule.timing.gap);
  put("fold", schedule.timing.fold);
  if (schedule.timing.jitter && schedule.timing.jitter->count() > 0) put("jitter", format_duration(*schedule.timing.jitter));
  put("enqueues", template_text(schedule));
  put("overlap", schedule.overlap);
  put("catch-up", std::to_string(schedule.catchup_max));
  put_time("next fire", schedule.next_fire_at);
  put_time("last fire", schedule.last_fired_at);
  put_time("buffered", schedule.buffered);
  put("last job", schedule.last_job);
  put("fired", std::to_string(schedule.fired));
  put("skipped", std::to_string(schedule.skipped));
  put_time("created", schedule.created_at);
  put_time("updated", schedule.updated_at);
  put("note", schedule.note);
  put("template", schedule.job_document);
  return table;
}

Table fires_table(std::span<const sdk::Instant> fires, const std::string& zone, sdk::Instant now) {
  Table table({{zone}, {"UTC"}, {"WHEN", Align::right}});
  for (const sdk::Instant fire : fires)
    table.add({{local_text(fire, zone)}, {sdk::format_instant(fire), Color::dim}, {relative(fire, now)}});
  return table;
}

}  // namespace muster::cli
