// Jobs by the keys their clients gave them.
#include <unordered_map>

#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kIdempotencyFind{"idempotency_find"};
const Sql kUniqueHolders{"unique_holders"};

// The statement takes namespaces and keys and answers (namespace, key, job) for those it has.
Each<JobId> find(Tx& tx, Sql statement, const NamespaceName& ns, const std::vector<std::string>& keys,
                 Status (*nobody)(std::string_view key)) {
  const auto ns_key = tx.namespace_key(ns);
  if (!ns_key.ok()) return Each<JobId>(keys.size(), ns_key.status());
  Column scope(Type::int4), key(Type::bytes);
  for (const std::string& one : keys) {
    scope.add(std::int64_t{*ns_key});
    key.add(std::string_view(one));
  }
  const Rows rows = tx.ask(statement, std::move(Params().array(std::move(scope)).array(std::move(key))));
  std::unordered_map<std::string, JobId> found;
  for (std::size_t i = 0; i < rows.size(); ++i) found.emplace(rows.text(i, 1), tx.ids().encode(rows.integer(i, 2)));
  Each<JobId> out;
  for (const std::string& one : keys) {
    const auto it = found.find(one);
    if (it != found.end())
      out.emplace_back(it->second);
    else
      out.emplace_back(nobody(one));
  }
  return out;
}

}  // namespace

Each<JobId> find_jobs(Tx& tx, const NamespaceName& ns, const std::vector<std::string>& keys) {
  return find(tx, kIdempotencyFind, ns, keys, refusal::no_key);
}

Each<JobId> find_holders(Tx& tx, const NamespaceName& ns, const std::vector<std::string>& keys) {
  return find(tx, kUniqueHolders, ns, keys, refusal::no_holder);
}

}  // namespace muster::store::postgres
