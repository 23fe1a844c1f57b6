// A stand-in for the model's API with a script, and a server of ours that runs agents on it; both processes of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/resp/servers.h"
#include "bench/row.h"

namespace muster::bench::agents {

class Stage {
 public:
  // `script`: see tests/claude/script.h.
  Stage(const Settings& settings, std::string_view name, const std::string& script);

  // Why nothing can be measured; empty: everything stands.
  const std::string& trouble() const { return trouble_; }
  const resp::Process& ours() const { return *ours_; }
  int api_port() const { return api_->port(); }
  std::string api_url() const;

  // Starts that many runs of `clerk`; their ids. `more`: further members of each request.
  std::vector<std::string> start_runs(std::size_t count, const std::string& more = {});
  // Waits for the end of all; how many completed.
  std::size_t completed(const std::vector<std::string>& runs);
  // Calls that the API has seen on this path.
  std::size_t calls(std::string_view path) const;

 private:
  std::string trouble_;
  resp::ProcessPtr api_;
  resp::ProcessPtr ours_;
};

// Runs the tools `look` and `note` of a server as its workers over HTTP, from its construction to its destruction.
class Toolbox {
 public:
  explicit Toolbox(int port);
  ~Toolbox();
  Toolbox(const Toolbox&) = delete;
  Toolbox& operator=(const Toolbox&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::bench::agents
