// Lists: elements by position, where positions only grow outwards. What is taken out of the middle leaves a gap, so an element's
// index is found by counting and never by arithmetic on positions.
#include "store/keyspace/families.h"

namespace muster::store::keyspace {
namespace {

KeyAnswer length_of(const KeyHead& head) { return KeyAnswer::count(head.count); }

std::int64_t next_position(KeyHead& head, ListEnd end) { return end == ListEnd::left ? --head.head : ++head.tail; }

// The way to an index, negative from the right, from the nearer end; nothing: there is no such element.
struct Place {
  ListEnd from = ListEnd::left;
  std::uint64_t skip = 0;
};
std::optional<Place> place_of(const KeyHead& head, std::int64_t index) {
  const std::int64_t from_left = index < 0 ? index + head.count : index;
  if (from_left < 0 || from_left >= head.count) return std::nullopt;
  const std::int64_t from_right = head.count - 1 - from_left;
  if (from_left <= from_right) return Place{ListEnd::left, static_cast<std::uint64_t>(from_left)};
  return Place{ListEnd::right, static_cast<std::uint64_t>(from_right)};
}

// Elements that are passed by on the way there.
std::uint64_t rows_to(const KeyHead& head, std::int64_t index) {
  const auto place = place_of(head, index);
  return place && !has_no_gaps(head) ? place->skip : 0;
}

// The element at an index, negative from the right; nothing: there is none.
std::optional<ListItem> item_at(Stage& stage, const KeyHead& head, std::int64_t index) {
  const auto place = place_of(head, index);
  std::optional<ListItem> found;
  if (!place) return found;
  walk_items(stage, head, place->from, {place->skip, 1}, [&found](ListItem item) {
    found = std::move(item);
    return false;
  });
  return found;
}

// The end moves past `position`, which was the last that was taken there.
void retreat(KeyHead& head, ListEnd end, std::int64_t position, std::size_t taken) {
  if (end == ListEnd::left)
    head.head = position + 1;
  else
    head.tail = position - 1;
  head.count -= static_cast<std::int64_t>(taken);
}

struct Taken {
  bool too_large = false;
  std::vector<std::string> values;
};

Taken take(Stage& stage, const std::string& key, KeyHead head, ListEnd end, std::size_t count) {
  Taken taken;
  std::size_t bytes = 0;
  std::int64_t last = 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, static_cast<std::uint64_t>(head.count)));
  walk_items(stage, head, end, {0, count}, [&](ListItem item) {
    bytes += item.value.size();
    last = item.position;
    taken.values.push_back(std::move(item.value));
    taken.too_large = taken.values.size() > Bounds::kAnswerElementsMax || bytes > Bounds::kAnswerBytesMax;
    return !taken.too_large;
  });
  if (taken.too_large || taken.values.empty()) return taken;
  // Nothing but what was taken stands between the end and the last of it.
  if (taken.values.size() == 1)
    stage.rows.remove_item(head, last);
  else if (end == ListEnd::left)
    stage.rows.remove_items(head, head.head, last);
  else
    stage.rows.remove_items(head, last, head.tail);
  retreat(head, end, last, taken.values.size());
  stage.save(key, head);
  return taken;
}

void put(Stage& stage, const std::string& key, KeyHead& head, ListEnd end, std::string_view value) {
  stage.rows.put_item(head, next_position(head, end), value);
  ++head.count;
  stage.note_pushed(key);
}

// The `moved` elements of one end move one place outwards, the outermost first, so that the place behind them becomes free.
void make_room(Stage& stage, KeyHead& head, ListEnd end, std::uint64_t moved) {
  const std::int64_t outwards = end == ListEnd::left ? -1 : 1;
  walk_items(stage, head, end, {0, moved}, [&](const ListItem& item) {
    stage.rows.remove_item(head, item.position);
    stage.rows.put_item(head, item.position + outwards, item.value);
    return true;
  });
  end == ListEnd::left ? --head.head : ++head.tail;
}

// A short part of a long list becomes the list, and the sweep removes the long one.
KeyAnswer keep_part(Stage& stage, const std::string& key, const KeyHead& head, Slice part) {
  std::vector<std::string> kept;
  std::size_t bytes = 0;
  walk_items(stage, head, ListEnd::left, part, [&](ListItem item) {
    bytes += item.value.size();
    kept.push_back(std::move(item.value));
    return bytes <= Bounds::kAnswerBytesMax;
  });
  if (bytes > Bounds::kAnswerBytesMax) return refuse_answer();
  stage.remove(key, head);
  KeyHead made = stage.create(key, KeyType::list, head.expires_at);
  for (const std::string& value : kept) stage.rows.put_item(made, next_position(made, ListEnd::right), value);
  made.count = static_cast<std::int64_t>(kept.size());
  stage.save(key, made);
  return KeyAnswer::ok();
}

// Where an element stands first, as far as a search goes.
struct FoundItem {
  std::uint64_t index = 0;
  std::int64_t position = 0;
};
std::optional<FoundItem> find_item(Stage& stage, const KeyHead& head, const std::string& value) {
  std::optional<FoundItem> found;
  std::uint64_t index = 0;
  const auto most = std::min<std::uint64_t>(static_cast<std::uint64_t>(head.count), Bounds::kSearchedRowsMax);
  walk_items(stage, head, ListEnd::left, {0, most}, [&](const ListItem& item) {
    if (item.value == value) found = FoundItem{index, item.position};
    ++index;
    return !found;
  });
  return found;
}

}  // namespace

KeyAnswer apply(Stage& stage, const key::Push& c) {
  for (const std::string& value : c.values)
    if (auto refused = refuse_value(value.size())) return *refused;
  const Look list = stage.look_to_write(c.key, KeyType::list);
  if (list.wrong) return wrong_type();
  if (!list.head && (c.only_if_exists || c.values.empty())) return KeyAnswer::count(0);
  const auto before = static_cast<std::uint64_t>(list.head ? list.head->count : 0);
  if (auto refused = refuse_changes(c.values.size())) return *refused;
  if (auto refused = refuse_count(before + c.values.size())) return *refused;
  KeyHead head = list.head ? *list.head : stage.create(c.key, KeyType::list);
  for (const std::string& value : c.values) put(stage, c.key, head, c.end, value);
  stage.save(c.key, head);
  return length_of(head);
}

KeyAnswer apply(Stage& stage, const key::Pop& c) {
  for (const std::string& key : c.keys) {
    const Look list = stage.look_to_write(key, KeyType::list);
    if (list.wrong) return wrong_type();
    if (!list.head) continue;
    const auto there = static_cast<std::uint64_t>(list.head->count);
    if (auto refused = refuse_changes(std::min<std::uint64_t>(c.count.value_or(1), there))) return *refused;
    Taken taken = c.count == std::size_t{0} ? Taken{} : take(stage, key, *list.head, c.end, c.count.value_or(1));
    if (taken.too_large) return refuse_answer();
    KeyAnswer out;
    if (c.count) {
      out = KeyAnswer::all({});
      for (std::string& value : taken.values) out.list.push_back(KeyAnswer::bytes(std::move(value)));
    } else if (!taken.values.empty()) {
      out = KeyAnswer::bytes(std::move(taken.values.front()));
    }
    if (!c.with_key) return out;
    return KeyAnswer::all({KeyAnswer::bytes(key), std::move(out)});
  }
  return KeyAnswer::none();
}

KeyAnswer apply(Stage& stage, const key::Move& c) {
  Look from = stage.look_to_write(c.from, KeyType::list);
  if (from.wrong) return wrong_type();
  const bool rotates = c.from == c.to;
  const Look to = rotates ? from : stage.look_to_write(c.to, KeyType::list);
  if (to.wrong) return wrong_type();
  if (!from.head) return KeyAnswer::none();
  if (!rotates && to.head)
    if (auto refused = refuse_count(static_cast<std::uint64_t>(to.head->count) + 1)) return *refused;
  auto items = stage.rows.items(*from.head, c.take, 0, 1);
  if (items.empty()) return KeyAnswer::none();
  stage.rows.remove_item(*from.head, items.front().position);
  retreat(*from.head, c.take, items.front().position, 1);
  KeyHead target = rotates ? *from.head : to.head ? *to.head : stage.create(c.to, KeyType::list);
  put(stage, c.to, target, c.put, items.front().value);
  if (!rotates) stage.save(c.from, *from.head);
  stage.save(c.to, target);
  return KeyAnswer::bytes(std::move(items.front().value));
}

KeyAnswer apply(Stage& stage, const key::ListLength& c) {
  const Look list = stage.look(c.key, KeyType::list);
  if (list.wrong) return wrong_type();
  return KeyAnswer::count(list.head ? list.head->count : 0);
}

KeyAnswer apply(Stage& stage, const key::ListRange& c) {
  const Look list = stage.look(c.key, KeyType::list);
  if (list.wrong) return wrong_type();
  const auto part = list.head ? slice(c.start, c.stop, static_cast<std::uint64_t>(list.head->count)) : std::nullopt;
  if (!part) return KeyAnswer::all({});
  Gathered out;
  bool fits = true;
  walk_items(stage, *list.head, ListEnd::left, *part, [&](ListItem item) { return fits = out.add(std::move(item.value)); });
  return fits ? out.take() : refuse_answer();
}

KeyAnswer apply(Stage& stage, const key::ListAt& c) {
  const Look list = stage.look(c.key, KeyType::list);
  if (list.wrong) return wrong_type();
  if (!list.head) return KeyAnswer::none();
  auto item = item_at(stage, *list.head, c.index);
  return item ? KeyAnswer::bytes(std::move(item->value)) : KeyAnswer::none();
}

KeyAnswer apply(Stage& stage, const key::ListSet& c) {
  if (auto refused = refuse_value(c.value.size())) return *refused;
  const Look list = stage.look_to_write(c.key, KeyType::list);
  if (list.wrong) return wrong_type();
  if (!list.head) return KeyAnswer::refuse("no such key");
  if (auto refused = refuse_search(rows_to(*list.head, c.index))) return *refused;
  const auto item = item_at(stage, *list.head, c.index);
  if (!item) return KeyAnswer::refuse("index out of range");
  stage.rows.put_item(*list.head, item->position, c.value);
  stage.save(c.key, *list.head);
  return KeyAnswer::ok();
}

KeyAnswer apply(Stage& stage, const key::ListInsert& c) {
  if (auto refused = refuse_value(c.value.size())) return *refused;
  Look list = stage.look_to_write(c.key, KeyType::list);
  if (list.wrong) return wrong_type();
  if (!list.head) return KeyAnswer::count(0);
  KeyHead& head = *list.head;
  const auto found = find_item(stage, head, c.pivot);
  const auto size = static_cast<std::uint64_t>(head.count);
  if (!found && size > Bounds::kSearchedRowsMax) return *refuse_search(size);
  if (!found) return KeyAnswer::count(-1);
  if (auto refused = refuse_count(size + 1)) return *refused;
  const std::uint64_t left = found->index + (c.before ? 0 : 1);
  const std::uint64_t right = size - left;
  if (auto refused = refuse_changes(std::min(left, right))) return *refused;
  if (left <= right) {
    make_room(stage, head, ListEnd::left, left);
    stage.rows.put_item(head, c.before ? found->position - 1 : found->position, c.value);
  } else {
    make_room(stage, head, ListEnd::right, right);
    stage.rows.put_item(head, c.before ? found->position : found->position + 1, c.value);
  }
  ++head.count;
  stage.note_pushed(c.key);
  stage.save(c.key, head);
  return length_of(head);
}

KeyAnswer apply(Stage& stage, const key::ListRemove& c) {
  Look list = stage.look_to_write(c.key, KeyType::list);
  if (list.wrong) return wrong_type();
  if (!list.head) return KeyAnswer::count(0);
  KeyHead& head = *list.head;
  const ListEnd from = c.count < 0 ? ListEnd::right : ListEnd::left;
  const std::uint64_t wanted = c.count < 0 ? 0 - static_cast<std::uint64_t>(c.count) : static_cast<std::uint64_t>(c.count);
  const auto all = static_cast<std::uint64_t>(head.count);
  const auto most = static_cast<std::size_t>(wanted == 0 ? all : std::min(wanted, all));
  const auto found =
      stage.rows.positions(head, from, c.value, std::min(most, Bounds::kChangedRowsMax + 1), Bounds::kSearchedRowsMax);
  if (auto refused = refuse_changes(found.size())) return *refused;
  if (found.size() < most)
    if (auto refused = refuse_search(all)) return *refused;
  if (found.empty()) return KeyAnswer::count(0);
  for (const std::int64_t position : found) stage.rows.remove_item(head, position);
  head.count -= static_cast<std::int64_t>(found.size());
  stage.save(c.key, head);
  return KeyAnswer::count(static_cast<std::int64_t>(found.size()));
}

KeyAnswer apply(Stage& stage, const key::ListTrim& c) {
  Look list = stage.look_to_write(c.key, KeyType::list);
  if (list.wrong) return wrong_type();
  if (!list.head) return KeyAnswer::ok();
  KeyHead& head = *list.head;
  const auto part = slice(c.start, c.stop, static_cast<std::uint64_t>(head.count));
  if (!part) {
    stage.remove(c.key, head);
    return KeyAnswer::ok();
  }
  const std::uint64_t cut = static_cast<std::uint64_t>(head.count) - part->count;
  if (auto refused = refuse_changes(std::min(cut, part->count))) return *refused;
  const auto first_index = static_cast<std::int64_t>(part->first);
  const auto last_index = static_cast<std::int64_t>(part->first + part->count - 1);
  if (auto refused = refuse_search(rows_to(head, first_index) + rows_to(head, last_index))) return *refused;
  if (cut > kRemovedAtOnceMax && part->count < cut) return keep_part(stage, c.key, head, *part);
  const auto first = item_at(stage, head, first_index);
  const auto last = item_at(stage, head, last_index);
  if (!first || !last) return KeyAnswer::ok();
  if (first->position > head.head) stage.rows.remove_items(head, head.head, first->position - 1);
  if (last->position < head.tail) stage.rows.remove_items(head, last->position + 1, head.tail);
  head.head = first->position;
  head.tail = last->position;
  head.count = static_cast<std::int64_t>(part->count);
  stage.save(c.key, head);
  return KeyAnswer::ok();
}

KeyAnswer apply(Stage& stage, const key::ListPosition& c) {
  const Look list = stage.look(c.key, KeyType::list);
  if (list.wrong) return wrong_type();
  if (!list.head) return KeyAnswer::none();
  std::int64_t index = -1;
  bool found = false;
  walk_items(stage, *list.head, ListEnd::left, {0, static_cast<std::uint64_t>(list.head->count)}, [&](const ListItem& item) {
    ++index;
    found = item.value == c.value;
    return !found;
  });
  return found ? KeyAnswer::count(index) : KeyAnswer::none();
}

}  // namespace muster::store::keyspace
