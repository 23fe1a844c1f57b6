// Arguments of the commands about hashes.
#include <algorithm>
#include <array>
#include <cmath>

#include "fronts/resp/keyspace/arguments.h"
#include "fronts/resp/keyspace/pages.h"
#include "fronts/resp/keyspace/renders.h"
#include "fronts/resp/keyspace/words.h"

namespace muster::resp::keyspace {
namespace {

namespace key = store::key;
constexpr std::string_view kHashGroup = "hash";
constexpr const char* kHsetArity = "HSET requires exactly three arguments (key field value)";

std::vector<store::KeyPair> pairs_of(const Call& call) {
  std::vector<store::KeyPair> pairs;
  for (std::size_t i = 2; i + 1 < call.size(); i += 2) pairs.push_back({call.arg(i), call.arg(i + 1)});
  return pairs;
}
std::vector<std::string> fields_of(const Call& call) { return {call.args().begin() + 2, call.args().end()}; }

Result<Request> read_hset(Call& call) {
  if (call.size() % 2 != 0) return bad(kHsetArity);
  return Request(key::HashSet{.key = call.arg(1), .fields = pairs_of(call)}, render_plain);
}
Result<Request> read_hmset(Call& call) {
  if (call.size() % 2 != 0) return bad_arity(call.name());
  return Request(key::HashSet{.key = call.arg(1), .fields = pairs_of(call), .answer_done = true}, render_plain);
}
Result<Request> read_hsetnx(Call& call) {
  return Request(key::HashSet{.key = call.arg(1), .fields = pairs_of(call), .only_if_missing = true}, render_plain);
}
Result<Request> read_hget(Call& call) { return Request(key::HashGet{call.arg(1), call.arg(2)}, render_plain); }
Result<Request> read_hstrlen(Call& call) { return Request(key::HashGet{call.arg(1), call.arg(2)}, render_length); }
Result<Request> read_hmget(Call& call) { return Request(key::HashGetMany{call.arg(1), fields_of(call)}, render_plain); }
Result<Request> read_hdel(Call& call) { return Request(key::HashDelete{call.arg(1), fields_of(call)}, render_plain); }
Result<Request> read_hgetall(Call& call) { return Request(key::HashAll{call.arg(1), key::HashPart::pairs}, render_map); }
Result<Request> read_hkeys(Call& call) { return Request(key::HashAll{call.arg(1), key::HashPart::fields}, render_plain); }
Result<Request> read_hvals(Call& call) { return Request(key::HashAll{call.arg(1), key::HashPart::values}, render_plain); }
Result<Request> read_hexists(Call& call) { return Request(key::HashExists{call.arg(1), call.arg(2)}, render_plain); }
Result<Request> read_hlen(Call& call) { return Request(key::HashLength{call.arg(1)}, render_plain); }

// The original takes counters' names no further than this.
Status judge_counter(std::string_view what, std::string_view name) {
  constexpr std::size_t kNameBytesMax = 256;
  if (name.empty() || name.size() > kNameBytesMax)
    return bad("HINCRBY " + std::string(what) + " must be between 1 and 256 characters");
  if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; }))
    return bad("HINCRBY " + std::string(what) + " contains invalid characters");
  return {};
}

Result<Request> read_hincrby(Call& call) {
  if (const Status judged = judge_counter("key", call.arg(1)); !judged.ok()) return judged;
  if (const Status judged = judge_counter("field", call.arg(2)); !judged.ok()) return judged;
  const auto by = integer(call.arg(3));
  if (!by) return bad("HINCRBY increment must be an integer");
  return Request(key::HashIncrement{call.arg(1), call.arg(2), *by}, render_plain);
}

Result<Request> read_hincrbyfloat(Call& call) {
  const auto by = real(call.arg(3));
  if (!by || std::isnan(*by)) return bad(kNotAFloat);
  return Request(key::HashIncrementReal{call.arg(1), call.arg(2), *by}, render_plain);
}

// The store's pages hold fields and values by turns.
void render_fields_page(Answered a) {
  if (a.answer.kind == store::KeyAnswer::Kind::list) {
    std::vector<store::KeyAnswer> fields;
    for (std::size_t i = 0; i < a.answer.list.size(); i += i == 0 ? 1 : 2) fields.push_back(std::move(a.answer.list[i]));
    a.answer.list = std::move(fields);
  }
  render_page(a);
}

Result<Request> read_hscan(Call& call) {
  auto page = read_page(call, 2);
  if (!page.ok()) return page.status();
  return Request(key::HashScan{call.arg(1), std::move(page->place.after), std::move(page->pattern), page->count},
                 page->no_values ? render_fields_page : render_page);
}

constexpr std::array kHashWords{
    word("HSET", {4, kMany, kHsetArity}, kOneKey, kWrites, kHashGroup, "Sets fields of a hash.", read_hset),
    word("HMSET", {4, kMany}, kOneKey, kWrites, kHashGroup, "Sets fields of a hash.", read_hmset),
    word("HSETNX", {4, 4}, kOneKey, kWrites, kHashGroup, "Sets a field of a hash if there is none.", read_hsetnx),
    word("HGET", {3, 3, "HGET requires exactly two arguments (key field)"}, kOneKey, kReads, kHashGroup, "A field of a hash.",
         read_hget),
    word("HMGET", {3, kMany}, kOneKey, kReads, kHashGroup, "Several fields of a hash.", read_hmget),
    word("HDEL", {3, kMany, "HDEL requires exactly two arguments (key field)"}, kOneKey, kWrites, kHashGroup,
         "Deletes fields of a hash.", read_hdel),
    word("HGETALL", {2, 2, "HGETALL requires exactly one argument (key)"}, kOneKey, kReads, kHashGroup,
         "All fields and values of a hash.", read_hgetall),
    word("HKEYS", {2, 2}, kOneKey, kReads, kHashGroup, "All fields of a hash.", read_hkeys),
    word("HVALS", {2, 2}, kOneKey, kReads, kHashGroup, "All values of a hash.", read_hvals),
    word("HEXISTS", {3, 3, "HEXISTS requires exactly two arguments (key field)"}, kOneKey, kReads, kHashGroup,
         "Is there such a field?", read_hexists),
    word("HLEN", {2, 2, "HLEN requires exactly one argument (key)"}, kOneKey, kReads, kHashGroup, "How many fields a hash has.",
         read_hlen),
    word("HSTRLEN", {3, 3}, kOneKey, kReads, kHashGroup, "How many bytes a field has.", read_hstrlen),
    word("HINCRBY", {4, 4, "HINCRBY requires exactly three arguments: key field increment"}, kOneKey, kWrites, kHashGroup,
         "Adds to a number in a hash.", read_hincrby),
    word("HINCRBYFLOAT", {4, 4}, kOneKey, kWrites, kHashGroup, "Adds to a number with decimals in a hash.", read_hincrbyfloat),
    word("HSCAN", {3, kMany}, kOneKey, kReads, kHashGroup, "A page of a hash; MATCH, COUNT, NOVALUES.", read_hscan),
};

}  // namespace

std::span<const Word> hash_words() { return kHashWords; }

}  // namespace muster::resp::keyspace
