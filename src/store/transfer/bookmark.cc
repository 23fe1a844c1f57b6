#include "store/transfer/bookmark.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace muster::store::transfer {
namespace {

constexpr std::string_view kForm = "1";  // of the text

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return out;
}

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    if (error != std::errc() || end != digits.data() + i + 2) return std::nullopt;
    out += static_cast<char>(value);
  }
  return out;
}

template <class Number>
bool read_number(std::string_view text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t space = text.find(' ');
    out.push_back(text.substr(0, space));
    if (space == std::string_view::npos) return out;
    text.remove_prefix(space + 1);
  }
}

}  // namespace

std::string bookmark_to_text(const Bookmark& bookmark) {
  return fmt::format("{} {} {} {} {} {} {}", kForm, bookmark.source, bookmark.schema, bookmark.done ? "done" : "copying",
                     index_of(bookmark.kind), bookmark.after.first, to_hex(bookmark.after.second));
}

std::optional<Bookmark> bookmark_from_text(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 7 || words[0] != kForm || (words[3] != "done" && words[3] != "copying")) return std::nullopt;
  Bookmark out;
  out.source = words[1];
  out.done = words[3] == "done";
  std::size_t kind = 0;
  const auto second = from_hex(words[6]);
  if (!read_number(words[2], out.schema) || !read_number(words[4], kind) || !read_number(words[5], out.after.first) || !second ||
      kind >= kKinds.size())
    return std::nullopt;
  out.kind = kKinds[kind];
  out.after.second = *second;
  return out;
}

Status may_continue(const Bookmark& bookmark, const std::string& source, std::uint32_t schema) {
  if (bookmark.schema != schema)
    return Status::conflict("the target holds a copy that another version of muster began; remove it and begin again");
  if (bookmark.source != source)
    return Status::conflict(
        bookmark.done ? "the target is not empty: it holds a copy of another store, or of this one at another time"
                      : "the target holds a half-done copy of another store, or this one has changed since; remove it and begin "
                        "again");
  return {};
}

Status must_be_empty(const Counts& counts) {
  if (counts[index_of(Kind::namespaces)] > 1)
    return Status::conflict(
        fmt::format("the target is not empty: it holds {} namespaces; name an empty one", counts[index_of(Kind::namespaces)]));
  for (const Kind kind : kKinds)
    if (kind != Kind::namespaces && counts[index_of(kind)] > 0)
      return Status::conflict(
          fmt::format("the target is not empty: it holds {} {}; name an empty one", counts[index_of(kind)], to_string(kind)));
  return {};
}

}  // namespace muster::store::transfer
