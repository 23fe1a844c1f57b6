#include "store/transfer/copy.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace muster::store::transfer {
namespace {

constexpr std::string_view kForm = "1";  // of the text

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return out;
}

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    if (error != std::errc() || end != digits.data() + i + 2) return std::nullopt;
    out += static_cast<char>(value);
  }
  return out;
}

template <class Number>
bool read_number(std::string_view text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t space = text.find(' ');
    out.push_back(text.substr(0, space));
    if (space == std::string_view::npos) return out;
    text.remove_prefix(space + 1);
  }
}

}  // namespace

std::string bookmark_to_text(const Bookmark& bookmark) {
  return fmt::format("{} {} {} {} {} {} {}", kForm, bookmark.source, bookmark.schema, bookmark.done ? "done" : "copying",
                     index_of(bookmark.kind), bookmark.after.first, to_hex(bookmark.after.second));
}

std::optional<Bookmark> bookmark_from_text(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 7 || words[0] != kForm || (words[3] != "done" && words[3] != "copying")) return std::nullopt;
  Bookmark out;
  out.source = words[1];
  out.done = words[3] == "done";
  std::size_t kind = 0;
  const auto second = from_hex(words[6]);
  if (!read_number(words[2], out.schema) || !read_number(words[4], kind) || !read_number(words[5], out.after.first) || !second ||
      kind >= kKinds.size())
    return std::nullopt;
  out.kind = kKinds[kind];
  out.after.second = *second;
  return out;
}

Status may_continue(const Bookmark& bookmark, const std::string& source, std::uint32_t schema) {
  if (bookmark.schema != schema)
    return Status::conflict("the target holds a copy that another version of muster began; remove it and begin again");
  if (bookmark.source != source)
    return Status::conflict(
        bookmark.done ? "the target is not empty: it holds a copy of another store, or of this one at another time"
                      : "the target holds a half-done copy of another store, or this one has changed since; remove it and begin "
                        "again");
  return {};
}

Status must_be_empty(const Counts& counts) {
  if (counts[index_of(Kind::namespaces)] > 1)
    return Status::conflict(
        fmt::format("the target is not empty: it holds {} namespaces; name an empty one", counts[index_of(Kind::namespaces)]));
  for (const Kind kind : kKinds)
    if (kind != Kind::namespaces && counts[index_of(kind)] > 0)
      return Status::conflict(
          fmt::format("the target is not empty: it holds {} {}; name an empty one", counts[index_of(kind)], to_string(kind)));
  return {};
}

namespace {

// Tells one source from another, and from itself after work was done on it: whoever claims, submits or registers uses up numbers,
// and whoever finishes moves the counts. What slips through is found when both are compared.
std::string fingerprint_of(const Numbers& numbers, const Counts& counts) {
  std::string text = fmt::format("{} {} {}", numbers.salt, numbers.next_job_key, numbers.next_fence);
  for (const std::uint64_t count : counts) text += fmt::format(" {}", count);
  return fmt::format("{:016x}", hash_of(text));
}

// Reads one kind from `after` to its end.
template <class Take>
Status for_each_batch(Source& source, Kind kind, Position after, std::size_t limit, Take take) {
  while (true) {
    auto batch = source.read(kind, after, limit);
    if (!batch.ok()) return batch.status().annotate(fmt::format("reading {}", to_string(kind)));
    if (size_of(batch->records) == 0) return {};
    if (Status status = take(*batch); !status.ok()) return status;
    after = std::move(batch->last);
  }
}

class Copying {
 public:
  Copying(Source& source, Sink& sink, std::size_t limit, const Watch& watch)
      : source_(source), sink_(sink), limit_(limit), watch_(watch) {}

  Result<Report> run() {
    if (Status status = begin(); !status.ok()) return status;
    if (!bookmark_.done)
      if (Status status = move(); !status.ok()) return status;
    if (Status status = compare(); !status.ok()) return status;
    report_.finished = bookmark_.done;
    if (bookmark_.done || !report_.same()) return report_;
    if (Status status = sink_.finish(); !status.ok()) return status.annotate("finishing the target");
    report_.finished = true;
    return report_;
  }

 private:
  Status begin() {
    const auto numbers = source_.numbers();
    if (!numbers.ok()) return numbers.status().annotate("reading the source");
    const auto counts = source_.counts();
    if (!counts.ok()) return counts.status().annotate("reading the source");
    numbers_ = *numbers;
    totals_ = *counts;
    auto bookmark = sink_.begin(*numbers, fingerprint_of(*numbers, *counts));
    if (!bookmark.ok()) return bookmark.status();
    bookmark_ = std::move(*bookmark);
    const auto there = sink_.contents().counts();
    if (!there.ok()) return there.status().annotate("reading the target");
    there_ = *there;
    report_.resumed = bookmark_.kind != Kind::namespaces || bookmark_.after != Position();
    return {};
  }

  Status move() {
    for (const Kind kind : kKinds) {
      if (kind < bookmark_.kind) continue;
      const Position after = kind == bookmark_.kind ? bookmark_.after : Position();
      std::uint64_t done = there_[index_of(kind)];
      const Status status = for_each_batch(source_, kind, after, limit_, [&](const Batch& batch) -> Status {
        bookmark_.kind = kind;
        bookmark_.after = batch.last;
        if (Status put = sink_.put(batch.records, bookmark_); !put.ok())
          return put.annotate(fmt::format("writing {}", to_string(kind)));
        done += size_of(batch.records);
        report_.moved += size_of(batch.records);
        tell(Phase::copying, kind, done, false);
        return {};
      });
      if (!status.ok()) return status;
      tell(Phase::copying, kind, done, true);
    }
    return {};
  }

  // Kind by kind, the source and then the target, so that whoever watches sees it advance.
  Status compare() {
    for (const Kind kind : kKinds) {
      std::uint64_t read = 0;
      Status status = digest(source_, kind, report_.source, nullptr);
      if (status.ok()) status = digest(sink_.contents(), kind, report_.target, &read);
      if (!status.ok()) return status;
      tell(Phase::comparing, kind, read, true);
    }
    const auto there = sink_.contents().numbers();
    if (!there.ok()) return there.status().annotate("reading the target");
    report_.numbers_kept =
        there->salt == numbers_.salt && there->next_job_key >= numbers_.next_job_key && there->next_fence >= numbers_.next_fence;
    return {};
  }

  Status digest(Source& from, Kind kind, Digest& into, std::uint64_t* read) {
    return for_each_batch(from, kind, {}, limit_, [&](const Batch& batch) -> Status {
      into.add(batch.records);
      if (read != nullptr) tell(Phase::comparing, kind, *read += size_of(batch.records), false);
      return {};
    });
  }

  void tell(Phase phase, Kind kind, std::uint64_t done, bool last) const {
    if (watch_) watch_({phase, kind, done, totals_[index_of(kind)], last});
  }

  Source& source_;
  Sink& sink_;
  const std::size_t limit_;
  const Watch& watch_;
  Bookmark bookmark_;
  Numbers numbers_;
  Counts totals_{};
  Counts there_{};
  Report report_;
};

}  // namespace

Result<Report> copy(Source& source, Sink& sink, std::size_t batch, const Watch& watch) {
  return Copying(source, sink, batch, watch).run();
}

}  // namespace muster::store::transfer
