#include "base/json_reader.h"

#include <fmt/format.h>

#include <limits>

#include "base/json_text.h"

namespace muster::json {
namespace {

bool is_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDepthMax) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::optional<Tree> parse(std::string_view text) {
  if (library_reads_past(text) || is_too_deep(text)) return std::nullopt;
  Tree tree = Tree::parse(text, nullptr, false);
  if (tree.is_discarded()) return std::nullopt;
  return tree;
}

std::optional<Tree> parse_object(std::string_view text) {
  std::optional<Tree> tree = parse(text);
  if (tree && !tree->is_object()) tree.reset();
  return tree;
}

Result<Tree> read(std::string_view text, const std::function<std::string(std::size_t byte)>& place) {
  if (is_too_deep(text)) return Status::invalid_argument(fmt::format("Invalid JSON: nested deeper than {} levels", kDepthMax));
  if (library_reads_past(text)) return Status::invalid_argument("Invalid JSON: it has a byte order mark or a NUL byte");
  try {
    return Tree::parse(text);
  } catch (const Tree::parse_error& error) {
    return Status::invalid_argument(fmt::format("Invalid JSON: {}", place(error.byte)));
  } catch (const Tree::exception&) {
    return Status::invalid_argument("Invalid JSON: a number is out of range");
  }
}

const Tree* member(const Tree& value, const char* name) {
  if (!value.is_object()) return nullptr;
  const auto at = value.find(name);
  return at == value.end() ? nullptr : &*at;
}

const Tree* array(const Tree& value, const char* name) {
  const Tree* found = member(value, name);
  return found != nullptr && found->is_array() ? found : nullptr;
}

const std::string* text(const Tree& value, const char* name) {
  const Tree* found = member(value, name);
  return found != nullptr ? found->get_ptr<const std::string*>() : nullptr;
}

std::optional<std::int64_t> integer(const Tree& value, const char* name) {
  const Tree* found = member(value, name);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  // The library would turn what is above into a negative number.
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<std::uint64_t> natural(const Tree& value, const char* name) {
  const Tree* found = member(value, name);
  if (found == nullptr || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::optional<bool> flag(const Tree& value, const char* name) {
  const Tree* found = member(value, name);
  if (found == nullptr || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

std::string dump(const Tree& value) { return value.dump(-1, ' ', false, Tree::error_handler_t::replace); }

}  // namespace muster::json
