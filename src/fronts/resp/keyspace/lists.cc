// Arguments of the commands about lists.
#include <array>
#include <limits>

#include "base/ascii.h"
#include "fronts/resp/keyspace/arguments.h"
#include "fronts/resp/keyspace/renders.h"
#include "fronts/resp/keyspace/words.h"

namespace muster::resp::keyspace {
namespace {

namespace key = store::key;
using store::ListEnd;
constexpr std::string_view kListGroup = "list";

std::vector<std::string> words_between(const Call& call, std::size_t first, std::size_t end) {
  return {call.args().begin() + static_cast<std::ptrdiff_t>(first), call.args().begin() + static_cast<std::ptrdiff_t>(end)};
}

template <ListEnd end, bool only_if_exists>
Result<Request> read_push(Call& call) {
  return Request(key::Push{call.arg(1), end, words_between(call, 2, call.size()), only_if_exists}, render_plain);
}

template <ListEnd end>
Result<Request> read_pop(Call& call) {
  key::Pop pop{.keys = {call.arg(1)}, .end = end};
  if (call.size() == 2) return Request(std::move(pop), render_plain);
  const auto count = integer(call.arg(2));
  if (!count) return bad(kNotAnInteger);
  if (*count < 0) return bad(kNotPositive);
  pop.count = static_cast<std::size_t>(*count);
  return Request(std::move(pop), render_list);
}

// The words the dialects use for a time-out that is none.
Status bad_timeout(const Call& call, std::string_view text) {
  if (call.name() == "BRPOP" || call.name() == "BRPOPLPUSH")
    return bad(std::string(call.name()) + " timeout must be a non-negative integer");
  const auto value = real(text);
  if (value && *value < 0) return bad("timeout is negative");
  return bad(value ? "timeout is out of range" : "timeout is not a float or out of range");
}

template <ListEnd end>
Result<Request> read_blocking_pop(Call& call) {
  const auto wait = seconds(call.args().back());
  if (!wait) return bad_timeout(call, call.args().back());
  // Always with its key, so that an element that cannot be delivered finds its way back.
  Request request(key::Pop{.keys = words_between(call, 1, call.size() - 1), .end = end, .with_key = true}, render_popped);
  request.wait = wait;
  return request;
}

std::optional<ListEnd> read_end(const std::string& text) {
  const std::string word = upper(text);
  if (word == "LEFT") return ListEnd::left;
  if (word == "RIGHT") return ListEnd::right;
  return std::nullopt;
}

Result<Request> read_rpoplpush(Call& call) { return Request(key::Move{call.arg(1), call.arg(2)}, render_plain); }

Result<Request> read_lmove(Call& call) {
  const auto take = read_end(call.arg(3));
  const auto put = read_end(call.arg(4));
  if (!take || !put) return bad(kSyntax);
  return Request(key::Move{call.arg(1), call.arg(2), *take, *put}, render_plain);
}

Result<Request> blocking(Call& call, Result<Request> request) {
  if (!request.ok()) return request;
  request->wait = seconds(call.args().back());
  if (!request->wait) return bad_timeout(call, call.args().back());
  return request;
}
Result<Request> read_brpoplpush(Call& call) { return blocking(call, read_rpoplpush(call)); }
Result<Request> read_blmove(Call& call) { return blocking(call, read_lmove(call)); }

Result<Request> read_llen(Call& call) { return Request(key::ListLength{call.arg(1)}, render_plain); }

Result<Request> read_lrange(Call& call) {
  const auto start = integer(call.arg(2));
  if (!start) return bad("LRANGE start must be an integer");
  const auto stop = integer(call.arg(3));
  if (!stop) return bad("LRANGE stop must be an integer");
  return Request(key::ListRange{call.arg(1), *start, *stop}, render_plain);
}

Result<Request> read_lindex(Call& call) {
  const auto index = integer(call.arg(2));
  if (!index) return bad(kNotAnInteger);
  return Request(key::ListAt{call.arg(1), *index}, render_plain);
}

Result<Request> read_lset(Call& call) {
  const auto index = integer(call.arg(2));
  if (!index) return bad(kNotAnInteger);
  return Request(key::ListSet{call.arg(1), *index, call.arg(3)}, render_plain);
}

Result<Request> read_linsert(Call& call) {
  const std::string where = upper(call.arg(2));
  if (where != "BEFORE" && where != "AFTER") return bad(kSyntax);
  return Request(key::ListInsert{call.arg(1), where == "BEFORE", call.arg(3), call.arg(4)}, render_plain);
}

Result<Request> read_lrem(Call& call) {
  const auto count = integer(call.arg(2));
  if (!count) return bad("LREM count must be an integer");
  if (*count == std::numeric_limits<std::int64_t>::min()) return bad("Invalid count value");
  return Request(key::ListRemove{call.arg(1), *count, call.arg(3)}, render_plain);
}

Result<Request> read_ltrim(Call& call) {
  const auto start = integer(call.arg(2));
  const auto stop = integer(call.arg(3));
  if (!start || !stop) return bad(kNotAnInteger);
  return Request(key::ListTrim{call.arg(1), *start, *stop}, render_plain);
}

Result<Request> read_lpos(Call& call) {
  if (call.size() == 3) return Request(key::ListPosition{call.arg(1), call.arg(2)}, render_plain);
  auto query = std::make_unique<PositionQuery>();
  query->value = call.arg(2);
  for (std::size_t i = 3; i < call.size(); i += 2) {
    const std::string option = upper(call.arg(i));
    if (i + 1 >= call.size() || (option != "RANK" && option != "COUNT" && option != "MAXLEN")) return bad(kSyntax);
    const auto value = integer(call.arg(i + 1));
    if (!value || *value == std::numeric_limits<std::int64_t>::min()) return bad(kNotAnInteger);
    if (option == "RANK") {
      if (*value == 0) return bad("RANK can't be zero: use 1 to start from the first match, -1 from the last");
      query->rank = *value;
    } else if (*value < 0) {
      return bad(option + " can't be negative");
    } else if (option == "COUNT") {
      query->count = *value;
    } else {
      query->compared_max = *value;
    }
  }
  Request request(key::ListRange{call.arg(1)}, render_position);
  request.position = std::move(query);
  return request;
}

constexpr std::array kListWords{
    word("LPUSH", {3, kMany, "LPUSH requires exactly two arguments"}, kOneKey, kWrites, kListGroup,
         "Puts elements at the left end of a list.", read_push<ListEnd::left, false>),
    word("RPUSH", {3, kMany}, kOneKey, kWrites, kListGroup, "Puts elements at the right end of a list.",
         read_push<ListEnd::right, false>),
    word("LPUSHX", {3, kMany}, kOneKey, kWrites, kListGroup, "Puts elements at the left end of a list that is there.",
         read_push<ListEnd::left, true>),
    word("RPUSHX", {3, kMany}, kOneKey, kWrites, kListGroup, "Puts elements at the right end of a list that is there.",
         read_push<ListEnd::right, true>),
    word("LPOP", {2, 3}, kOneKey, kWrites, kListGroup, "Takes from the left end of a list.", read_pop<ListEnd::left>),
    word("RPOP", {2, 3, "RPOP requires exactly one argument"}, kOneKey, kWrites, kListGroup,
         "Takes from the right end of a list.", read_pop<ListEnd::right>),
    word("BLPOP", {3, kMany}, kAllButLast, kWrites, kListGroup, "Takes from the left end of a list, waiting for an element.",
         read_blocking_pop<ListEnd::left>),
    word("BRPOP", {3, kMany, "BRPOP requires exactly two arguments"}, kAllButLast, kWrites, kListGroup,
         "Takes from the right end of a list, waiting for an element.", read_blocking_pop<ListEnd::right>),
    word("RPOPLPUSH", {3, 3, "RPOPLPUSH requires exactly two arguments"}, kTwoKeys, kWrites, kListGroup,
         "Moves an element from the right end of a list to the left end of another.", read_rpoplpush),
    word("LMOVE", {5, 5}, kTwoKeys, kWrites, kListGroup, "Moves an element from one list to another.", read_lmove),
    word("BRPOPLPUSH", {4, 4, "BRPOPLPUSH requires exactly three arguments"}, kTwoKeys, kWrites, kListGroup,
         "RPOPLPUSH that waits for an element.", read_brpoplpush),
    word("BLMOVE", {6, 6}, kTwoKeys, kWrites, kListGroup, "LMOVE that waits for an element.", read_blmove),
    word("LLEN", {2, 2, "LLEN requires exactly one argument"}, kOneKey, kReads, kListGroup, "How many elements a list has.",
         read_llen),
    word("LRANGE", {4, 4, "LRANGE requires exactly three arguments"}, kOneKey, kReads, kListGroup, "A part of a list.",
         read_lrange),
    word("LINDEX", {3, 3}, kOneKey, kReads, kListGroup, "One element of a list.", read_lindex),
    word("LSET", {4, 4}, kOneKey, kWrites, kListGroup, "Replaces one element of a list.", read_lset),
    word("LINSERT", {5, 5}, kOneKey, kWrites, kListGroup, "Puts an element before or after another.", read_linsert),
    word("LREM", {4, 4, "LREM requires exactly three arguments: key count element"}, kOneKey, kWrites, kListGroup,
         "Removes elements that are equal to this one.", read_lrem),
    word("LTRIM", {4, 4}, kOneKey, kWrites, kListGroup, "Keeps a part of a list.", read_ltrim),
    word("LPOS", {3, kMany}, kOneKey, kReads, kListGroup, "Where an element stands; RANK, COUNT, MAXLEN.", read_lpos),
};

}  // namespace

std::span<const Word> list_words() { return kListWords; }

}  // namespace muster::resp::keyspace
