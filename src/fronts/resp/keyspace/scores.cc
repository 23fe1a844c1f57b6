// Arguments of the commands about sorted sets.
#include <array>
#include <cmath>
#include <limits>

#include "base/ascii.h"
#include "fronts/resp/core.h"
#include "fronts/resp/keyspace/arguments.h"
#include "fronts/resp/keyspace/pages.h"
#include "fronts/resp/keyspace/renders.h"
#include "fronts/resp/keyspace/words.h"

namespace muster::resp::keyspace {
namespace {

namespace key = store::key;
constexpr std::string_view kScoreGroup = "sorted-set";
constexpr const char* kScoresNotFinite = "Scores must be finite numbers";
constexpr const char* kNotAScoreRange = "min or max is not a float";
constexpr const char* kNotALexRange = "min or max not valid string range item";

using Range = std::variant<key::RankRange, store::ScoreRange, store::LexRange>;
constexpr key::RankRange kEmptyRange{1, 0};

std::vector<std::string> members_of(const Call& call) { return {call.args().begin() + 2, call.args().end()}; }

// --- adding ---

struct AddOptions {
  key::ScoresAdd add;
  std::size_t next = 2;  // where the first score stands
};

AddOptions read_add_options(const Call& call) {
  AddOptions options{.add = {.key = call.arg(1)}};
  for (; options.next < call.size(); ++options.next) {
    const std::string option = upper(call.arg(options.next));
    if (option == "NX")
      options.add.only_new = true;
    else if (option == "XX")
      options.add.only_old = true;
    else if (option == "GT")
      options.add.only_greater = true;
    else if (option == "LT")
      options.add.only_less = true;
    else if (option == "CH")
      options.add.count_changed = true;
    else if (option == "INCR")
      options.add.increment = true;
    else
      break;
  }
  return options;
}

Result<Request> read_zadd(Call& call) {
  AddOptions options = read_add_options(call);
  key::ScoresAdd& add = options.add;
  const std::size_t left = call.size() - options.next;
  if (left == 0 || left % 2 != 0) return bad(kSyntax);
  if (add.only_new && add.only_old) return bad("XX and NX options at the same time are not compatible");
  if ((add.only_greater && add.only_less) || (add.only_new && (add.only_greater || add.only_less)))
    return bad("GT, LT, and/or NX options at the same time are not compatible");
  if (add.increment && left != 2) return bad("INCR option supports a single increment-element pair");
  for (std::size_t i = options.next; i < call.size(); i += 2) {
    const auto score = real(call.arg(i));
    if (!score) return bad("ZADD score must be a valid number");
    add.members.push_back({call.arg(i + 1), *score});
  }
  return Request(std::move(add), render_plain);
}

Result<Request> read_zincrby(Call& call) {
  const auto by = real(call.arg(2));
  if (!by || std::isnan(*by)) return bad(kNotAFloat);
  return Request(key::ScoresAdd{.key = call.arg(1), .members = {{call.arg(3), *by}}, .increment = true}, render_plain);
}

// --- ranges ---

struct RangeQuery {
  std::string_view low;
  std::string_view high;
};

Result<Range> rank_range(const Call& call, RangeQuery ends) {
  const auto start = integer(ends.low);
  const auto stop = integer(ends.high);
  const bool named = call.name() == "ZRANGE";
  if (!start) return bad(named ? "ZRANGE start must be an integer" : kNotAnInteger);
  if (!stop) return bad(named ? "ZRANGE stop must be an integer" : kNotAnInteger);
  return Range(key::RankRange{*start, *stop});
}

Result<Range> score_range(const Call& call, RangeQuery ends) {
  const auto min = score_bound(ends.low);
  const auto max = score_bound(ends.high);
  const bool named = call.name() == "ZRANGEBYSCORE";
  if (!min) return bad(named ? "ZRANGEBYSCORE min must be a valid number" : kNotAScoreRange);
  if (!max) return bad(named ? "ZRANGEBYSCORE max must be a valid number" : kNotAScoreRange);
  if (std::isnan(min->score) || std::isnan(max->score)) return bad(named ? kScoresNotFinite : kNotAScoreRange);
  return Range(store::ScoreRange{*min, *max});
}

Result<Range> name_range(const Call&, RangeQuery ends) {
  const auto min = lex_end(ends.low);
  const auto max = lex_end(ends.high);
  if (!min || !max) return bad(kNotALexRange);
  auto range = lex_range(*min, *max);
  return range ? Range(std::move(*range)) : Range(kEmptyRange);
}

enum class By : std::uint8_t { rank, score, name };

struct RangeOptions {
  By by = By::rank;
  bool reverse = false;
  bool with_scores = false;
  bool limited = false;
  std::int64_t offset = 0;
  std::int64_t count = -1;  // negative: all
};

// What may follow the two ends. `full`: also what only ZRANGE itself understands.
Status read_range_options(const Call& call, bool full, RangeOptions& options) {
  for (std::size_t i = 4; i < call.size(); ++i) {
    const std::string option = upper(call.arg(i));
    if (option == "WITHSCORES") {
      options.with_scores = true;
    } else if (option == "LIMIT" && i + 2 < call.size()) {
      const auto offset = integer(call.arg(i + 1));
      const auto count = integer(call.arg(i + 2));
      if (!offset || !count) return bad(kNotAnInteger);
      options.limited = true;
      options.offset = *offset;
      options.count = *count;
      i += 2;
    } else if (full && option == "BYSCORE") {
      options.by = By::score;
    } else if (full && option == "BYLEX") {
      options.by = By::name;
    } else if (full && option == "REV") {
      options.reverse = true;
    } else {
      return bad(kSyntax);
    }
  }
  if (options.limited && options.by == By::rank)
    return bad("syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
  if (options.with_scores && options.by == By::name)
    return bad("syntax error, WITHSCORES not supported in combination with BYLEX");
  return {};
}

Result<Range> range_of(const Call& call, const RangeOptions& options) {
  // By score or name, a reversed range is asked from its high end.
  const bool swapped = options.reverse && options.by != By::rank;
  const RangeQuery ends{call.arg(swapped ? 3 : 2), call.arg(swapped ? 2 : 3)};
  switch (options.by) {
    case By::rank: return rank_range(call, ends);
    case By::score: return score_range(call, ends);
    case By::name: return name_range(call, ends);
  }
  return bad(kSyntax);
}

Result<Request> read_range(Call& call, bool full, RangeOptions options) {
  if (const Status read = read_range_options(call, full, options); !read.ok()) return read;
  const auto range = range_of(call, options);
  if (!range.ok()) return range.status();
  key::ScoresRange asked{.key = call.arg(1), .range = *range, .reverse = options.reverse};
  const bool dialect = call.name() == "ZRANGE" || call.name() == "ZRANGEBYSCORE";
  asked.with_scores = options.with_scores || (dialect && call.core().options.compat_flags.ranges_with_scores);
  if (options.offset < 0) asked.limit = 0;
  if (options.offset > 0) asked.skip = static_cast<std::uint64_t>(options.offset);
  if (options.count >= 0 && !asked.limit) asked.limit = static_cast<std::size_t>(options.count);
  const Render render = asked.with_scores ? render_scored : render_plain;
  return Request(std::move(asked), render);
}

Result<Request> read_zrange(Call& call) { return read_range(call, true, {}); }
Result<Request> read_zrevrange(Call& call) { return read_range(call, false, {.reverse = true}); }
Result<Request> read_zrangebyscore(Call& call) { return read_range(call, false, {.by = By::score}); }
Result<Request> read_zrevrangebyscore(Call& call) { return read_range(call, false, {.by = By::score, .reverse = true}); }
Result<Request> read_zrangebylex(Call& call) { return read_range(call, false, {.by = By::name}); }
Result<Request> read_zrevrangebylex(Call& call) { return read_range(call, false, {.by = By::name, .reverse = true}); }

Result<Request> read_remove_range(Call& call, By by) {
  auto range = range_of(call, {.by = by});
  if (!range.ok()) return range.status();
  return Request(key::ScoresRemoveRange{call.arg(1), std::move(*range)}, render_plain);
}
Result<Request> read_zremrangebyrank(Call& call) { return read_remove_range(call, By::rank); }
Result<Request> read_zremrangebyscore(Call& call) { return read_remove_range(call, By::score); }
Result<Request> read_zremrangebylex(Call& call) { return read_remove_range(call, By::name); }

Result<Request> read_zcount(Call& call) {
  const auto range = score_range(call, {call.arg(2), call.arg(3)});
  if (!range.ok()) return range.status();
  return Request(key::ScoresCount{call.arg(1), std::get<store::ScoreRange>(*range)}, render_plain);
}

// --- the rest ---

Result<Request> read_zrem(Call& call) { return Request(key::ScoresRemove{call.arg(1), members_of(call)}, render_plain); }
Result<Request> read_zscore(Call& call) { return Request(key::ScoreOf{call.arg(1), {call.arg(2)}}, render_plain); }
Result<Request> read_zmscore(Call& call) { return Request(key::ScoreOf{call.arg(1), members_of(call), true}, render_plain); }
Result<Request> read_zcard(Call& call) { return Request(key::ScoresCount{call.arg(1), {}}, render_plain); }
Result<Request> read_zrank(Call& call) { return Request(key::RankOf{call.arg(1), call.arg(2)}, render_plain); }
Result<Request> read_zrevrank(Call& call) { return Request(key::RankOf{call.arg(1), call.arg(2), true}, render_plain); }

template <bool highest>
Result<Request> read_zpop(Call& call) {
  if (call.size() == 2) return Request(key::ScoresPop{call.arg(1), highest, 1}, render_plain);
  const auto count = integer(call.arg(2));
  if (!count || *count < 0) return bad(kNotPositive);
  return Request(key::ScoresPop{call.arg(1), highest, static_cast<std::size_t>(*count)}, render_scored);
}

Result<Request> read_zscan(Call& call) {
  auto page = read_page(call, 2);
  if (!page.ok()) return page.status();
  return Request(key::ScoresScan{call.arg(1), std::move(page->place.after), std::move(page->pattern), page->count},
                 render_scored_page);
}

constexpr std::array kScoreWords{
    word("ZADD", {4, kMany, "ZADD requires exactly three arguments (key score member)"}, kOneKey, kWrites, kScoreGroup,
         "Adds members with scores; NX, XX, GT, LT, CH, INCR.", read_zadd),
    word("ZINCRBY", {4, 4}, kOneKey, kWrites, kScoreGroup, "Adds to a score.", read_zincrby),
    word("ZREM", {3, kMany, "ZREM requires exactly two arguments (key member)"}, kOneKey, kWrites, kScoreGroup,
         "Removes members.", read_zrem),
    word("ZSCORE", {3, 3, "ZSCORE requires exactly two arguments (key member)"}, kOneKey, kReads, kScoreGroup,
         "The score of a member.", read_zscore),
    word("ZMSCORE", {3, kMany}, kOneKey, kReads, kScoreGroup, "The scores of several members.", read_zmscore),
    word("ZCARD", {2, 2, "ZCARD requires exactly one argument (key)"}, kOneKey, kReads, kScoreGroup,
         "How many members there are.", read_zcard),
    word("ZCOUNT", {4, 4}, kOneKey, kReads, kScoreGroup, "How many members have a score in a range.", read_zcount),
    word("ZRANGE", {4, kMany, "ZRANGE requires exactly three arguments (key start stop)"}, kOneKey, kReads, kScoreGroup,
         "Members in a range; BYSCORE, BYLEX, REV, LIMIT, WITHSCORES.", read_zrange),
    word("ZREVRANGE", {4, 5}, kOneKey, kReads, kScoreGroup, "Members in a range of ranks from the highest.", read_zrevrange),
    word("ZRANGEBYSCORE", {4, kMany, "ZRANGEBYSCORE requires exactly three arguments (key min max)"}, kOneKey, kReads,
         kScoreGroup, "Members in a range of scores; LIMIT, WITHSCORES.", read_zrangebyscore),
    word("ZREVRANGEBYSCORE", {4, kMany}, kOneKey, kReads, kScoreGroup, "Members in a range of scores from the highest.",
         read_zrevrangebyscore),
    word("ZRANGEBYLEX", {4, kMany}, kOneKey, kReads, kScoreGroup, "Members in a range of names.", read_zrangebylex),
    word("ZREVRANGEBYLEX", {4, kMany}, kOneKey, kReads, kScoreGroup, "Members in a range of names from the highest.",
         read_zrevrangebylex),
    word("ZRANK", {3, 3}, kOneKey, kReads, kScoreGroup, "How many members come before this one.", read_zrank),
    word("ZREVRANK", {3, 3}, kOneKey, kReads, kScoreGroup, "How many members come after this one.", read_zrevrank),
    word("ZPOPMIN", {2, 3}, kOneKey, kWrites, kScoreGroup, "Takes the members with the lowest scores.", read_zpop<false>),
    word("ZPOPMAX", {2, 3}, kOneKey, kWrites, kScoreGroup, "Takes the members with the highest scores.", read_zpop<true>),
    word("ZREMRANGEBYRANK", {4, 4}, kOneKey, kWrites, kScoreGroup, "Removes a range of ranks.", read_zremrangebyrank),
    word("ZREMRANGEBYSCORE", {4, 4}, kOneKey, kWrites, kScoreGroup, "Removes a range of scores.", read_zremrangebyscore),
    word("ZREMRANGEBYLEX", {4, 4}, kOneKey, kWrites, kScoreGroup, "Removes a range of names.", read_zremrangebylex),
    word("ZSCAN", {3, kMany}, kOneKey, kReads, kScoreGroup, "A page of a sorted set; MATCH, COUNT.", read_zscan),
};

}  // namespace

std::span<const Word> score_words() { return kScoreWords; }

}  // namespace muster::resp::keyspace
