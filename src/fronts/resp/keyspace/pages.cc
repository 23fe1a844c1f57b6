#include "fronts/resp/keyspace/pages.h"

#include "base/ascii.h"
#include "fronts/resp/core.h"
#include "fronts/resp/keyspace/arguments.h"

namespace muster::resp::keyspace {
namespace {

std::optional<store::KeyType> read_type(std::string_view text) {
  const std::string name = upper(text);
  if (name == "STRING") return store::KeyType::text;
  if (name == "LIST") return store::KeyType::list;
  if (name == "HASH") return store::KeyType::hash;
  if (name == "SET") return store::KeyType::set;
  if (name == "ZSET") return store::KeyType::scores;
  return std::nullopt;
}

Status read_option(Call& call, std::size_t& at, PageRequest& page) {
  const std::string option = upper(call.arg(at));
  if (option == "NOVALUES" && call.name() == "HSCAN") {
    page.no_values = true;
    return {};
  }
  if (++at >= call.size()) return bad(kSyntax);
  const std::string& value = call.arg(at);
  if (option == "MATCH") {
    page.pattern = value;
  } else if (option == "COUNT") {
    const auto count = integer(value);
    if (!count) return bad(kNotAnInteger);
    if (*count < 1) return bad(kSyntax);
    page.count = static_cast<std::size_t>(*count);
  } else if (option == "TYPE" && call.name() == "SCAN") {
    page.type = read_type(value);
    if (!page.type) return bad("unknown type name '" + value + "'");
  } else {
    return bad(kSyntax);
  }
  return {};
}

}  // namespace

Result<PageRequest> read_page(Call& call, std::size_t cursor_at) {
  PageRequest page;
  const auto cursor = natural(call.arg(cursor_at));
  if (!cursor) return bad("invalid cursor");
  if (*cursor != 0) {
    auto place = call.core().cursors.find(*cursor);
    if (!place) return bad("invalid cursor");
    page.place = std::move(*place);
  }
  for (std::size_t i = cursor_at + 1; i < call.size(); ++i)
    if (const Status read = read_option(call, i, page); !read.ok()) return read;
  return page;
}

}  // namespace muster::resp::keyspace
