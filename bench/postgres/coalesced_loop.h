// The other side of the PostgreSQL store's ratio: a bare loop on libpq that does the same life in groups, and nothing else.
//
// A ready table holds the payload; a claim deletes its rows with FOR UPDATE SKIP LOCKED and puts them into a lease table; a
// completion deletes the lease. One prepared multi-row statement per verb and group, each a durable transaction of its own, one
// group in flight per connection, one thread per connection: `callers` requests in flight are `callers` ÷ `connections` rows per
// statement, which is what coalescing gives at best. All rows of a statement are of one queue and type.
//
// The rows are as lean as a life needs them, or those of the store's own tables (waiting, running with its index by worker,
// history), which tells what of a difference is the store's rows and what is the store's code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster::bench::postgres {

enum class Rows : std::uint8_t { lean, of_the_store };

class CoalescedLoop {
 public:
  // `schema` is made anew (lean), or is that of a store (of_the_store). `connections` are opened at once.
  CoalescedLoop(const std::string& url, const std::string& schema, Rows rows, std::size_t connections, std::size_t backlog);
  ~CoalescedLoop();
  CoalescedLoop(const CoalescedLoop&) = delete;
  CoalescedLoop& operator=(const CoalescedLoop&) = delete;

  // Whole lives per second, in groups of `group` on every connection.
  double lives_per_second(std::size_t group, double seconds);
  // Seconds one commit of one inserted row takes.
  double commit_one();

 private:
  class Link;  // one connection and what it works at
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace muster::bench::postgres
