// WatchRun: what a run of an agent says, event by event, as GET /api/v1/agent-runs/{id}/stream tells it over HTTP.
//
// A run's words are the output of its job, numbered and kept (job.output, channel llm). One page of it is read at a time, and the
// next one when the client has taken it: one that does not read holds one page, and HTTP/2 ends its stream after a while.
#include "fronts/grpc/native/agent_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/incident.h"
#include "command/feedback.h"
#include "command/run_event_name.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/native/agent_shapes.h"
#include "fronts/grpc/native/native.h"
#include "fronts/grpc/native/shapes.h"

namespace muster::rpc::native {
namespace {

// Nothing was said for so long: does the caller's token still count, and is the stream still there?
constexpr Duration kWatchLookEvery{15'000};
constexpr Duration kRunEndWait{5'000};  // for the run itself, when its job has ended

class AgentWatch final : public StreamMethod {
 public:
  explicit AgentWatch(StreamCall& call) : call_(call), incidents_(call.core.metrics, "wire") {}
  ~AgentWatch() override {
    if (counted_) --call_.core.run_watches;
  }

  void received(std::string message) override;
  void half_closed() override {
    if (!run_) refuse(Status::invalid_argument("a watch asks with a WatchAgentRunRequest"));
  }
  void drained() override {
    if (std::exchange(sending_, false)) read_on();
  }
  void stopping() override { refuse(Status::unavailable("the server is stopping")); }

 private:
  void refuse(const Status& status) { call_.refuse(wire_error(ErrorDialect::native, status)); }
  template <class T, class Request>
  void ask(Request request, void (AgentWatch::*then)(Result<T>));
  void found(Result<command::AgentRunGetReply> run);
  void read_on();
  void read(Result<command::JobOutputReply> output);
  void finish();
  void finished(Result<command::AgentRunGetReply> run);

  StreamCall& call_;
  const Incidents incidents_;
  NamespaceName ns_;
  std::optional<JobId> run_;  // set: it was asked for
  std::uint64_t after_ = 0;
  bool counted_ = false;
  bool sending_ = false;
};

// The answer may come on any thread, and after the stream has ended.
template <class T, class Request>
void AgentWatch::ask(Request request, void (AgentWatch::*then)(Result<T>)) {
  call_.core.door.run(call_.caller, std::move(request),
                      Reply<T>([this, &loop = call_.core.loop, handle = call_.handle(), then](Result<T> answer) {
                        // Posted even on the loop's thread: pages that answer at once must not nest.
                        loop.post([this, handle, then, answer = std::move(answer)]() mutable {
                          const auto alive = handle.lock();
                          if (!alive) return;
                          try {
                            (this->*then)(std::move(answer));
                          } catch (...) {
                            const Incident incident(incidents_, "watch of a run");
                            refuse(incident.status());
                          }
                        });
                      }));
}

void AgentWatch::received(std::string message) {
  pb::WatchAgentRunRequest request;
  if (run_ || !request.ParseFromString(message))
    return refuse(Status::invalid_argument("the message is not the one WatchAgentRunRequest of a watch"));
  const auto run = require_run("run_id", request.run_id());
  if (!run.ok()) return refuse(run.status());
  if (call_.core.run_watches >= kRunWatchesMax)
    return refuse(
        Status::exhausted(fmt::format("{} runs are watched, which is the most there may be; end one of them", kRunWatchesMax)));
  counted_ = true;
  ++call_.core.run_watches;
  run_ = *run;
  ns_ = namespace_of(request.namespace_());
  after_ = request.after_event_id();
  // Read first: a run that is unknown or another's is not to be waited for.
  ask(command::AgentRunGetRequest{.ns = ns_, .run = *run_, .wait = {}}, &AgentWatch::found);
}

void AgentWatch::found(Result<command::AgentRunGetReply> run) {
  if (!run.ok()) return refuse(run.status());
  read_on();
}

void AgentWatch::read_on() {
  if (!call_.may_go_on()) return refuse(Status::unauthenticated("the token of this watch is not accepted any more"));
  ask(command::JobOutputRequest{.job = *run_, .channel = OutputChannel::llm, .after = after_, .wait = kWatchLookEvery},
      &AgentWatch::read);
}

void AgentWatch::read(Result<command::JobOutputReply> output) {
  if (output.code() == Code::not_found) return finish();  // the run outlives its job's output
  if (!output.ok()) return refuse(output.status());
  after_ = std::max(after_, output->next);
  const bool said = !output->gaps.empty() || !output->chunks.empty();
  sending_ = said;  // before anything is sent: what is taken at once is heard of
  for (const engine::OutputGap& gap : output->gaps) {
    pb::AgentRunEvent event;
    event.set_type("gap");
    event.mutable_gap()->set_chunks(gap.lost.chunks);
    event.mutable_gap()->set_bytes(gap.lost.bytes);
    event.mutable_gap()->set_until(gap.lost.until);
    call_.send(event.SerializeAsString());
  }
  for (OutputChunk& chunk : output->chunks) {
    pb::AgentRunEvent event;
    event.set_event_id(chunk.number);
    const std::string name = command::run_event_name(chunk);
    event.set_type(name.empty() ? "chunk" : name);
    event.set_data(std::move(chunk.data));
    call_.send(event.SerializeAsString());
  }
  if (said) return;
  if (!output->more && is_finished(output->state)) return finish();
  read_on();
}

void AgentWatch::finish() {
  ask(command::AgentRunGetRequest{.ns = ns_, .run = *run_, .wait = kRunEndWait}, &AgentWatch::finished);
}

void AgentWatch::finished(Result<command::AgentRunGetReply> run) {
  if (!run.ok()) return refuse(run.status());
  if (!is_final(run->run.state)) return read_on();  // its job has ended without it: its own end follows
  pb::AgentRunEvent event;
  event.set_type("run.finished");
  put_agent_run(run->run, RunDetail::all, event.mutable_run());
  call_.send(event.SerializeAsString());
  call_.finish();
}

}  // namespace

std::unique_ptr<StreamMethod> watch_agent_run(StreamCall& call) { return std::make_unique<AgentWatch>(call); }

}  // namespace muster::rpc::native
