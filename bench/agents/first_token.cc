// agents.first_token: how long the first token of an answer is on its way through the server to somebody who reads the run's
// stream, beside a relay that hands the same bytes on. The token says when it was made; the API keeps it back for kDelayMs, so
// that the reader listens when it leaves.
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "bench/agents/measurements.h"
#include "bench/agents/stage.h"
#include "bench/agents/transfers.h"
#include "bench/resp/measurements.h"

namespace muster::bench::agents {
namespace {

constexpr std::size_t kAtOnce = 50;
constexpr int kDelayMs = 500;
constexpr double kSecondsMax = 30;
constexpr double kRatioMax = 3;

double now_us() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string script() {
  return fmt::format(R"({{"rules":[{{"text":"@{{{{now_us}}}}@","token_bytes":64,"delay_ms":{}}}]}})", kDelayMs);
}

// Milliseconds on the way, once the stamp has come.
class Stamp {
 public:
  bool heard(std::string_view bytes) {
    text_ += bytes;
    const std::size_t at = text_.find('@');
    const std::size_t end = at == std::string::npos ? at : text_.find('@', at + 1);
    if (end == std::string::npos) return true;
    ms_ = (now_us() - std::strtod(text_.c_str() + at + 1, nullptr)) / 1e3 - kDelayMs;
    return false;
  }
  std::optional<double> ms() const { return ms_; }

 private:
  std::string text_;
  std::optional<double> ms_;
};

void read_all(const std::vector<std::pair<std::string, std::string>>& requests, std::vector<double>& times) {
  Transfers transfers(requests.size());
  std::vector<Stamp> stamps(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    transfers.start({requests[i].first, requests[i].second,
                     [&stamp = stamps[i]](std::string_view bytes) { return stamp.heard(bytes); }, [](bool) {}});
  transfers.run(kSecondsMax);
  for (const Stamp& stamp : stamps)
    if (stamp.ms()) times.push_back(*stamp.ms());
}

std::vector<Row> first_token(const Settings& settings) {
  resp::raise_file_limit();
  Stage stage(settings, "agents.first_token", script());
  Row row{"agents.first_token", 0, 0.0, Goal::at_most, kRatioMax, "ms p99", {}};
  const auto relay = resp::start_program({"/proc/self/exe", "agents-relay", std::to_string(stage.api_port())}, "http");
  std::vector<double> ours;
  std::vector<double> bare;
  const std::string body = R"({"model":"bench","max_tokens":64,"stream":true,"messages":[{"role":"user","content":"run"}]})";
  const int rounds = settings.rounds() * 4;
  for (int round = 0; round < rounds && stage.trouble().empty(); ++round) {
    std::vector<std::pair<std::string, std::string>> streams;
    for (const std::string& id : stage.start_runs(kAtOnce))
      streams.emplace_back(fmt::format("http://127.0.0.1:{}/api/v1/agent-runs/{}/stream", stage.ours().port(), id), "");
    read_all(streams, ours);
    read_all(std::vector<std::pair<std::string, std::string>>(
                 kAtOnce, {fmt::format("http://127.0.0.1:{}/v1/messages", relay->port()), body}),
             bare);
  }
  const auto all = static_cast<std::size_t>(rounds) * kAtOnce;
  if (ours.size() != all || bare.size() != all) {
    row.measured = false;
    row.note = fmt::format("{} and {} of {} first tokens came; {}", ours.size(), bare.size(), all, stage.trouble());
    return {row};
  }
  row.ours = percentile(ours, 0.99);
  row.peer = percentile(bare, 0.99);
  row.note = fmt::format(
      "{} streams at a time, from the API to the reader of the run's stream, against a relay of bytes; p50 {:.2f} and {:.2f}",
      kAtOnce, median(ours), median(bare));
  return {row};
}

}  // namespace

std::vector<Measurement> first_token_measurements() { return {{{"agents.first_token"}, first_token}}; }

}  // namespace muster::bench::agents
