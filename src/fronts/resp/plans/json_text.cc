#include "fronts/resp/plans/json_text.h"

#include <utility>

#include "base/json_reader.h"
#include "base/json_text.h"

namespace muster::resp::plans {
namespace {

template <class Render>
std::string joined(const std::vector<std::string>& parts, Render render) {
  std::string out = "[";
  for (const std::string& part : parts) {
    if (out.size() > 1) out += ',';
    out += render(part);
  }
  return out + "]";
}

}  // namespace

std::string json_string(std::string_view text) {
  // Ids and words are nearly all that is ever quoted; they need no escape.
  if (!json::is_plain(text)) return json::dump(json::Tree(text));
  std::string out;
  out.reserve(text.size() + 2);
  return out.append(1, '"').append(text).append(1, '"');
}

void append_json_string(std::string& out, std::string_view text) {
  if (json::is_plain(text))
    out.append(1, '"').append(text).append(1, '"');
  else
    out += json_string(text);
}

void ObjectText::raw(std::string_view name, std::string_view json) {
  if (out_.size() > 1) out_ += ',';
  out_ += '"';
  out_ += name;
  out_ += "\":";
  out_ += json;
}

std::string ObjectText::take() && {
  out_ += '}';
  return std::move(out_);
}

std::string string_array(const std::vector<std::string>& texts) {
  return joined(texts, [](const std::string& text) { return json_string(text); });
}

std::string raw_array(const std::vector<std::string>& values) {
  return joined(values, [](const std::string& value) -> const std::string& { return value; });
}

}  // namespace muster::resp::plans
