// A client of the crowd: submits jobs of every kind, repeats what was not answered, cancels, re-drives, pauses and limits.
#pragma once

#include <memory>
#include <vector>

#include "tests/sim/world.h"

namespace muster::sim {

class Client {
 public:
  Client(World& world, std::size_t index) : world_(world), index_(index), random_(world.random().fork()) {}
  void start();

 private:
  void act();
  void submit();
  void send(std::shared_ptr<std::vector<JobSpec>> jobs, int tries);
  void cancel();
  void redrive();
  void change_queue();
  void send_change(QueueChange change, int tries);
  void drain_worker();
  void look();
  void after(Duration delay, std::function<void()> what) { world_.timeline().after(delay, std::move(what)); }

  World& world_;
  std::size_t index_;
  Random random_;
  std::vector<JobId> known_;
  std::uint64_t serial_ = 0;
};

// Creates the second namespace, lifts every limit and pause: what an operator does before and after. Repeats until answered.
void create_namespaces(World& world);
void lift_limits(World& world);

}  // namespace muster::sim
