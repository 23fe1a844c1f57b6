// libpq with nothing around it. The texts of the statements are in sql/.
#include "bench/postgres/coalesced_loop.h"

#include <algorithm>
#include <barrier>
#include <thread>

#include <fmt/format.h>

#include "bench/postgres/connection.h"
#include "bench/postgres/sql.h"
#include "bench/rig.h"
#include "bench/row.h"

namespace muster::bench::postgres {
namespace {

constexpr std::size_t kKinds = kQueues * kTypes;
constexpr std::size_t kBacklogGroup = 250;

std::string array_of(const std::vector<std::string>& values) { return fmt::format("{{{}}}", fmt::join(values, ",")); }

std::string payloads(std::size_t count) { return array_of(std::vector<std::string>(count, std::string(kPayloadBytes, 'p'))); }

}  // namespace

class CoalescedLoop::Link {
 public:
  Link(const std::string& url, const std::string& schema, Rows rows, std::size_t index)
      : rows_(rows), worker_(std::to_string(index + 1)), turn_(index * kKinds / 2), connection_(url) {
    connection_.run(fmt::format("SET search_path = {}", schema));
    // A plan made while the tables are empty would read them whole once they are not.
    connection_.run("SET enable_seqscan = off");
    if (index == 0 && rows_ == Rows::lean) connection_.run(sql_text("lean_tables.sql"));
    const std::string_view kind = rows_ == Rows::lean ? "lean" : "store";
    connection_.prepare("enqueue", sql_text(fmt::format("{}_enqueue.sql", kind)));
    connection_.prepare("claim", sql_text(fmt::format("{}_claim.sql", kind)));
    connection_.prepare("complete", sql_text(fmt::format("{}_complete.sql", kind)));
  }

  void enqueue(const std::string& batch) {
    const Place at = place();
    connection_.execute("enqueue", {at.queue, at.type, batch});
  }
  std::vector<std::string> claim(const std::string& count) {
    const Place at = place();
    return connection_.execute("claim", {at.queue, at.type, count, worker_});
  }
  void complete(const std::vector<std::string>& ids) { connection_.execute("complete", {array_of(ids)}); }
  // The next group is of another queue or type.
  void turn() { ++turn_; }

 private:
  struct Place {
    std::string queue;
    std::string type;
  };
  Place place() const { return {std::to_string(turn_ % kQueues), std::to_string(turn_ / kQueues % kTypes)}; }

  const Rows rows_;
  const std::string worker_;
  std::size_t turn_;
  Connection connection_;
};

CoalescedLoop::CoalescedLoop(const std::string& url, const std::string& schema, Rows rows, std::size_t connections,
                             std::size_t backlog) {
  if (rows == Rows::lean) Connection(url).run(fmt::format("DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0}", schema));
  for (std::size_t i = 0; i < connections; ++i) links_.push_back(std::make_unique<Link>(url, schema, rows, i));
  const std::string batch = payloads(kBacklogGroup);
  for (std::size_t done = 0; done < backlog; done += kBacklogGroup) {
    links_[0]->enqueue(batch);
    links_[0]->turn();
  }
}

CoalescedLoop::~CoalescedLoop() = default;

double CoalescedLoop::lives_per_second(std::size_t group, double seconds) {
  const std::string batch = payloads(group);
  const std::string count = std::to_string(group);
  std::barrier start(static_cast<std::ptrdiff_t>(links_.size()));
  std::vector<double> rates(links_.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < links_.size(); ++i)
    threads.emplace_back([&, i] {
      Link& link = *links_[i];
      std::size_t lives = 0;
      start.arrive_and_wait();
      const double began = seconds_now();
      double now = began;
      for (; now - began < seconds; now = seconds_now(), link.turn()) {
        link.enqueue(batch);
        const std::vector<std::string> claimed = link.claim(count);
        link.complete(claimed);
        lives += claimed.size();
      }
      rates[i] = static_cast<double>(lives) / (now - began);
    });
  for (std::thread& thread : threads) thread.join();
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

double CoalescedLoop::commit_one() {
  static const std::string one = payloads(1);
  const double began = seconds_now();
  links_[0]->enqueue(one);
  return seconds_now() - began;
}

}  // namespace muster::bench::postgres
