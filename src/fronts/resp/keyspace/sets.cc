// Arguments of the commands about sets.
#include <array>

#include "fronts/resp/keyspace/arguments.h"
#include "fronts/resp/keyspace/pages.h"
#include "fronts/resp/keyspace/renders.h"
#include "fronts/resp/keyspace/words.h"

namespace muster::resp::keyspace {
namespace {

namespace key = store::key;
using key::Algebra;
constexpr std::string_view kSetGroup = "set";

std::vector<std::string> words_from(const Call& call, std::size_t first) {
  return {call.args().begin() + static_cast<std::ptrdiff_t>(first), call.args().end()};
}

Result<Request> read_sadd(Call& call) { return Request(key::SetAdd{call.arg(1), words_from(call, 2)}, render_plain); }
Result<Request> read_srem(Call& call) { return Request(key::SetRemove{call.arg(1), words_from(call, 2)}, render_plain); }
Result<Request> read_smembers(Call& call) { return Request(key::SetMembers{call.arg(1)}, render_set); }
Result<Request> read_sismember(Call& call) { return Request(key::SetHas{call.arg(1), {call.arg(2)}}, render_plain); }
Result<Request> read_smismember(Call& call) { return Request(key::SetHas{call.arg(1), words_from(call, 2), true}, render_plain); }
Result<Request> read_scard(Call& call) { return Request(key::SetCount{call.arg(1)}, render_plain); }
Result<Request> read_smove(Call& call) { return Request(key::SetMove{call.arg(1), call.arg(2), call.arg(3)}, render_plain); }

Result<Request> read_spop(Call& call) {
  if (call.size() == 2) return Request(key::SetPop{call.arg(1)}, render_plain);
  const auto count = integer(call.arg(2));
  if (!count || *count < 0) return bad(kNotPositive);
  return Request(key::SetPop{call.arg(1), static_cast<std::size_t>(*count)}, render_set);
}

Result<Request> read_srandmember(Call& call) {
  if (call.size() == 2) return Request(key::SetRandom{call.arg(1)}, render_plain);
  const auto count = integer(call.arg(2));
  if (!count) return bad(kNotAnInteger);
  return Request(key::SetRandom{call.arg(1), *count}, render_plain);
}

template <Algebra how>
Result<Request> read_algebra(Call& call) {
  return Request(key::SetCombine{how, words_from(call, 1), std::nullopt}, render_set);
}
template <Algebra how>
Result<Request> read_algebra_store(Call& call) {
  return Request(key::SetCombine{how, words_from(call, 2), call.arg(1)}, render_plain);
}

Result<Request> read_sscan(Call& call) {
  auto page = read_page(call, 2);
  if (!page.ok()) return page.status();
  return Request(key::SetScan{call.arg(1), std::move(page->place.after), std::move(page->pattern), page->count}, render_page);
}

constexpr std::array kSetWords{
    word("SADD", {3, kMany}, kOneKey, kWrites, kSetGroup, "Adds members to a set.", read_sadd),
    word("SREM", {3, kMany}, kOneKey, kWrites, kSetGroup, "Removes members from a set.", read_srem),
    word("SMEMBERS", {2, 2}, kOneKey, kReads, kSetGroup, "All members of a set.", read_smembers),
    word("SISMEMBER", {3, 3}, kOneKey, kReads, kSetGroup, "Is it a member?", read_sismember),
    word("SMISMEMBER", {3, kMany}, kOneKey, kReads, kSetGroup, "Which of these are members?", read_smismember),
    word("SCARD", {2, 2}, kOneKey, kReads, kSetGroup, "How many members a set has.", read_scard),
    word("SPOP", {2, 3}, kOneKey, kWrites, kSetGroup, "Takes members out of a set by lot.", read_spop),
    word("SRANDMEMBER", {2, 3}, kOneKey, kReads, kSetGroup, "Members of a set by lot.", read_srandmember),
    word("SMOVE", {4, 4}, kTwoKeys, kWrites, kSetGroup, "Moves a member to another set.", read_smove),
    word("SUNION", {2, kMany}, kAllKeys, kReads, kSetGroup, "What is in any of the sets.", read_algebra<Algebra::unite>),
    word("SINTER", {2, kMany}, kAllKeys, kReads, kSetGroup, "What is in all of the sets.", read_algebra<Algebra::intersect>),
    word("SDIFF", {2, kMany}, kAllKeys, kReads, kSetGroup, "What is in the first set alone.", read_algebra<Algebra::subtract>),
    word("SUNIONSTORE", {3, kMany}, kAllKeys, kWrites, kSetGroup, "Keeps what is in any of the sets.",
         read_algebra_store<Algebra::unite>),
    word("SINTERSTORE", {3, kMany}, kAllKeys, kWrites, kSetGroup, "Keeps what is in all of the sets.",
         read_algebra_store<Algebra::intersect>),
    word("SDIFFSTORE", {3, kMany}, kAllKeys, kWrites, kSetGroup, "Keeps what is in the first of the other sets alone.",
         read_algebra_store<Algebra::subtract>),
    word("SSCAN", {3, kMany}, kOneKey, kReads, kSetGroup, "A page of a set; MATCH, COUNT.", read_sscan),
};

}  // namespace

std::span<const Word> set_words() { return kSetWords; }

}  // namespace muster::resp::keyspace
