// The server's configuration and health, told to those who ask it from outside: what `muster config show` and `muster doctor` say
// on the machine itself. Owned by Server and shared with the door.
//
// A check-up looks at disks and files and may take a while, so it runs on a thread of its own, which begins with the first of
// them, one at a time. Those who ask during it get its answer, and for kCheckUpKept afterwards everybody else does.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "command/inspection.h"
#include "server/config.h"
#include "store/verbs.h"

namespace muster::server {

inline constexpr Duration kCheckUpKept{10'000};
inline constexpr std::size_t kCheckUpWaitersMax = 100;

struct InspectorOptions {
  std::function<store::StoreHealth()> store_health;
  std::function<bool()> alive;  // background work goes on
};

class Inspector final : public command::Inspection {
 public:
  // The clock outlives it.
  Inspector(Config config, const Clock& clock, InspectorOptions options);
  ~Inspector() override;

  command::ConfigShown config() const override;
  void check(Reply<command::CheckUp> reply) override;

  // What the server runs with.
  Config running() const;
  // A reload took these; what waits for the next start is shown as it is until then.
  void reloaded(const Config& config);
  // Waits for the check-up under way; later ones are refused. Idempotent.
  void stop();

 private:
  void run();
  Result<command::CheckUp> guarded(const Config& config) const;
  command::CheckUp examine(const Config& config) const;

  const Clock& clock_;
  const InspectorOptions options_;
  mutable std::mutex mutex_;  // leaf; guards what follows
  Config config_;
  std::optional<command::CheckUp> last_;
  Ticks last_at_{};
  std::vector<Reply<command::CheckUp>> waiting_;
  bool stopped_ = false;
  std::condition_variable asked_;
  std::thread thread_;
};

// As `muster config show` has it.
command::ConfigShown shown_config(const Config& config);

}  // namespace muster::server
