// GET /api/v1/agent-runs/{id}/stream: what a run of an agent says, as server-sent events.
//
// A run's words are the output of its job (job.output, channel llm), numbered and kept, so a reader that comes back with the last
// number it saw misses nothing and reads nothing twice, whichever node it comes to. One page is read at a time, and the next one
// when the connection has taken it: a slow reader holds one page. Ends with `run.finished`, which carries the run. On the loop's
// thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/status.h"
#include "command/agent_runs.h"
#include "command/feedback.h"
#include "fronts/http/auth.h"
#include "fronts/http/codec/agent_runs.h"
#include "fronts/http/core.h"
#include "net/connection.h"

namespace muster::http {

inline constexpr std::size_t kRunStreamsMax = 5'000;  // of one node; 429 beyond
inline constexpr Duration kRunEndWait{5'000};         // for the run itself, when its job has ended

// One event: `type` of the chunk's JSON object is its name. A chunk that is none is shown as job.output shows it, as `chunk`.
void append_run_chunk(std::string& out, const OutputChunk& chunk);

// Its connection owns it; replies that are on their way find it gone.
class RunStream final : public net::Session, public std::enable_shared_from_this<RunStream> {
 public:
  struct Options {
    std::shared_ptr<Core> core;
    Credential credential;
    RunStreamAsked asked;
  };
  // exhausted: too many are open. It begins when the head of the response has been taken.
  static Result<std::shared_ptr<net::Session>> open(Options options, net::Connection& connection);
  RunStream(Options options, net::Connection& connection);
  ~RunStream() override;

  void received(std::string_view) override {}
  void peer_finished() override { connection_.close_now(); }
  void read_expired() override {}
  void output_drained() override;
  void drain() override { connection_.close_when_sent(); }
  void closed() override { closed_ = true; }

 private:
  bool over() const { return closed_ || connection_.closing(); }
  template <class T, class Request>
  void ask(Request request, void (RunStream::*then)(Result<T>));
  void read_on();
  void read(Result<command::JobOutputReply> output);
  void finish();
  void finished(Result<command::AgentRunGetReply> run);
  void send(std::string bytes);

  const Options options_;
  net::Connection& connection_;
  std::uint64_t after_;
  bool begun_ = false;
  bool closed_ = false;
};

}  // namespace muster::http
