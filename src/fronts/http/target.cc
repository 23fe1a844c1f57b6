#include "fronts/http/target.h"

#include <fmt/format.h>

#include <charconv>

#include "base/ascii.h"
#include "base/time_text.h"
#include "fronts/http/json/fields.h"

namespace muster::http {
namespace {

constexpr std::size_t kShownBytes = 64;

enum class Plus : std::uint8_t { literal, space };

std::optional<std::string> decode(std::string_view text, Plus plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == Plus::space) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return out;
}

Status bad_escape(std::string_view text) {
  return Status::invalid_argument(
      fmt::format("\"{}\" holds a broken percent escape, or an escaped NUL", text.substr(0, kShownBytes)));
}

Status parse_query(std::string_view text, std::vector<QueryParameter>& out) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    if (out.size() == kQueryParametersMax)
      return Status::invalid_argument(fmt::format("more than {} query parameters", kQueryParametersMax));
    const std::size_t equals = pair.find('=');
    auto name = decode(pair.substr(0, equals), Plus::space);
    auto value = decode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), Plus::space);
    if (!name || !value) return bad_escape(pair);
    out.push_back({*std::move(name), *std::move(value)});
  }
  return {};
}

}  // namespace

Result<Target> parse_target(std::string_view text) {
  // A client that takes the server for a proxy names it in the target; RFC 9112 wants that understood.
  for (const std::string_view scheme : {std::string_view("http://"), std::string_view("https://")}) {
    if (!text.starts_with(scheme)) continue;
    const std::size_t path = text.find('/', scheme.size());
    text = path == std::string_view::npos ? std::string_view("/") : text.substr(path);
  }
  if (text.empty() || text.front() != '/')
    return Status::invalid_argument(
        fmt::format("the request target \"{}\" does not begin with '/'", text.substr(0, kShownBytes)));
  text = text.substr(0, text.find('#'));
  const std::size_t mark = text.find('?');
  Target target;
  target.path = std::string(text.substr(0, mark));
  if (mark != std::string_view::npos)
    if (Status parsed = parse_query(text.substr(mark + 1), target.query); !parsed.ok()) return parsed;
  std::string_view rest = std::string_view(target.path).substr(1);
  while (!rest.empty()) {
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), segment.size() + 1));
    auto decoded = decode(segment, Plus::literal);
    if (!decoded) return bad_escape(segment);
    target.segments.push_back(*std::move(decoded));
  }
  return target;
}

void QueryReader::refuse(std::string_view name, std::string_view message) {
  if (status_.ok()) status_ = Status::invalid_argument(fmt::format("query parameter \"{}\": {}", name, message));
}

std::vector<std::string> QueryReader::texts(std::string_view name) {
  names_.push_back(name);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < query_.size(); ++i) {
    if (query_[i].name != name) continue;
    asked_[i] = true;
    found.push_back(query_[i].value);
  }
  return found;
}

std::optional<std::string> QueryReader::text(std::string_view name) {
  std::vector<std::string> found = texts(name);
  if (found.size() > 1) refuse(name, "given twice");
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<std::string> QueryReader::words(std::string_view name) {
  std::vector<std::string> out;
  for (const std::string& value : texts(name)) {
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (!word.empty()) out.emplace_back(word);
    }
  }
  return out;
}

std::optional<Instant> QueryReader::instant(std::string_view name) {
  const auto value = text(name);
  if (!value || value->empty()) return std::nullopt;
  const auto at = parse_rfc3339(*value);
  if (!at)
    refuse(name, fmt::format("\"{}\" is not an RFC 3339 time such as 2026-11-15T09:00:00.000Z", value->substr(0, kShownBytes)));
  return at;
}

std::optional<std::uint64_t> QueryReader::number(std::string_view name, std::uint64_t most) {
  const auto value = text(name);
  if (!value || value->empty()) return std::nullopt;
  std::uint64_t parsed = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), parsed);
  if (error != std::errc() || end != value->data() + value->size() || parsed > most) {
    refuse(name, fmt::format("\"{}\" is not an integer from 0 to {}", value->substr(0, kShownBytes), most));
    return std::nullopt;
  }
  return parsed;
}

bool QueryReader::flag(std::string_view name) {
  const auto value = text(name);
  if (!value || *value == "false") return false;
  if (*value != "true") refuse(name, fmt::format("\"{}\" is not accepted; true or false is", value->substr(0, kShownBytes)));
  return true;
}

Status QueryReader::finish() {
  for (std::size_t i = 0; status_.ok() && i < query_.size(); ++i)
    if (!asked_[i]) status_ = Status::invalid_argument("query: " + unknown_name(query_[i].name, names_));
  return status_;
}

}  // namespace muster::http
