// Rows that count what they cost: how many were looked at or written, and how many bytes they hold.
//
// A read has an allowance. Once it is spent the rows read as absence, as after a failure of the database, and whoever runs the
// command throws its answer away. Writes are never stopped halfway: commands judge what they will change before they begin.
#pragma once

#include <cstdint>
#include <limits>

#include "store/key_rows.h"

namespace muster::store::keyspace {

struct Cost {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

class MeteredRows final : public KeyRows {
 public:
  explicit MeteredRows(KeyRows& rows) : rows_(rows) {}

  static constexpr Cost kNoLimit{std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max()};
  // From here on so much more may be read.
  void allow(Cost most) {
    allowance_ = most;
    read_ = {};
    over_ = false;
    read_text_ = false;
  }
  bool over() const { return over_; }
  const Cost& spent() const { return spent_; }  // of all commands so far

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
  // False: the allowance does not reach so far, and nothing is to be asked.
  bool may_read(std::uint64_t rows);
  void read(std::uint64_t rows, std::uint64_t bytes);
  void wrote(std::uint64_t rows, std::uint64_t bytes);

  KeyRows& rows_;
  Cost allowance_ = kNoLimit;
  Cost read_;  // of the allowance
  Cost spent_;
  bool over_ = false;
  bool read_text_ = false;
};

}  // namespace muster::store::keyspace
