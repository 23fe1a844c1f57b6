// Any store behind the fault decorator, as one more store to test.
#include <gtest/gtest.h>

#include "base/uuid.h"
#include "store/contract/harness.h"
#include "store/faults.h"

namespace muster::store::contract {
namespace {

constexpr double kRefuseShare = 0.08;
constexpr double kUnknownShare = 0.08;

// A verb here is refused but never answered with `outcome_unknown`, because repeating it gives another answer:
//  - a claim has no request id: its lost grants come back by lease expiry (FaultsContract has the case);
//  - a registration makes a new session each time;
//  - a batch of key commands has no request id either, and a second increment is one too many;
//  - redrive_matching names the jobs of one call;
//  - a signal has no request id: sent again it is a second one;
//  - reads and backup write nothing that could be in doubt.
constexpr Verb kNeverUnknown[] = {Verb::claim,          Verb::keyspace,     Verb::register_workers, Verb::redrive_matching,
                                  Verb::get_jobs,       Verb::list_jobs,    Verb::explain,          Verb::get_workers,
                                  Verb::list_workers,   Verb::list_queues,  Verb::list_lanes,       Verb::list_namespaces,
                                  Verb::info,           Verb::backup,       Verb::find_jobs,        Verb::get_plans,
                                  Verb::list_plans,     Verb::get_action,   Verb::list_actions,     Verb::find_holders,
                                  Verb::count_jobs,     Verb::list_steps,   Verb::signal_runs,      Verb::get_schedules,
                                  Verb::list_schedules, Verb::due_schedules};

// Each case meets its own faults, and the same ones however it is run.
std::uint64_t seed_of_case(std::uint64_t seed) {
  const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
  if (seed == 0 || info == nullptr) return seed;
  for (const char c : std::string(info->test_suite_name()) + info->name()) seed = mix64(seed ^ static_cast<unsigned char>(c));
  return seed;
}

class FaultyHarness final : public Harness {
 public:
  FaultyHarness(std::unique_ptr<Harness> inner, std::uint64_t seed) : inner_(std::move(inner)), seed_(seed) { wrap(); }

  Store& store() override { return *faults_; }
  Instant now() const override { return inner_->now(); }
  void advance(Duration by) override { inner_->advance(by); }
  void pause(Duration by) override { inner_->pause(by); }
  Status restart() override { return wrap_after(inner_->restart()); }
  Status crash() override { return wrap_after(inner_->crash()); }
  bool pump() override { return inner_->pump(); }
  bool threaded() const override { return inner_->threaded(); }
  void listen(Listener* listener) override { inner_->listen(listener); }
  bool faulty() const override { return seed_ != 0; }
  bool has_backup() const override { return inner_->has_backup(); }
  bool has_nodes() const override { return inner_->has_nodes(); }
  std::string scratch_path(std::string_view name) const override { return inner_->scratch_path(name); }
  Result<std::unique_ptr<Harness>> open_backup(const std::string& path) override { return inner_->open_backup(path); }

 private:
  void wrap() {
    faults_ = std::make_unique<FaultStore>(inner_->store(), FaultStore::Options{.seed = seed_ + generation_++});
    if (seed_ == 0) return;
    faults_->set_policy_of_all({.refuse = kRefuseShare, .unknown = kUnknownShare});
    for (const Verb verb : kNeverUnknown) faults_->set_policy(verb, {.refuse = kRefuseShare});
  }
  Status wrap_after(Status opened) {
    if (opened.ok()) wrap();
    return opened;
  }

  std::unique_ptr<Harness> inner_;
  const std::uint64_t seed_;
  std::uint64_t generation_ = 0;
  std::unique_ptr<FaultStore> faults_;
};

}  // namespace

HarnessMaker behind_faults(HarnessMaker inner, std::uint64_t seed) {
  return [inner = std::move(inner), seed]() -> Result<std::unique_ptr<Harness>> {
    auto made = inner();
    if (!made.ok()) return made.status();
    return std::unique_ptr<Harness>(std::make_unique<FaultyHarness>(std::move(*made), seed_of_case(seed)));
  };
}

}  // namespace muster::store::contract
