// The client's side of the HTTP rows. Every connection stays with its server and with that server's worker.
#include "bench/http_load.h"

#include <unistd.h>

#include <string>

#include <fmt/format.h>

#include "bench/http_client.h"
#include "bench/rig.h"

namespace muster::bench {
namespace {

// One connection's place in the life of its current job.
enum class Step : std::uint8_t { submit, claim, complete };

void register_worker(int port, const std::string& name) {
  const int socket = connect_loopback(port);
  const std::string body = fmt::format(R"({{"id":"{}","slots":10000,"heartbeat_ms":600000,"dead_after_ms":1800000}})", name);
  const std::string answer = ask(socket, request_text("POST", "/api/v1/workers", body));
  ::close(socket);
  if (member(answer, "session").empty()) give_up("http", Status::internal("registration failed: " + answer));
}

class Lives {
 public:
  explicit Lives(const std::vector<int>& ports) : steps_(kHttpConnections), connections_(kHttpConnections) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const std::string worker = fmt::format("bench-{}", i);
      register_worker(ports[i], worker);
      claims_.push_back(
          request_text("POST", "/api/v1/jobs/claim", fmt::format(R"({{"worker":"{}","limit":1,"wait_ms":5000}})", worker)));
    }
    for (std::size_t i = 0; i < kHttpConnections; ++i) {
      connections_[i].index = i;
      connections_[i].socket = connect_loopback(ports[i % ports.size()]);
    }
  }
  ~Lives() {
    for (const Connection& connection : connections_) ::close(connection.socket);
  }
  Lives(const Lives&) = delete;
  Lives& operator=(const Lives&) = delete;

  double lives_per_second(double seconds) {
    done_ = 0;
    const double began = seconds_now();
    until_ = began + seconds;
    for (Step& step : steps_) step = Step::submit;
    drive(connections_, [this](Connection& connection, const Answer& answer) { return next(connection, answer); });
    return static_cast<double>(done_) / (seconds_now() - began);
  }
  std::size_t bad() const { return bad_; }

 private:
  std::string next(const Connection& connection, const Answer& answer) {
    Step& step = steps_[connection.index];
    const std::string& claim = claims_[connection.index % claims_.size()];
    if (answer.status >= 300) ++bad_;
    switch (step) {
      case Step::submit:
        if (answer.status != 0) ++done_;
        if (seconds_now() >= until_ || bad_ > 0) return {};
        step = Step::claim;
        return submit_;
      case Step::claim: step = Step::complete; return claim;
      case Step::complete: {
        const std::string id = member(answer.body, "id");
        if (id.empty()) return bad_ > 0 ? std::string() : claim;
        step = Step::submit;
        return request_text("POST", fmt::format("/api/v1/jobs/{}/complete", id),
                            fmt::format(R"({{"fence":{}}})", member(answer.body, "fence")));
      }
    }
    return {};
  }

  const std::string submit_ = request_text(
      "POST", "/api/v1/jobs", fmt::format(R"({{"type":"bench","payload":"{}"}})", std::string(kPayloadBytes - 2, 'p')));
  std::vector<std::string> claims_;  // by server
  std::vector<Step> steps_;
  std::vector<Connection> connections_;
  std::size_t done_ = 0;
  std::size_t bad_ = 0;
  double until_ = 0;
};

}  // namespace

HttpLoad run_http_round(const std::vector<int>& ports, double seconds) {
  Lives lives(ports);
  const double rate = lives.lives_per_second(seconds);
  return {rate, lives.bad()};
}

HttpLoad run_http_lives(const std::vector<int>& ports, const Settings& settings) {
  Lives lives(ports);
  std::vector<double> rates;
  for (int round = 0; round < settings.rounds() && lives.bad() == 0; ++round)
    rates.push_back(lives.lives_per_second(settings.seconds()));
  return {median(rates), lives.bad()};
}

}  // namespace muster::bench
