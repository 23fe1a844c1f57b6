#include "fronts/http/json/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace muster::http {
namespace {

constexpr std::size_t kCloseEdits = 2;       // a slip of the finger
constexpr std::size_t kShownNameBytes = 64;  // of a name that a client made up

// Levenshtein distance, one row at a time.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

bool is_close(std::string_view name, std::string_view accepted) {
  return edits_between(name, accepted) <= kCloseEdits ||
         (name.size() > 2 && (accepted.starts_with(name) || name.starts_with(accepted)));
}

}  // namespace

std::string unknown_name(std::string_view name, std::span<const std::string_view> accepted) {
  const std::string_view shown = name.substr(0, kShownNameBytes);
  std::string_view close;
  for (const std::string_view candidate : accepted)
    if (close.empty() && is_close(shown, candidate)) close = candidate;
  const std::string hint = close.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", close);
  return fmt::format("unknown field \"{}\"{} accepted are {}", shown, hint.empty() ? ";" : hint, fmt::join(accepted, ", "));
}

std::string two_of_one(std::string_view first, std::string_view second) {
  return fmt::format("\"{}\" and \"{}\" are given; one of them is accepted", first, second);
}

void Schemas::refer(std::string_view name, Draw draw, std::string_view example) {
  json.member("$ref", fmt::format("#/components/schemas/{}", name));
  Named& named = named_.try_emplace(std::string(name), Named{.draw = draw, .example = example, .sent = sent_}).first->second;
  named.sent = named.sent | sent_;
}

void Schemas::add(const Schemas& other) {
  for (const auto& [name, object] : other.named_) {
    Named& named = named_.try_emplace(name, object).first->second;
    named.sent = named.sent | object.sent;
  }
}

void draw_caption(Schemas& out, const Caption& caption) {
  const std::string_view unit = caption.name.ends_with("_ms") ? "Milliseconds." : "";
  const std::string_view gap = caption.doc.empty() || unit.empty() ? "" : " ";
  if (const std::string doc = fmt::format("{}{}{}", caption.doc, gap, unit); !doc.empty()) out.json.member("description", doc);
  const auto bound = [&](const char* name, double value) {
    out.json.key(name);
    if (value == std::floor(value))
      out.json.number(static_cast<std::int64_t>(value));
    else
      out.json.real(value);
  };
  if (caption.range.least != Range().least) bound("minimum", caption.range.least);
  if (caption.range.most != Range().most) bound("maximum", caption.range.most);
}

}  // namespace muster::http
