// The program: joins the command line (cli/), the server (src/server/), the worker (worker/) and the demo. Nothing else happens
// here.
#include <filesystem>
#include <system_error>

#include "cli/cli.h"
#include "main/demo.h"
#include "main/demo_agent.h"
#include "server/commands.h"
#include "worker/command.h"
#include "worker/confinement.h"

namespace {

// The grades of `doctor` as this machine sees them and as a client sees them are one list.
std::vector<muster::server::Finding> seen_by_client(const muster::cli::Globals& globals) {
  std::vector<muster::server::Finding> findings;
  for (const muster::cli::RemoteCheck& check : muster::cli::check_server(globals))
    findings.push_back({.name = "server: " + check.name,
                        // A server that is not running is no fault of the machine.
                        .grade = check.ok ? muster::server::Grade::ok : muster::server::Grade::warn,
                        .text = check.text,
                        .remedy = check.remedy});
  return findings;
}

// A worker on this machine runs tools; what the kernel holds them to is worth knowing before it does.
std::vector<muster::server::Finding> seen_by_worker() {
  std::error_code ignored;
  const auto found = muster::worker::probe_confinement(std::filesystem::temp_directory_path(ignored).string());
  const bool good = found.landlock > 0;
  return {{.name = "worker sandbox",
           .grade = good ? muster::server::Grade::ok : muster::server::Grade::warn,
           .text = muster::worker::describe(found),
           .remedy = good ? "" : "boot a kernel with Landlock (5.13 or newer, lsm=landlock) where `muster worker` runs tools"}};
}

}  // namespace

int main(int argc, char** argv) {
  muster::cli::Globals globals;
  std::vector<muster::cli::LocalCommand> local;
  for (muster::server::Command& command : muster::server::commands({
           .wants_json = [&globals] { return globals.output != muster::cli::Output::table; },
 .check_server = [&globals] { return seen_by_client(globals); },
 .check_worker = seen_by_worker,
 .start_demo = muster::start_demo,
 .demo_model = muster::demo_model,
       }))
    local.push_back({.name = std::move(command.name),
                     .summary = std::move(command.summary),
                     .describe = std::move(command.describe),
                     .run = std::move(command.run)});
  muster::worker::Command worker = muster::worker::worker_command({.ca_file = [&globals] { return globals.ca_file; }});
  local.push_back({.name = std::move(worker.name),
                   .summary = std::move(worker.summary),
                   .describe = std::move(worker.describe),
                   .run = std::move(worker.run)});
  return muster::cli::run(argc, argv, local, globals);
}
