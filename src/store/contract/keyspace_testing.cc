#include "store/contract/keyspace_testing.h"

namespace muster::store::contract {

std::string show(const KeyAnswer& answer) {
  switch (answer.kind) {
    case KeyAnswer::Kind::nothing: return "nil";
    case KeyAnswer::Kind::done: return "OK";
    case KeyAnswer::Kind::number: return fmt::format(":{}", answer.number);
    case KeyAnswer::Kind::real: return fmt::format(",{}", answer.real);
    case KeyAnswer::Kind::text: return fmt::format("'{}'", answer.text);
    case KeyAnswer::Kind::refused: return "!" + answer.text;
    case KeyAnswer::Kind::list: break;
  }
  std::string out = "[";
  for (const KeyAnswer& element : answer.list) out += (out.size() > 1 ? " " : "") + show(element);
  return out + "]";
}

std::vector<std::string> KeyspaceContract::names(std::string pattern, std::size_t limit) {
  std::vector<std::string> out;
  std::string after;
  do {
    const KeyAnswer page = answer_of(key::Names{.after = after, .pattern = pattern, .limit = limit});
    if (page.list.empty()) return {"no page: " + show(page)};
    after = page.list.front().text;
    for (std::size_t i = 1; i < page.list.size(); ++i) out.push_back(page.list[i].text);
  } while (!after.empty());
  return out;
}

}  // namespace muster::store::contract
