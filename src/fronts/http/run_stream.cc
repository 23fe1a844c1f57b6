#include "fronts/http/run_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "command/run_event_name.h"
#include "fronts/http/codec/feedback.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/json/writer.h"

namespace muster::http {
namespace {

constexpr std::string_view kStillHere = ": still here\n\n";

// White space between tokens is all that a line's end can be in JSON, so a reader that joins the lines has the same value.
void append_data(std::string& out, std::string_view json) {
  out.append("data: ");
  for (const char c : json) {
    if (c == '\n')
      out.append("\ndata: ");
    else if (c != '\r')
      out.push_back(c);
  }
  out.append("\n\n");
}

void append_gaps(std::string& out, const std::vector<engine::OutputGap>& gaps) {
  for (const engine::OutputGap& gap : gaps)
    fmt::format_to(std::back_inserter(out), "event: gap\ndata: {{\"chunks\":{},\"bytes\":{},\"until\":{}}}\n\n", gap.lost.chunks,
                   gap.lost.bytes, gap.lost.until);
}

}  // namespace

void append_run_chunk(std::string& out, const OutputChunk& chunk) {
  const std::string name = command::run_event_name(chunk);
  fmt::format_to(std::back_inserter(out), "id: {}\nevent: {}\n", chunk.number, name.empty() ? "chunk" : name);
  if (!name.empty()) return append_data(out, chunk.data);
  std::string shown;
  JsonWriter writer(shown);
  write(writer, chunk);
  append_data(out, shown);
}

Result<std::shared_ptr<net::Session>> RunStream::open(Options options, net::Connection& connection) {
  if (options.core->run_streams >= kRunStreamsMax)
    return Status::exhausted(
        fmt::format("{} streams of runs are open, which is the most there may be; close one", kRunStreamsMax));
  return std::shared_ptr<net::Session>(std::make_shared<RunStream>(std::move(options), connection));
}

RunStream::RunStream(Options options, net::Connection& connection)
    : options_(std::move(options)), connection_(connection), after_(options_.asked.after) {
  ++options_.core->run_streams;
}

RunStream::~RunStream() { --options_.core->run_streams; }

void RunStream::output_drained() {
  if (std::exchange(begun_, true)) return;
  read_on();
}

// The answer may come on any thread, and after the connection has ended.
template <class T, class Request>
void RunStream::ask(Request request, void (RunStream::*then)(Result<T>)) {
  options_.core->door.run(options_.credential.caller, std::move(request),
                          Reply<T>([core = options_.core, weak = weak_from_this(), then](Result<T> answer) {
                            net::IoLoop& loop = core->loop;
                            // Posted even on the loop's thread: pages that answer at once must not nest.
                            loop.post([core, weak, then, answer = std::move(answer)]() mutable {
                              const auto self = weak.lock();
                              if (!self || self->over()) return;
                              try {
                                ((*self).*then)(std::move(answer));
                              } catch (...) {
                                const Incident incident(core->incidents, "run stream");
                                self->connection_.close_now();
                              }
                            });
                          }));
}

void RunStream::read_on() {
  Core& core = *options_.core;
  if (over()) return;
  if (!core.still_valid(options_.credential)) return connection_.close_when_sent();
  ask<command::JobOutputReply>(
      command::JobOutputRequest{.job = options_.asked.run,
                                .channel = OutputChannel::llm,
                                .after = after_,
                                .wait = std::min(core.options.limits.event_silence, command::kOutputWaitMax)},
      &RunStream::read);
}

void RunStream::read(Result<command::JobOutputReply> output) {
  if (output.code() == Code::not_found) return finish();   // the run outlives its job's output
  if (!output.ok()) return connection_.close_when_sent();  // the reader comes back, and says where it was
  std::string bytes;
  append_gaps(bytes, output->gaps);
  for (const OutputChunk& chunk : output->chunks) append_run_chunk(bytes, chunk);
  after_ = std::max(after_, output->next);
  if (bytes.empty() && !output->more && is_finished(output->state)) return finish();
  send(bytes.empty() ? std::string(kStillHere) : std::move(bytes));
}

void RunStream::finish() {
  ask<command::AgentRunGetReply>(
      command::AgentRunGetRequest{.ns = options_.asked.ns, .run = options_.asked.run, .wait = kRunEndWait}, &RunStream::finished);
}

void RunStream::finished(Result<command::AgentRunGetReply> run) {
  if (!run.ok()) return connection_.close_when_sent();
  // Its job has ended without it, as when somebody cancels the job: its own end follows.
  if (!is_final(run->run.state)) return send(std::string(kStillHere));
  std::string object;
  JsonWriter writer(object);
  write(writer, run->run);
  std::string bytes = "event: run.finished\n";
  append_data(bytes, object);
  connection_.send(std::move(bytes));
  connection_.close_when_sent();
}

void RunStream::send(std::string bytes) {
  connection_.send(std::move(bytes), [weak = weak_from_this()](bool taken) {
    const auto self = weak.lock();
    if (self && taken) self->read_on();
  });
}

}  // namespace muster::http
