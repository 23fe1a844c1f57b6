// Many at once as one after the other: what a database inside the process needs no better.
#include "store/key_rows.h"

namespace muster::store {

std::vector<std::optional<std::string>> KeyRows::fields_of(const KeyHead& head, const std::vector<std::string_view>& names) {
  std::vector<std::optional<std::string>> out;
  out.reserve(names.size());
  for (const std::string_view name : names) out.push_back(field(head, name));
  return out;
}

std::int64_t KeyRows::put_fields(const KeyHead& head, const std::vector<FieldView>& fields) {
  std::int64_t added = 0;
  for (const FieldView& each : fields) added += put_field(head, each.name, each.value);
  return added;
}

std::int64_t KeyRows::remove_fields(const KeyHead& head, const std::vector<std::string_view>& names) {
  std::int64_t removed = 0;
  for (const std::string_view name : names) removed += remove_field(head, name);
  return removed;
}

std::vector<std::optional<double>> KeyRows::scores_of(const KeyHead& head, const std::vector<std::string_view>& members) {
  std::vector<std::optional<double>> out;
  out.reserve(members.size());
  for (const std::string_view member : members) out.push_back(score(head, member));
  return out;
}

std::int64_t KeyRows::put_scores(const KeyHead& head, const std::vector<ScoredMember>& members) {
  std::int64_t added = 0;
  for (const ScoredMember& member : members) added += put_score(head, member.member, member.score);
  return added;
}

std::int64_t KeyRows::remove_scores(const KeyHead& head, const std::vector<std::string_view>& members) {
  std::int64_t removed = 0;
  for (const std::string_view member : members) removed += remove_score(head, member);
  return removed;
}

}  // namespace muster::store
