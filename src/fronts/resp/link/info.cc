// INFO: the sections that operators and client libraries read.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <set>

#include "base/ascii.h"
#include "command/keys.h"
#include "command/server.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/core.h"
#include "fronts/resp/link/channels.h"
#include "fronts/resp/link/link.h"
#include "fronts/resp/meter.h"
#include "fronts/resp/work/work_state.h"

namespace muster::resp::link {
namespace {

// The level of commands and replies that client libraries may expect here.
// Streams came with 5.0: what looks for them here uses what it used before.
constexpr std::string_view kCompatibleWith = "4.0.14";
constexpr std::array<std::string_view, 6> kSections{"server", "clients", "memory", "stats", "keyspace", "muster"};

// Bytes of memory this process holds; 0: unknown.
std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  if (!(in >> total >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

struct Facts {
  command::ServerInfoReply server;
  std::int64_t keys = 0;
};

std::string server_section(Core& core, const Facts& facts) {
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(core.now() - core.door.facts().started_at).count();
  return fmt::format(
      "# Server\r\nredis_version:{}\r\nredis_mode:standalone\r\nmuster_version:{}\r\nnode:{}\r\nprocess_id:{}\r\n"
      "uptime_in_seconds:{}\r\nstore:{}\r\nlisteners:{}\r\n",
      kCompatibleWith, core.door.facts().version, core.door.facts().node, ::getpid(), up, facts.server.store.kind,
      core.door.listeners().all()["resp"]);
}

std::string clients_section(Core& core) {
  std::size_t subscribed = 0;
  std::size_t bound = 0;
  for (const auto& client : core.clients->all()) {
    if (client->subscriptions > 0) ++subscribed;
    if (client->bond != Bond::none) ++bound;
  }
  return fmt::format(
      "# Clients\r\nconnected_clients:{}\r\nmaxclients:{}\r\nblocked_clients:{}\r\npubsub_clients:{}\r\nworker_clients:{}\r\n",
      core.clients->size(), core.options.limits.connections_max, core.clients->waiting(), subscribed, bound);
}

std::string memory_section() {
  const std::uint64_t bytes = resident_bytes();
  return fmt::format("# Memory\r\nused_memory:{0}\r\nused_memory_rss:{0}\r\nmaxmemory:0\r\n", bytes);
}

std::string stats_section(Core& core) {
  return fmt::format(
      "# Stats\r\ntotal_connections_received:{}\r\ntotal_commands_processed:{}\r\nrefused_commands:{}\r\nfailed_auths:{}\r\n"
      "pubsub_channels:{}\r\npubsub_patterns:{}\r\n",
      core.clients->accepted(), core.meter->commands(), core.meter->refusals(), core.meter->auth_failures(),
      core.channels->channels({}).size(), core.channels->patterns());
}

std::string keyspace_section(const Facts& facts) {
  return facts.keys == 0 ? "# Keyspace\r\n" : fmt::format("# Keyspace\r\ndb0:keys={},expires=0,avg_ttl=0\r\n", facts.keys);
}

std::string muster_section(Core& core, const Facts& facts) {
  const work::WorkState::Facts work_state = core.work_state->facts();
  return fmt::format(
      "# Muster\r\nhealthy:{}\r\nworkers:{}\r\nparked_claims:{}\r\njobs_held:{}\r\njobs_of_closed_connections:{}\r\n"
      "verifications_waiting:{}\r\nworkers_flagged:{}\r\n",
      facts.server.health.writable ? 1 : 0, facts.server.workers, core.door.delivery().parked_claims(), work_state.held,
      work_state.left, work_state.verifications, work_state.flagged);
}

std::string text_of(Core& core, const Facts& facts, const std::set<std::string>& sections) {
  std::string out;
  const auto add = [&](const std::string& name, const std::string& text) {
    if (!sections.contains(name)) return;
    if (!out.empty()) out += "\r\n";
    out += text;
  };
  add("server", server_section(core, facts));
  add("clients", clients_section(core));
  add("memory", memory_section());
  add("stats", stats_section(core));
  add("keyspace", keyspace_section(facts));
  add("muster", muster_section(core, facts));
  return out;
}

std::set<std::string> wanted_sections(const Call& call) {
  std::set<std::string> out;
  for (std::size_t i = 1; i < call.size(); ++i) {
    const std::string name = lower(call.arg(i));
    if (name == "all" || name == "default" || name == "everything") return {kSections.begin(), kSections.end()};
    out.insert(name);
  }
  if (out.empty()) out.insert(kSections.begin(), kSections.end());
  return out;
}

void count_keys(const CallRef& call, UniqueFunction<void(std::int64_t)> then) {
  store::KeyBatch batch;
  batch.commands.emplace_back(store::key::Count{});
  ask(call, command::KeysReadRequest{std::move(batch)}, [then = std::move(then)](Result<command::KeysReply> answers) mutable {
    then(answers.ok() && !answers->empty() ? answers->front().number : 0);
  });
}

}  // namespace

void info(const CallRef& call) {
  ask(call, command::ServerInfoRequest{}, [call](Result<command::ServerInfoReply> server) {
    // A store that cannot be asked is a fact too: the rest is shown.
    Facts facts;
    if (server.ok()) facts.server = *std::move(server);
    count_keys(call, [call, facts = std::move(facts)](std::int64_t keys) mutable {
      facts.keys = keys;
      call->answer(wire::bulk_reply(text_of(call->core(), facts, wanted_sections(*call))));
    });
  });
}

}  // namespace muster::resp::link
