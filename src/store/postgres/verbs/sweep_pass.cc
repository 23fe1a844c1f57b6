#include "store/postgres/verbs/sweep_pass.h"

#include "store/postgres/node.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

const Sql kSweepLeads{"sweep_leads"};

std::int64_t term_of(Tx& tx) { return tx.node().leadership.term.load(); }

Params leader_params(Tx& tx) { return std::move(Params().text(tx.node().options.node).int8(term_of(tx))); }

}  // namespace

bool leads(Tx& tx) { return term_of(tx) != 0 && tx.ask(kSweepLeads, leader_params(tx)).size() == 1; }

std::optional<Rows> ask_leading(Tx& tx, Sql statement, Params params) {
  if (term_of(tx) == 0) return std::nullopt;
  tx.write(kSweepLeads, leader_params(tx));
  tx.write(statement, std::move(params));
  std::vector<Rows> rows = tx.ask_all();
  if (tx.failed() || rows.size() < 2 || rows[rows.size() - 2].size() != 1) return std::nullopt;
  return std::move(rows.back());
}

std::vector<std::int64_t> PassBudget::keys(const Rows& found) const {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < std::min(found.size(), rows); ++i) out.push_back(found.integer(i, 0));
  return out;
}

std::optional<Instant> ask_instant(Tx& tx, Sql statement) {
  const Rows rows = tx.ask(statement);
  if (rows.size() == 0 || rows.null(0, 0)) return std::nullopt;
  return from_ms(rows.integer(0, 0));
}

}  // namespace muster::store::postgres
