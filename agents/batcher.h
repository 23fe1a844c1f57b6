// Puts runs that are due together into one batch: bounded by count and bytes, after a short window. On the agenda.
//
// The job that polls a batch is enqueued as soon as the API has accepted it, before any run is told: from then on the batch is
// found by whoever rescues one of its runs. A batch that is accepted while the node dies before that is nobody's, and its runs
// are sent again.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agents/base.h"
#include "agents/jobs.h"
#include "agents/run_driver.h"

namespace muster::agents {

inline constexpr int kWindowsMax = 10;  // that a batch waits while more of its runs are being prepared

class Batcher : public std::enable_shared_from_this<Batcher> {
 public:
  // `more_coming`: runs of the namespace are about to be added.
  Batcher(BasePtr base, std::function<bool(const NamespaceName&)> more_coming)
      : base_(std::move(base)), more_coming_(std::move(more_coming)) {}

  void add(RunDriverPtr driver, claude::BatchRequest request, std::vector<std::string> betas);
  // What waits is refused with `conflict`; what is on its way goes on.
  void stop();

 private:
  struct Entry {
    RunDriverPtr driver;
    claude::BatchRequest request;
  };
  struct Group {
    NamespaceName ns;
    std::vector<std::string> betas;
    std::vector<Entry> entries;
    std::size_t bytes = 0;
    std::uint64_t number = 0;  // tells the timer of a group that is gone from one of its successor
  };
  using Submission = std::shared_ptr<Group>;  // shared by the answers about one batch

  void window_over(std::uint64_t number, int windows);
  void submit(Group group);
  void created(const Submission& group, Result<claude::Batch> batch);
  void refuse(const Submission& group, const Status& why);
  void enqueue_poll(const Submission& group, claude::Batch batch, std::uint32_t tries);

  const BasePtr base_;
  const std::function<bool(const NamespaceName&)> more_coming_;
  std::vector<Group> groups_;
  std::uint64_t last_ = 0;
  bool stopped_ = false;
};

}  // namespace muster::agents
