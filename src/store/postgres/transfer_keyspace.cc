#include "store/postgres/transfer_keyspace.h"

namespace muster::store::postgres {
namespace {

const Sql kEntriesPut{"transfer_entries_put"};
const Sql kEntriesNumbered{"transfer_entries_numbered"};
const Sql kItemsPut{"transfer_items_put"};
const Sql kFieldsPut{"transfer_fields_put"};
const Sql kScoresPut{"transfer_scores_put"};

}  // namespace

void put_entries(Tx& tx, TransferNames& names, const std::vector<transfer::EntryRecord>& records) {
  Column id(Type::int8), ns(Type::int4), space(Type::int2), name(Type::bytes), type(Type::int2), expires_at(Type::int8),
      count(Type::int8), head(Type::int8), tail(Type::int8), value(Type::bytes);
  for (const transfer::EntryRecord& record : records) {
    id.add(record.number);
    ns.add(std::int64_t{names.ns(record.ns)});
    space.add(static_cast<std::int64_t>(record.space));
    name.add(std::string_view(record.name));
    type.add(static_cast<std::int64_t>(record.type));
    record.expires_at ? expires_at.add(to_ms(*record.expires_at)) : expires_at.add_null();
    count.add(record.count);
    head.add(record.head);
    tail.add(record.tail);
    record.type == KeyType::text ? value.add(std::string_view(record.text)) : value.add_null();
  }
  Params params;
  for (Column* column : {&id, &ns, &space, &name, &type, &expires_at, &count, &head, &tail, &value})
    params.array(std::move(*column));
  tx.write(kEntriesPut, std::move(params));
}

void put_items(Tx& tx, const std::vector<transfer::ItemRecord>& records) {
  Column key(Type::int8), position(Type::int8), value(Type::bytes);
  for (const transfer::ItemRecord& record : records) {
    key.add(record.entry);
    position.add(record.position);
    value.add(std::string_view(record.value));
  }
  tx.write(kItemsPut, std::move(Params().array(std::move(key)).array(std::move(position)).array(std::move(value))));
}

void put_fields(Tx& tx, const std::vector<transfer::FieldRecord>& records) {
  Column key(Type::int8), name(Type::bytes), value(Type::bytes);
  for (const transfer::FieldRecord& record : records) {
    key.add(record.entry);
    name.add(std::string_view(record.name));
    value.add(std::string_view(record.value));
  }
  tx.write(kFieldsPut, std::move(Params().array(std::move(key)).array(std::move(name)).array(std::move(value))));
}

void put_scores(Tx& tx, const std::vector<transfer::ScoreRecord>& records) {
  Column key(Type::int8), member(Type::bytes), score(Type::float8);
  for (const transfer::ScoreRecord& record : records) {
    key.add(record.entry);
    member.add(std::string_view(record.member));
    score.add_real(record.score);
  }
  tx.write(kScoresPut, std::move(Params().array(std::move(key)).array(std::move(member)).array(std::move(score))));
}

void number_entries(Tx& tx) { tx.write(kEntriesNumbered); }

}  // namespace muster::store::postgres
