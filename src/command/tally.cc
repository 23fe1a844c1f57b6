#include "command/tally.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>

#include "base/check.h"
#include "command/catalogue.h"

namespace muster::command {

// One command's numbers. Series are made when they are first needed: most commands never have most outcomes.
struct Tally::Row {
  static constexpr std::size_t kOutcomes = static_cast<std::size_t>(Code::internal) + 1;
  std::array<std::atomic<Counter*>, kOutcomes> outcomes{};
  std::atomic<Histogram*> took{nullptr};
};

Tally::Tally(Metrics& metrics) : metrics_(metrics), rows_(std::make_unique<Row[]>(catalogue().size())) {}
Tally::~Tally() = default;

std::size_t Tally::place_of(const Spec& command) {
  const auto all = catalogue();
  const auto at = std::ranges::find(all, &command);
  check(at != all.end(), command.name);
  return static_cast<std::size_t>(at - all.begin());
}

void Tally::count(std::size_t place, Code outcome, std::uint64_t times) {
  std::atomic<Counter*>& known = rows_[place].outcomes[static_cast<std::size_t>(outcome)];
  Counter* counter = known.load(std::memory_order_acquire);
  if (counter == nullptr) {
    counter =
        &metrics_.counter("muster_commands_total", "Commands by outcome, on every wire.",
                          {{"command", std::string(catalogue()[place]->name)}, {"outcome", std::string(to_string(outcome))}});
    known.store(counter, std::memory_order_release);
  }
  counter->add(times);
}

void Tally::time(std::size_t place, Ticks took) {
  std::atomic<Histogram*>& known = rows_[place].took;
  Histogram* histogram = known.load(std::memory_order_acquire);
  if (histogram == nullptr) {
    histogram = &metrics_.histogram("muster_command_seconds", "How long commands took, waits included.", latency_bounds(),
                                    {{"command", std::string(catalogue()[place]->name)}});
    known.store(histogram, std::memory_order_release);
  }
  histogram->observe(std::chrono::duration<double>(took).count());
}

}  // namespace muster::command
