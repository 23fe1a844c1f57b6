// The keyspace's rows in PostgreSQL, and the locks under which they are written.
//
// Rules are store/keyspace's. A batch that writes holds the stripes of all its keys first, in one order, so two batches with a
// key in common come one after the other and neither sees half of the other; a batch that only reads holds nothing. Whoever
// touches all keys (a clear, a namespace that goes) keeps off every writer of the namespace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/key_rows.h"
#include "store/postgres/tx.h"

namespace muster::store::postgres {

// Locks that keys are spread over: more keep fewer strangers waiting for each other, fewer fit the server's table of locks.
inline constexpr std::uint32_t kKeyStripes = 1'024;

struct KeyScope {
  NamespaceKey ns = 0;
  KeySpace space = KeySpace::clients;
};

std::int32_t stripe_of(const KeyScope& scope, std::string_view key);
// REQUIRES: asked for before any key is looked at.
void lock_keys(Tx& tx, const KeyScope& scope, const std::vector<std::string>& keys);
void lock_all_keys(Tx& tx, NamespaceKey ns);

// Texts up to this stay in memory while a batch runs; longer ones are read and written each time.
inline constexpr std::size_t kTextRememberedMax = 16 * 1024;

// One batch's view. What is asked once is remembered, and what a key's own row becomes is written when the batch is over, since
// every question costs a round trip: the batch holds its keys, so nobody changes them meanwhile. Failures latch in the
// transaction.
class RowsOfKeys final : public KeyRows {
 public:
  RowsOfKeys(Tx& tx, KeyScope scope) : tx_(tx), scope_(scope) {}

  // Asks for all of them at once, ahead of their use.
  void expect(const std::vector<std::string>& keys);
  // Writes what is still to be written. REQUIRES: before the commit.
  void flush();

  std::optional<KeyHead> find(std::string_view key) override;
  KeyHead create(std::string_view key, KeyType type, std::optional<Instant> expires_at) override;
  void write(const KeyHead& head) override;
  void remove(std::string_view key, const KeyHead& head) override;
  std::string version(const KeyHead& head) override;
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
  std::vector<std::optional<std::string>> fields_of(const KeyHead& head, const std::vector<std::string_view>& names) override;
  std::int64_t put_fields(const KeyHead& head, const std::vector<FieldView>& fields) override;
  std::int64_t remove_fields(const KeyHead& head, const std::vector<std::string_view>& names) override;

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
  std::vector<std::optional<double>> scores_of(const KeyHead& head, const std::vector<std::string_view>& members) override;
  std::int64_t put_scores(const KeyHead& head, const std::vector<ScoredMember>& members) override;
  std::int64_t remove_scores(const KeyHead& head, const std::vector<std::string_view>& members) override;

 private:
  struct Known {
    std::optional<KeyHead> head;  // empty: there is no such key
    std::optional<std::string> text;
    bool head_changed = false;
    bool text_changed = false;
  };
  Params scoped() const;
  Known& known(std::string_view key);
  Known* of_row(const KeyHead& head);
  void write_out(Known& entry);

  Tx& tx_;
  const KeyScope scope_;
  std::unordered_map<std::string, Known> known_;                // by name
  std::unordered_map<std::int64_t, std::string> names_of_row_;  // names in known_
};

}  // namespace muster::store::postgres
