// Workers to read: by name, and as pages of a list.
#include <algorithm>

#include <fmt/format.h>

#include "store/jobs/workers.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/verbs/worker_rows.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kWorkerRead{"worker_read"};
const Sql kWorkerPage{"worker_page"};

Rows read_chunk(Tx& tx, NamespaceKey ns, const std::string& after, const WorkerQuery& query) {
  Column states(Type::int2);
  for (const WorkerState state : query.states) states.add(static_cast<std::int64_t>(state));
  Params params;
  params.int4(ns).text(after).array(std::move(states)).int8(static_cast<std::int64_t>(query.limit + 1));
  return tx.ask(kWorkerPage, std::move(params));
}

// Adds the matching workers of one namespace behind `after`. True: the page is full and there are more.
bool fill_page(Tx& tx, NamespaceKey ns, std::string after, const WorkerQuery& query, WorkerPage& page) {
  const WorkerReader reader(tx);
  for (;;) {
    const Rows rows = read_chunk(tx, ns, after, query);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      WorkerRow row = reader.read_whole(rows, i);
      after = row.worker.spec.id.text();
      if (!jobs::matches(row.worker, query)) continue;
      if (page.workers.size() == query.limit) return true;
      page.workers.push_back(std::move(row.worker));
    }
    if (rows.size() <= query.limit) return false;
  }
}

}  // namespace

Each<Worker> get_workers(Tx& tx, const NamespaceName& ns, const std::vector<WorkerId>& workers) {
  Each<Worker> answers;
  const auto key = tx.namespace_key(ns);
  for (const WorkerId& id : workers) answers.push_back(key.ok() ? refusal::no_worker(ns, id) : key.status());
  if (!key.ok() || workers.empty()) return answers;
  write_worker_counts(tx);
  NameColumns names;
  for (const WorkerId& id : workers) names.add(*key, id);
  const Rows rows = tx.ask(kWorkerRead, names.params());
  const WorkerReader reader(tx);
  std::map<std::string, Worker> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    WorkerRow row = reader.read_whole(rows, i);
    found.insert_or_assign(row.worker.spec.id.text(), std::move(row.worker));
  }
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (const auto it = found.find(workers[i].text()); it != found.end()) answers[i] = it->second;
  return answers;
}

// By (namespace, id). The cursor is "<namespace>/<last id>"; neither name holds a slash.
Result<WorkerPage> list_workers(Tx& tx, const WorkerQuery& query) {
  if (!query.ns.empty())
    if (const auto key = tx.namespace_key(query.ns); !key.ok()) return key.status();
  const std::size_t slash = query.cursor.find('/');
  const std::string from_ns = query.cursor.substr(0, slash);
  if (!query.cursor.empty() && (slash == std::string::npos || !tx.directory().find_namespace(NamespaceName(from_ns)) ||
                                (!query.ns.empty() && query.ns.text() != from_ns)))
    return refusal::bad_cursor(query.cursor);

  write_worker_counts(tx);
  WorkerPage page;
  for (const NamespaceEntry& ns : tx.directory().namespaces()) {
    const std::string& name = ns.info.name.text();
    if (name < from_ns || (!query.ns.empty() && name != query.ns.text())) continue;
    const bool cursor_here = !query.cursor.empty() && name == from_ns;
    if (fill_page(tx, ns.key, cursor_here ? query.cursor.substr(slash + 1) : std::string(), query, page)) {
      const WorkerSpec& last = page.workers.back().spec;
      page.next = fmt::format("{}/{}", last.ns.text(), last.id.text());
      return page;
    }
  }
  return page;
}

}  // namespace muster::store::postgres
