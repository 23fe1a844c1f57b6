// The work of one worker: claims jobs while it has room, sends them as tasks, and turns what it says about them into outcomes.
//
// A task is a job under its lease. The worker names it by run and task, or by the dispatch it answers. On the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/unique_function.h"
#include "command/delivery.h"
#include "command/feedback.h"
#include "command/jobs.h"
#include "fronts/ws/channel.h"
#include "fronts/ws/feed/run_board.h"
#include "fronts/ws/task_document.h"
#include "model/job.h"
#include "model/resource.h"
#include "session/codes.h"

namespace muster::ws {

class WorkerSession;

class Tasks {
 public:
  explicit Tasks(WorkerSession& worker);
  ~Tasks();

  // Asks for work if the worker is connected, not draining and has room.
  void want();
  void stop_wanting();

  // The worker, or this server, started over: what the worker holds by the registry is taken up, and sent to it (again) `after`
  // that unless it speaks about it before.
  void adopt(Duration after);
  // The same for what is known here.
  void send_again();

  // --- what the worker says; the frame is done when its outcome is safe ---
  void result(const session::Envelope& frame, Arrived arrived);
  void error(const session::Envelope& frame, Arrived arrived);
  void feedback(const session::Envelope& frame, Arrived arrived);
  void next_request(const session::Envelope& frame, Arrived arrived);
  // The worker has a frame of ours.
  void acknowledged(const std::string& frame_id);

  // Nothing was heard about a dispatch: the job goes back, and is dead when that happens too often.
  void unacknowledged(const std::string& dispatch_id);
  // Somebody wants these stopped. No frame says so to a worker: the lease ends here, and what comes later is ignored.
  void cancelled(const std::vector<LeaseRef>& leases);
  // These are the worker's no more.
  void lost(const std::vector<LeaseRef>& leases);

  std::vector<LeaseRef> held() const;
  // held() is all that the worker holds.
  bool settled_in() const { return !adopting_; }
  std::size_t size() const { return tasks_.size(); }

 private:
  using Key = std::pair<std::string, std::string>;  // run, task
  struct Task {
    LeaseRef lease;
    std::string node_id;
    std::string node_type;
    std::string dispatch_id;  // of the latest dispatch; empty: it was sent by another process
    std::uint64_t seq = 0;
    std::string concurrency_key;
    std::string payload;
    json::Tree next;  // what it may ask for; null: nothing
    QueueName queue;
    std::int32_t priority = 0;
    std::string client;                     // whose run it is; empty: nobody's
    Instant sent_at{};                      // first, steady time
    bool heard = false;                     // the worker has spoken about it since it was taken up
    bool in_question = false;               // given before the worker, or this server, started over
    bool settling = false;                  // its outcome is on its way
    bool unkept = false;                    // what the worker said could not be kept
    std::size_t unwritten = 0;              // frames of feedback that are not safe yet
    UniqueFunction<void()> when_written{};  // its outcome, which waits for them
  };
  using Place = std::map<Key, Task>::iterator;

  void claimed(std::uint64_t claim, Result<store::ClaimReply> reply);
  std::optional<CapabilitySet> room_by_node() const;
  Place take_up(const Grant& grant);
  void remember_place(const TaskDocument& document);
  bool takes_number(Place place, const session::Envelope& frame, Arrived arrived);
  void note_repetition(const session::Envelope& frame, const Key& named);
  void say_error(const session::ErrorCode& code, const session::Envelope& frame, json::Tree details);
  void learn(Place place, Arrived arrived, std::vector<Resource> artifacts, store::Completion completion);
  bool holds_key_elsewhere(Place place) const;
  // For the first time: without room the job goes back.
  void send(Place place);
  // Not ok: nothing was sent.
  Status transmit(Place place);
  void repeat_those_in_question();
  void tell_dispatched(Place place);
  void adopt_page(std::uint64_t adoption, Duration after, std::string cursor);
  void adopted(Duration after);
  void forget(const Key& key, const LeaseRef& lease);
  void want_soon();
  // By its names, or by what the frame answers.
  Place find(const session::Envelope& frame, const Key& named);
  Place find(const LeaseRef& lease);
  bool postponed(const session::Envelope& frame, Arrived arrived);
  void give_back(Place place, std::string why);
  void give_up(Place place, std::string why);
  void note(const Task& task, std::string_view outcome);
  void cancel(Place place, Arrived arrived);
  void fail(Place place, Arrived arrived, JobError error, bool retryable);

  feed::TaskName name_of(const Key& key) const;
  // Has a report written. `arrived`: the frame that brought it, which is done then, or never when nothing is to be kept.
  void keep(const Key& key, const LeaseRef& lease, std::optional<Arrived> arrived,
            std::shared_ptr<const command::JobFeedbackRequest> report);
  void kept(const Key& key, const LeaseRef& lease, std::optional<Arrived> arrived, bool awaited,
            const Result<store::Renewed>& answer);
  // Calls `outcome` when everything that the worker said before is written; what it says of its result goes beside it.
  void conclude(Place place, Arrived arrived, std::optional<OutcomeFacts> facts, UniqueFunction<void(Place)> outcome);
  // A result came with what the task has made. The one place that all artifacts pass.
  struct Produced {
    const std::string& tenant;
    const std::string& worker;
    const std::string& run;
    const std::string& task;
    const json::Tree* artifacts;  // null: none
  };
  void produced(const Produced& made, std::string_view status, std::string_view content);

  // Carries an outcome out until it is safe or refused for good; then the frame is done and the task forgotten.
  template <class Request>
  void settle(Place place, std::optional<Arrived> arrived, Request request);
  void later(std::function<void()> work);

  WorkerSession& worker_;
  std::map<Key, Task> tasks_;
  std::map<std::string, std::uint32_t> running_by_node_;
  std::map<std::string, Key> unacknowledged_;  // dispatches that the worker has not said it has
  std::optional<command::ClaimTicket> ticket_;
  std::uint64_t claim_ = 0;     // the current one; what earlier ones bring is handed back
  bool narrowed_ = false;       // it leaves out node types that are at their limit
  std::uint64_t adoption_ = 0;  // the latest; pages of earlier ones are of no interest
  bool adopting_ = false;
  bool wants_soon_ = false;                                       // posted
  std::vector<std::pair<session::Envelope, Arrived>> postponed_;  // about tasks that are perhaps about to be taken up
  std::vector<std::function<void()>> later_;
  Deadlines::Entry retry_;
  Deadlines::Entry again_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // shared with answers that are on their way
};

}  // namespace muster::ws
