#include "agents/batcher.h"

#include <algorithm>

#include "base/log.h"
#include "command/jobs.h"

namespace muster::agents {

void Batcher::add(RunDriverPtr driver, claude::BatchRequest request, std::vector<std::string> betas) {
  if (stopped_) return driver->batch_refused(Status::conflict("the node stops"));
  const Settings& settings = base_->settings;
  const std::size_t bytes = request.params.size();
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Group& one) { return one.ns == driver->ns() && one.betas == betas; });
  if (group != groups_.end() && group->bytes + bytes > settings.batch_bytes_max) {
    Group full = std::move(*group);
    groups_.erase(group);
    submit(std::move(full));
    group = groups_.end();
  }
  if (group == groups_.end()) {
    groups_.push_back({.ns = driver->ns(), .betas = std::move(betas), .entries = {}, .bytes = 0, .number = ++last_});
    group = std::prev(groups_.end());
    base_->agenda->after(settings.batch_window, [weak = weak_from_this(), number = last_] {
      if (const auto self = weak.lock()) self->window_over(number, 1);
    });
  }
  group->bytes += bytes;
  group->entries.push_back({std::move(driver), std::move(request)});
  if (group->entries.size() < settings.batch_count_max) return;
  Group full = std::move(*group);
  groups_.erase(group);
  submit(std::move(full));
}

void Batcher::window_over(std::uint64_t number, int windows) {
  const auto group = std::find_if(groups_.begin(), groups_.end(), [number](const Group& one) { return one.number == number; });
  if (group == groups_.end()) return;
  if (windows < kWindowsMax && more_coming_(group->ns)) {
    base_->agenda->after(base_->settings.batch_window, [weak = weak_from_this(), number, windows] {
      if (const auto self = weak.lock()) self->window_over(number, windows + 1);
    });
    return;
  }
  Group due = std::move(*group);
  groups_.erase(group);
  submit(std::move(due));
}

// Runs that ended while they waited are left out: nobody wants their answers.
void Batcher::submit(Group group) {
  std::erase_if(group.entries, [](const Entry& entry) { return entry.driver->is_over(); });
  if (group.entries.empty()) return;
  const auto shared = std::make_shared<Group>(std::move(group));
  std::vector<claude::BatchRequest> requests;
  requests.reserve(shared->entries.size());
  for (const Entry& entry : shared->entries) requests.push_back(entry.request);
  base_->api->create_batch(std::move(requests), shared->betas,
                           onto<claude::Batch>(base_, weak_from_this(), [shared](Batcher& self, Result<claude::Batch> batch) {
                             self.created(shared, std::move(batch));
                           }));
}

void Batcher::created(const Submission& group, Result<claude::Batch> batch) {
  if (batch.ok()) {
    for (Entry& entry : group->entries) entry.request.params = {};
    return enqueue_poll(group, *std::move(batch), 0);
  }
  // One request that the API refuses spoils the whole batch: halves find it, and the others go on.
  if (batch.code() != Code::invalid_argument || group->entries.size() == 1) return refuse(group, batch.status());
  Group second{.ns = group->ns, .betas = group->betas, .entries = {}};
  const auto middle = group->entries.begin() + static_cast<std::ptrdiff_t>(group->entries.size() / 2);
  second.entries.assign(std::make_move_iterator(middle), std::make_move_iterator(group->entries.end()));
  group->entries.erase(middle, group->entries.end());
  submit(std::move(*group));
  submit(std::move(second));
}

void Batcher::refuse(const Submission& group, const Status& why) {
  for (const Entry& entry : group->entries) entry.driver->batch_refused(why);
}

// The batch is paid for: its poll is enqueued as long as this node lives.
void Batcher::enqueue_poll(const Submission& group, claude::Batch batch, std::uint32_t tries) {
  BatchTask task{.batch_id = batch.id, .members = {}};
  for (const Entry& entry : group->entries) task.members.push_back({entry.driver->id(), entry.driver->iteration()});
  base_->door.run(
      command::itself(), command::JobSubmitRequest{.job = batch_job(group->ns, task, base_->settings.poll_interval)},
      onto<store::Enqueued>(
          base_, weak_from_this(), [group, batch = std::move(batch), tries](Batcher& self, Result<store::Enqueued> made) {
            if (made.ok()) {
              for (const Entry& entry : group->entries) entry.driver->batch_accepted(batch.id, made->id, batch.expires_at);
              return;
            }
            log::error("the poll of a batch could not be enqueued", {{"batch", batch.id}, {"reason", made.status().text()}});
            if (tries >= kWritesMax) return self.refuse(group, made.status());
            self.base_->agenda->after(kWriteAgainAfter, [weak = self.weak_from_this(), group, batch, tries] {
              if (const auto again = weak.lock()) again->enqueue_poll(group, batch, tries + 1);
            });
          }));
}

void Batcher::stop() {
  stopped_ = true;
  std::vector<Group> groups;
  groups.swap(groups_);
  for (const Group& group : groups)
    for (const Entry& entry : group.entries) entry.driver->batch_refused(Status::conflict("the node stops"));
}

}  // namespace muster::agents
