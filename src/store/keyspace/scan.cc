// A page of a hash or a set: [next, element, …], `next` empty at the end. Cursors are names, so whoever is there during the
// whole walk is met exactly once, however much changes meanwhile.
#include "base/glob.h"
#include "store/keyspace/families.h"

namespace muster::store::keyspace {

std::size_t page_rows(std::size_t limit) {
  return std::clamp<std::size_t>(limit == 0 ? Bounds::kNamesPageMax : limit, 1, Bounds::kNamesPageMax);
}

KeyAnswer scan_fields(Stage& stage, const Look& container, const FieldPage& page) {
  if (auto refused = refuse_pattern(page.pattern)) return *refused;
  Gathered out;
  out.add(std::string());
  if (!container.head) return out.take();
  bool fits = true;
  const auto take = [&](KeyPair field) {
    if (!page.pattern.empty() && !glob_matches(page.pattern, field.first)) return;
    fits = fits && out.add(std::move(field.first));
    if (page.with_values) fits = fits && out.add(std::move(field.second));
  };
  // Nothing comes before the empty name, so no cursor leads to it.
  if (page.after.empty())
    if (auto value = stage.rows.field(*container.head, {})) take({{}, std::move(*value)});
  auto fields = stage.rows.fields(*container.head, page.after, page_rows(page.limit));
  std::size_t bytes = 0;
  for (const KeyPair& field : fields) bytes += field.first.size() + field.second.size();
  std::string next = may_follow(fields.size(), page_rows(page.limit), bytes) ? fields.back().first : std::string();
  for (KeyPair& field : fields) take(std::move(field));
  if (!fits) return refuse_answer();
  KeyAnswer answer = out.take();
  answer.list.front().text = std::move(next);
  return answer;
}

}  // namespace muster::store::keyspace
