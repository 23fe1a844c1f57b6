#include "fronts/http/json/writer.h"

#include <fmt/format.h>

#include <cmath>

#include "base/time_text.h"
#include "fronts/http/json/text.h"

namespace muster::http {

void JsonWriter::separate() {
  if (comma_) out_.push_back(',');
  comma_ = true;
}

void JsonWriter::open(char c) {
  separate();
  out_.push_back(c);
  comma_ = false;
}

void JsonWriter::close(char c) {
  out_.push_back(c);
  comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(out_, name);
  out_.push_back(':');
  comma_ = false;
}

void JsonWriter::string(std::string_view text) {
  separate();
  append_quoted(out_, text);
}

void JsonWriter::boolean(bool value) {
  separate();
  out_.append(value ? "true" : "false");
}

void JsonWriter::number(std::int64_t value) {
  separate();
  const fmt::format_int text(value);
  out_.append(text.data(), text.size());
}

void JsonWriter::number(std::uint64_t value) {
  separate();
  const fmt::format_int text(value);
  out_.append(text.data(), text.size());
}

void JsonWriter::real(double value) {
  separate();
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(out_), "{}", value);
  else
    out_.append("null");
}

void JsonWriter::instant(Instant at) { string(to_rfc3339(at)); }

void JsonWriter::raw(std::string_view json) {
  separate();
  out_.append(json);
}

}  // namespace muster::http
