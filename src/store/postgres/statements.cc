#include "store/postgres/statements.h"

#include <map>
#include <mutex>
#include <vector>

#include "store/named_statements.h"
#include "store/postgres/moves.h"
#include "store/postgres/postgres_statements.h"
#include "store/postgres/verbs/sweeps.h"
#include "store/transfer/copy.h"

namespace muster::store::postgres {
namespace {

constexpr std::string_view kSchemaToken = "{schema}";
constexpr std::string_view kAgentpgToken = "{agentpg}";

constexpr NamedNumber kNumbers[] = {
    {"flag.cancel_requested", kCancelRequested},
    {"flag.watched", kWatched},
    {"flag.run", kRun},
    {"flag.child_run", kChildRun},
    {"flag.deadline", kDeadline},
    {"flag.outwaited", kOutwaited},
    {"place.scheduled", static_cast<std::int64_t>(Place::scheduled)},
    {"place.ready", static_cast<std::int64_t>(Place::ready)},
    {"place.key_full", static_cast<std::int64_t>(Place::key_full)},
    {"place.blocked", static_cast<std::int64_t>(Place::blocked)},
    {"pass.rows", static_cast<std::int64_t>(kPassRowsMax)},
    {"copy.batch", static_cast<std::int64_t>(transfer::kCopyBatchMax)},
};

std::span<const NamedStatement> all_named() {
  static const auto sorted = named_statements(embedded::postgres_statements(), kNumbers);
  return sorted;
}

}  // namespace

std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
  return out;
}

std::string agentpg_schema(std::string_view schema) {
  return schema == kUsualSchema ? "agentpg" : std::string(schema) + "_agentpg";
}

std::string with_schema(std::string_view text, std::string_view schema) {
  const std::string name = quoted(schema), agentpg = quoted(agentpg_schema(schema));
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t found = text.find('{', at);
    out.append(text.substr(at, found - at));
    if (found == std::string_view::npos) return out;
    const std::string_view rest = text.substr(found);
    const bool ours = rest.starts_with(kSchemaToken), theirs = rest.starts_with(kAgentpgToken);
    out.append(ours ? name : theirs ? agentpg : "{");
    at = found + (ours ? kSchemaToken.size() : theirs ? kAgentpgToken.size() : 1);
  }
}

Sql::Sql(std::string_view name) : index_(statement_index(all_named(), name)) {}

std::span<const StatementText> statements(const std::string& schema) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<StatementText>> known;
  const std::lock_guard lock(mutex);
  auto& list = known[schema];
  if (list.empty())
    for (const NamedStatement& one : all_named()) list.push_back({std::string(one.name), with_schema(one.text, schema)});
  return list;
}

}  // namespace muster::store::postgres
