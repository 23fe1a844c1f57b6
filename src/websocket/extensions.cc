#include "websocket/extensions.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::websocket {
namespace {

constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";

bool is_token_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kTokenMarks.find(c) != kTokenMarks.npos;
}

// One line from its left to its right.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  bool take(char wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Empty: there is none.
  std::string_view token() {
    skip_blanks();
    const auto size = static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), is_token_character) - rest_.begin());
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }
  // A token, or one in quotes: what stands between them must be one too. Empty: there is none.
  std::string value() {
    if (!take('"')) return std::string(token());
    std::string out;
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() == '\\') rest_.remove_prefix(1);
      if (rest_.empty() || !is_token_character(rest_.front())) return {};
      out.push_back(rest_.front());
      rest_.remove_prefix(1);
    }
    return take('"') ? out : std::string();
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  std::string_view rest_;
};

Status wrong_grammar(std::string_view what) {
  return Status::invalid_argument(fmt::format("Sec-WebSocket-Extensions is not well formed: {}", what));
}

Result<Extension> read_extension(LineReader& line) {
  Extension extension{.name = std::string(line.token())};
  if (extension.name.empty()) return wrong_grammar("the name of an extension is missing");
  while (line.take(';')) {
    Extension::Parameter parameter{.name = std::string(line.token())};
    if (parameter.name.empty()) return wrong_grammar("the name of a parameter is missing");
    if (line.take('=')) {
      parameter.value = line.value();
      if (parameter.value->empty()) return wrong_grammar("the value of a parameter is missing or no token");
    }
    if (extension.parameters.size() == kExtensionParametersMax)
      return wrong_grammar(fmt::format("an extension has more than {} parameters", kExtensionParametersMax));
    extension.parameters.push_back(std::move(parameter));
  }
  return extension;
}

}  // namespace

Result<std::vector<Extension>> parse_extensions(const std::vector<std::string_view>& lines) {
  std::vector<Extension> out;
  for (const std::string_view each : lines) {
    LineReader line(each);
    while (!line.at_end()) {
      if (line.take(',')) continue;  // lists may have empty elements (RFC 9110, section 5.6.1)
      auto extension = read_extension(line);
      if (!extension.ok()) return extension.status();
      if (out.size() == kExtensionsMax) return wrong_grammar(fmt::format("it names more than {} extensions", kExtensionsMax));
      out.push_back(*std::move(extension));
      if (!line.at_end() && !line.take(',')) return wrong_grammar("something stands behind an extension that is no comma");
    }
  }
  return out;
}

}  // namespace muster::websocket
