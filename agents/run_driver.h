// One run that this node holds, from the claim of its job until it is ended, parked or handed back. It asks the rules what is
// next, does it and writes what came of it; between two writes it remembers nothing that would be missed after a crash. On the
// agenda.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/base.h"
#include "agents/run_reads.h"
#include "agents/run_writes.h"
#include "agents/settling.h"
#include "agents/token_sink.h"
#include "agents/tool_outcomes.h"
#include "model/job.h"

namespace muster::agents {

class RunDriver;
using RunDriverPtr = std::shared_ptr<RunDriver>;  // shared by the runtime and, for a while, by the batch it waits for

// What the runtime does for its drivers. On the agenda.
class DriverHost {
 public:
  virtual ~DriverHost() = default;
  virtual void finished(JobId run) = 0;                // it is in nobody's hand here any more
  virtual void wants_stream(RunDriverPtr driver) = 0;  // stream() is called when there is room
  virtual void stream_ended() = 0;
  virtual void wants_batch(RunDriverPtr driver, claude::BatchRequest request, std::vector<std::string> betas) = 0;
  virtual void watch_tools(JobId run, const std::vector<ToolExecution>& executions) = 0;  // ToolWatch
  virtual void saw_ended(JobId run, const std::vector<JobId>& jobs) = 0;
  virtual void completed(const AgentRun& run) = 0;
};

class RunDriver : public std::enable_shared_from_this<RunDriver> {
 public:
  RunDriver(BasePtr base, DriverHost& host, const Grant& grant);

  JobId id() const { return lease_.job; }
  const LeaseRef& lease() const { return lease_; }
  const NamespaceName& ns() const { return ns_; }
  IterationId iteration() const { return view_.iteration->id; }
  RunMode mode() const { return view_.run.mode; }
  bool in_preparation() const { return preparing_; }  // a request may come of it soon
  bool is_over() const { return over_; }

  void start() { look(); }
  // What it waits for has happened, or may have.
  void touch() { touched_ = true; }
  // The lease is lost or the job was ended: everything stops, nothing is written.
  void abandon();
  // The node stops: a call that is under way is broken off, what it said is kept, and the job goes back.
  void hand_back();

  // The runtime has room for its stream.
  void stream();
  // The batcher's answer.
  void batch_accepted(const std::string& batch_id, JobId job, std::optional<Instant> expires_at);
  void batch_refused(const Status& why);

 private:
  template <class T, class Then>
  Reply<T> then(Then next) {
    return onto<T>(base_, weak_from_this(), [next = std::move(next)](RunDriver& self, Result<T> result) mutable {
      if (!self.over_) next(self, std::move(result));
    });
  }
  // The last that is done about the job.
  template <class Request>
  void let_go(Request request) {
    settle_job(base_, weak_from_this(), std::move(request), [](RunDriver& self, const auto&) { self.out_of_hand(); });
  }
  Moment moment() const { return {base_->now(), base_->worker()}; }

  // run_driver.cc
  void look();
  void decide();
  void write(store::AgentRunWrite write, UniqueFunction<void(RunDriver&)> next);
  void fail(std::string_view error_type, const std::string& why);
  void settle();
  void park(Duration delay);
  void give_back();
  void trouble(const Status& why);
  void out_of_hand();
  void say(std::string event);
  void take_tokens();
  void say_state();
  void flush();
  void told(const Result<store::Renewed>& renewed);
  void when_told(UniqueFunction<void(RunDriver&)> next);

  // run_driver_calls.cc
  void prepare_call();
  void check_limits();
  void begin_call();
  void send_request(const std::vector<AgentMessage>& messages);
  void answered(Result<claude::Answer> answer);
  void keep_answer(claude::Answer answer, std::uint32_t tries);
  void look_again(claude::Answer answer, std::uint32_t tries);
  void answer_kept(const Changed& changed);
  void call_failed(const Status& why, std::string_view error_type);
  void find_batch(std::string cursor);
  void check_batch();
  void adopt_batch();

  // run_driver_tools.cc
  void look_at_tools();
  void look_at_children(std::vector<Carrier> carriers);
  void say_result(const ToolExecution& ended);
  void judge_tools(const std::vector<Carrier>& carriers);

  const BasePtr base_;
  DriverHost& host_;
  const LeaseRef lease_;
  const NamespaceName ns_;
  store::AgentRunView view_;
  CallFacts facts_;
  std::string params_;
  std::shared_ptr<TokenSink> sink_;  // shared with the client while it streams
  std::optional<claude::CallId> call_;
  std::vector<OutputChunk> events_;  // to be told
  UniqueFunction<void(RunDriver&)> after_told_;
  int telling_ = 0;            // reports that are on their way
  bool hurried_ = false;       // one of them is the last
  bool first_tokens_ = false;  // of a call, which have not come
  bool at_once_ = false;       // what is told next is not held back
  bool looked_again_ = false;  // for what the answer calls
  std::uint32_t conflicts_ = 0;
  bool streaming_ = false;  // it takes up room
  bool preparing_ = true;
  bool touched_ = false;
  bool stopping_ = false;
  bool over_ = false;
};

}  // namespace muster::agents
