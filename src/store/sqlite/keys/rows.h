// The rows under the keyspace on SQLite: one space of one namespace, within the writer's transaction or between two of them.
//
// Failures latch in the connection, as everywhere in this folder. Texts that were written are remembered, so that the cache can
// have them once they are durable.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "store/key_rows.h"
#include "store/sqlite/db.h"
#include "store/sqlite/key_cache.h"

namespace muster::store::sqlite {

// The keyspace's statements of one connection, prepared at open from sql/key_*.sql. A member is named like its file, without the
// key_.

struct KeyStatements {
  explicit KeyStatements(Connection& connection) : db(connection) {}

  Connection& db;
  Statement find{db, "key_find"};
  Statement insert{db, "key_insert"};
  Statement write{db, "key_write"};
  Statement remove{db, "key_remove"};
  Statement rename{db, "key_rename"};
  Statement names{db, "key_names"};
  Statement count{db, "key_count"};
  Statement clear_texts{db, "key_clear_texts"};
  Statement retire{db, "key_retire"};
  Statement retire_first{db, "key_retire_first"};
  Statement version{db, "key_version"};
  Statement whole_begin{db, "key_whole_begin"};
  Statement whole_undo{db, "key_whole_undo"};
  Statement whole_end{db, "key_whole_end"};
  Statement text{db, "key_text"};
  Statement put_text{db, "key_put_text"};
  Statement expired{db, "key_expired"};
  Statement next_expiry{db, "key_next_expiry"};
  Statement items_left{db, "key_items_left"};
  Statement items_right{db, "key_items_right"};
  Statement items_past_left{db, "key_items_past_left"};
  Statement items_past_right{db, "key_items_past_right"};
  Statement positions_left{db, "key_positions_left"};
  Statement positions_right{db, "key_positions_right"};
  Statement item_put{db, "key_item_put"};
  Statement items_delete{db, "key_items_delete"};
  Statement items_delete_all{db, "key_items_delete_all"};
  Statement items_delete_some{db, "key_items_delete_some"};
  Statement field{db, "key_field"};
  Statement field_insert{db, "key_field_insert"};
  Statement field_update{db, "key_field_update"};
  Statement field_delete{db, "key_field_delete"};
  Statement fields{db, "key_fields"};
  Statement field_at{db, "key_field_at"};
  Statement fields_delete_all{db, "key_fields_delete_all"};
  Statement fields_delete_some{db, "key_fields_delete_some"};
  Statement score{db, "key_score"};
  Statement score_insert{db, "key_score_insert"};
  Statement score_update{db, "key_score_update"};
  Statement score_delete{db, "key_score_delete"};
  Statement scores_up{db, "key_scores_up"};
  Statement scores_down{db, "key_scores_down"};
  Statement scores_up_past{db, "key_scores_up_past"};
  Statement scores_down_past{db, "key_scores_down_past"};
  Statement scores_between_up{db, "key_scores_between_up"};
  Statement scores_between_down{db, "key_scores_between_down"};
  Statement scores_between_up_past{db, "key_scores_between_up_past"};
  Statement scores_between_down_past{db, "key_scores_between_down_past"};
  Statement scores_count{db, "key_scores_count"};
  Statement scores_rank{db, "key_scores_rank"};
  Statement scores_after{db, "key_scores_after"};
  Statement scores_delete_all{db, "key_scores_delete_all"};
  Statement scores_delete_some{db, "key_scores_delete_some"};
};

class SqliteKeyRows final : public KeyRows {
 public:
  // `lot`: what the versions of keys that are made begin with is drawn from it.
  SqliteKeyRows(Connection& connection, KeyStatements& sql, std::int64_t namespace_row, KeySpace space, std::uint64_t lot = 0)
      : connection_(connection), sql_(sql), namespace_(namespace_row), space_(static_cast<std::int64_t>(space)), lot_(lot) {}

  // From here on texts that are read are remembered too. REQUIRES: what there is to read is durable.
  void remember_reads() { remembers_reads_ = true; }
  // The texts that were written and still stand, and those that were read, as far as they are small enough for the cache.
  std::vector<CachedText> take_texts();

  std::optional<KeyHead> find(std::string_view key) override;
  KeyHead create(std::string_view key, KeyType type, std::optional<Instant> expires_at) override;
  void write(const KeyHead& head) override;
  std::string version(const KeyHead& head) override;
  void remove(std::string_view key, const KeyHead& head) override;
  void rename(std::string_view from, std::string_view to, const KeyHead& head) override;
  std::vector<KeyName> names(std::string_view after, std::size_t limit) override;
  std::int64_t count(Instant now, std::size_t most) override;
  std::size_t clear(std::size_t most) override;

  std::string text(const KeyHead& head) override;
  void put_text(std::string_view key, const KeyHead& head, std::string_view value) override;

  std::vector<ListItem> items(const KeyHead& head, ListEnd from, std::uint64_t skip, std::size_t limit) override;
  std::vector<ListItem> items_past(const KeyHead& head, ListEnd from, std::int64_t position, std::size_t limit) override;
  std::vector<std::int64_t> positions(const KeyHead& head, ListEnd from, std::string_view value, std::size_t limit,
                                      std::size_t within) override;
  void put_item(const KeyHead& head, std::int64_t position, std::string_view value) override;
  void remove_item(const KeyHead& head, std::int64_t position) override;
  void remove_items(const KeyHead& head, std::int64_t first, std::int64_t last) override;

  std::optional<std::string> field(const KeyHead& head, std::string_view name) override;
  bool put_field(const KeyHead& head, std::string_view name, std::string_view value) override;
  bool remove_field(const KeyHead& head, std::string_view name) override;
  std::vector<KeyPair> fields(const KeyHead& head, std::string_view after, std::size_t limit) override;
  std::optional<KeyPair> field_at(const KeyHead& head, std::uint64_t skip) override;

  std::optional<double> score(const KeyHead& head, std::string_view member) override;
  bool put_score(const KeyHead& head, std::string_view member, double score) override;
  bool remove_score(const KeyHead& head, std::string_view member) override;
  std::vector<ScoredMember> scores(const KeyHead& head, const ScoreRange& range, bool reverse, const ScorePlace& place,
                                   std::size_t limit) override;
  std::vector<ScoredMember> scores_between(const KeyHead& head, const LexRange& range, bool reverse, const ScorePlace& place,
                                           std::size_t limit) override;
  std::int64_t count_scores(const KeyHead& head, const ScoreRange& range, std::size_t most) override;
  std::int64_t rank(const KeyHead& head, const ScoredMember& member, std::size_t most) override;
  std::vector<ScoredMember> scores_after(const KeyHead& head, std::string_view member, std::size_t limit) override;

 private:
  bool changed() const { return connection_.fault().ok() && connection_.changes() > 0; }
  void remember(KeyRow row, std::string_view key, std::string_view value, std::optional<Instant> expires_at);
  KeyRow insert(std::string_view key, const KeyHead& head, std::optional<std::string_view> value);

  Connection& connection_;
  KeyStatements& sql_;
  const std::int64_t namespace_;
  const std::int64_t space_;
  std::uint64_t lot_;
  std::map<KeyRow, CachedText> texts_;
  bool remembers_reads_ = false;
  std::string found_name_;  // of the key that was found last, while reads are remembered
  KeyRow found_row_{};
};

// What is in a key, by its type; the key's own row stays.
void remove_contents(KeyStatements& sql, KeyRow row, KeyType type);
// As many of its elements. REQUIRES: it is no text.
void remove_some(KeyStatements& sql, KeyRow row, KeyType type, std::size_t elements);

}  // namespace muster::store::sqlite
