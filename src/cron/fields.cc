#include "cron/fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"

namespace muster::cron {
namespace {

struct Name {
  std::string_view text;
  int value;
};

constexpr std::array kMonths{
    Name{"jan", 1},      Name{"january", 1}, Name{"feb", 2},       Name{"february", 2}, Name{"mar", 3},       Name{"march", 3},
    Name{"apr", 4},      Name{"april", 4},   Name{"may", 5},       Name{"jun", 6},      Name{"june", 6},      Name{"jul", 7},
    Name{"july", 7},     Name{"aug", 8},     Name{"august", 8},    Name{"sep", 9},      Name{"september", 9}, Name{"oct", 10},
    Name{"october", 10}, Name{"nov", 11},    Name{"november", 11}, Name{"dec", 12},     Name{"december", 12}};

// Counted as in six fields, from 1 = Sunday.
constexpr std::array kWeekdays{Name{"sun", 1},       Name{"sunday", 1}, Name{"mon", 2},     Name{"monday", 2},
                               Name{"tue", 3},       Name{"tues", 3},   Name{"tuesday", 3}, Name{"wed", 4},
                               Name{"wednesday", 4}, Name{"thu", 5},    Name{"thurs", 5},   Name{"thursday", 5},
                               Name{"fri", 6},       Name{"friday", 6}, Name{"sat", 7},     Name{"saturday", 7}};

struct Kind {
  std::string_view name;
  int least = 0;
  int most = 0;       // also the longest step
  int star_most = 0;  // where `*` and `x/step` end
  std::span<const Name> names{};
  int name_shift = 0;  // from the number of a name to that of the field
  bool is_day = false;
};

constexpr Kind kSeconds{"seconds", 0, 59, 59};
constexpr Kind kMinutes{"minutes", 0, 59, 59};
constexpr Kind kHours{"hours", 0, 23, 23};
constexpr Kind kDays{"day-of-month", 1, 31, 31, {}, 0, true};
constexpr Kind kMonth{"month", 1, 12, 12, kMonths};
constexpr Kind kWeekdayFromOne{"day-of-week", 1, 7, 7, kWeekdays, 0, true};
constexpr Kind kWeekdayFromZero{"day-of-week", 0, 7, 6, kWeekdays, -1, true};
constexpr Kind kYear{"year", kYearFirst, kYearLast, kYearLast};

// Reads one field; every refusal begins with its place.
class FieldReader {
 public:
  FieldReader(std::size_t place, const Kind& kind) : place_(place), kind_(kind) {}

  // The numbers the text stands for, by their distance from kind.least.
  Result<std::bitset<256>> read(std::string_view text) const {
    std::bitset<256> set;
    while (true) {
      const std::size_t comma = text.find(',');
      if (Status status = read_item(text.substr(0, comma), set); !status.ok()) return status;
      if (comma == std::string_view::npos) return set;
      text.remove_prefix(comma + 1);
    }
  }

 private:
  Status refuse(const std::string& why) const {
    return Status::invalid_argument(fmt::format("field {} ({}): {}", place_, kind_.name, why));
  }

  Status read_item(std::string_view item, std::bitset<256>& set) const {
    if (item.empty()) return refuse("a list has an empty place");
    const std::size_t slash = item.find('/');
    const bool stepped = slash != std::string_view::npos;
    const std::string_view base = item.substr(0, slash);
    int first = kind_.least;
    int last = kind_.star_most;
    if (base == "?" && !kind_.is_day) return refuse("'?' is accepted in day-of-month and day-of-week only");
    if (base != "*" && base != "?") {
      if (Status status = read_range(base, stepped, first, last); !status.ok()) return status;
    }
    int step = 1;
    if (stepped) {
      const auto given = number(item.substr(slash + 1));
      if (!given) return refuse(fmt::format("step '{}' is not a number", quoted(item.substr(slash + 1))));
      if (*given < 1 || *given > kind_.most) return refuse(fmt::format("step {} is not within 1 to {}", *given, kind_.most));
      step = static_cast<int>(*given);
    }
    for (int n = first; n <= last; n += step) set.set(static_cast<std::size_t>(n - kind_.least));
    return {};
  }

  Status read_range(std::string_view text, bool stepped, int& first, int& last) const {
    const std::size_t dash = text.find('-');
    if (Status status = read_point(text.substr(0, dash), first); !status.ok()) return status;
    if (dash == std::string_view::npos) {
      last = stepped ? std::max(first, kind_.star_most) : first;
      return {};
    }
    const std::string_view end = text.substr(dash + 1);
    if (Status status = read_point(end, last); !status.ok()) return status;
    // Where Sunday is both 0 and 7, the name at the end of a range means the later one: fri-sun.
    if (last == 0 && kind_.most == 7 && !is_digit(end.front()) && first > 0) last = 7;
    if (first > last) return refuse(fmt::format("the range {} runs backwards", quoted(text)));
    return {};
  }

  Status read_point(std::string_view text, int& out) const {
    if (text.empty()) return refuse("a number is missing");
    if (!is_digit(text.front()) && !kind_.names.empty()) {
      if (const auto value = named(text)) {
        out = *value;
        return {};
      }
      return refuse(fmt::format("'{}' is neither a number nor a name", quoted(text)));
    }
    const auto value = number(text);
    if (!value) return refuse(fmt::format("'{}' is not a number", quoted(text)));
    if (*value < kind_.least || *value > kind_.most)
      return refuse(fmt::format("{} is not within {} to {}", quoted(text), kind_.least, kind_.most));
    out = static_cast<int>(*value);
    return {};
  }

  std::optional<int> named(std::string_view text) const {
    std::string name(text);
    name = lower(name);
    const auto it = std::find_if(kind_.names.begin(), kind_.names.end(), [&](const Name& n) { return n.text == name; });
    if (it == kind_.names.end()) return std::nullopt;
    return it->value + kind_.name_shift;
  }

  // A number too long to matter is some number beyond every range.
  static std::optional<std::int64_t> number(std::string_view text) {
    constexpr std::int64_t kBeyond = 1'000'000;
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : text) value = std::min(kBeyond, value * 10 + (c - '0'));
    return value;
  }

  std::size_t place_;
  const Kind& kind_;
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return fields;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    fields.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// As Vixie's cron judges it: a field that begins with a star restricts nothing by itself, even with a step.
bool is_open(std::string_view field) { return field.front() == '*' || field.front() == '?'; }

// REQUIRES: the set fits a word.
std::uint64_t shifted(const std::bitset<256>& set, int least) { return set.to_ullong() << least; }

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t kShownMax = 32;
  std::string out;
  for (const char c : text.substr(0, kShownMax)) {
    if (c >= 0x20 && c < 0x7f)
      out.push_back(c);
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (text.size() > kShownMax) out += "...";
  return out;
}

Result<Fields> parse_fields(std::string_view text, CronForm form) {
  const std::vector<std::string_view> parts = split(text);
  const bool five = parts.size() == 5;
  if (form == CronForm::kagzi ? parts.size() != 6 && parts.size() != 7 : parts.size() < 5 || parts.size() > 7)
    return Status::invalid_argument(
        fmt::format("cron '{}' has {} fields; accepted are {}", quoted(text), parts.size(),
                    form == CronForm::kagzi ? "six or seven: seconds minutes hours day-of-month month day-of-week [year]"
                                            : "five to seven: [seconds] minutes hours day-of-month month day-of-week [year]"));

  Fields fields;
  std::size_t place = 0;
  const auto next = [&](const Kind& kind) {
    const std::string_view part = parts[place++];
    return FieldReader(place, kind).read(part);
  };
  const auto read = [&](const Kind& kind, std::uint64_t& into) -> Status {
    const Result<std::bitset<256>> set = next(kind);
    if (set.ok()) into = shifted(*set, kind.least);
    return set.status();
  };
  if (!five)
    if (Status status = read(kSeconds, fields.seconds); !status.ok()) return status;
  if (Status status = read(kMinutes, fields.minutes); !status.ok()) return status;
  if (Status status = read(kHours, fields.hours); !status.ok()) return status;
  if (Status status = read(kDays, fields.days); !status.ok()) return status;
  if (Status status = read(kMonth, fields.months); !status.ok()) return status;
  if (Status status = read(five ? kWeekdayFromZero : kWeekdayFromOne, fields.weekdays); !status.ok()) return status;
  if (five) {
    fields.weekdays = (fields.weekdays | fields.weekdays >> 7) & 0x7f;
    fields.either_day = !is_open(parts[2]) && !is_open(parts[4]);
  } else {
    fields.weekdays >>= 1;
  }
  if (parts.size() < 7) {
    fields.years.set();
    return fields;
  }
  const Result<std::bitset<256>> years = next(kYear);
  if (!years.ok()) return years.status();
  for (std::size_t i = 0; i < fields.years.size(); ++i) fields.years.set(i, years->test(i));
  return fields;
}

}  // namespace muster::cron
