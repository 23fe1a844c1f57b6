// Audit rows as values: what is kept of a deed, which of them a reader asks for, and how they lie in the store.
//
// Rows are kept in blocks of neighbours in time: one text and one entry of an index for many rows, since a row of its own for
// each dispatch would cost the writer as much as the dispatch. Pure; used by audit.h and audit_search.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/ids.h"
#include "model/limits.h"

namespace muster::engine {

struct AuditRow {
  std::string id;  // given by the book: grows with time, and no two nodes give the same
  Instant at{};    // given by the book
  NamespaceName ns;
  std::string who;          // the token's name
  std::string role;         // of the token
  std::string address;      // of the peer
  std::string worker;       // that acted, or that was given a task
  std::string action;       // noun.verb
  std::string target;       // what it was done to
  std::string correlation;  // the wire's own name for it
  std::string outcome;      // ok, or the code of the refusal
};

// What anybody can cause in any number (dispatches, attempts of those who have no right to them) lies apart, so that it pushes no
// operator's deed out.
enum class AuditShelf : std::uint8_t { deeds, traffic };
inline constexpr std::size_t kAuditShelves = 2;

// Everything that is set must fit.
struct AuditFilter {
  NamespaceName ns;
  std::optional<std::vector<NamespaceName>> within;  // none but these
  std::string action;                                // a command, or a noun for all of its commands
  std::string who;
  std::string worker;
  std::string target;  // what the target begins with
  std::string outcome;
  std::optional<Instant> since;  // at this instant or later
  std::optional<Instant> until;  // before this instant
};
bool matches(const AuditFilter& filter, const AuditRow& row);

struct AuditQuery {
  AuditFilter filter;
  std::size_t limit = limits::kPageDefault;
  std::string cursor;  // AuditPage::next of an earlier page
};

struct AuditPage {
  std::vector<AuditRow> rows;  // newest first
  std::string next;            // empty: the end. A page may be short, or empty, while more follow
};

// Microseconds since 1970, each given once by a process: the order of rows, and exact as a score.
using AuditStamp = std::int64_t;
inline constexpr AuditStamp kStampsPerMilli = 1'000;
inline constexpr AuditStamp kAuditStampMax = (AuditStamp{1} << 53) - 1;  // the last that a score holds exactly: in 2255
inline AuditStamp first_stamp_of(Instant at) { return to_ms(at) * kStampsPerMilli; }
std::string audit_id(AuditStamp stamp, std::uint32_t node);
// Of an id, or of a cursor, which may name a stamp alone. nullopt: neither.
std::optional<AuditStamp> stamp_of(std::string_view id);

inline constexpr std::size_t kAuditFieldBytesMax = 256;  // of one text of a row

// Cuts texts that are longer.
void shorten(AuditRow& row);
// One line. Control characters become spaces.
void append_line(std::string& out, const AuditRow& row);
// Lines that are no rows are left out: a newer version may have written more than this one knows.
std::vector<AuditRow> read_lines(std::string_view text);

inline constexpr AuditStamp kAuditBlockSpan = 1'000'000;  // from the oldest row of a block to its newest

// A block in the index of its shelf, where its score is the stamp of its newest row.
struct AuditBlock {
  std::string id;  // of its newest row
  AuditStamp first = 0;
  AuditStamp last = 0;
  std::uint64_t count = 0;
  std::uint64_t written = 0;  // rows of the shelf up to the end of this block, since the beginning
};
std::string index_key(AuditShelf shelf);
std::string written_key(AuditShelf shelf);
std::string text_key(AuditShelf shelf, const AuditBlock& block);
std::string member_of(const AuditBlock& block);
std::optional<AuditBlock> read_member(std::string_view member, double score);

struct AuditKept {
  Duration age{};
  std::uint64_t rows = 0;
};
// May the block go? `written` is that of its shelf now.
bool is_over(const AuditBlock& block, const AuditKept& kept, std::uint64_t written, Instant now);

}  // namespace muster::engine
