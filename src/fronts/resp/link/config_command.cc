// CONFIG GET: the few parameters that client libraries and benchmarks ask for. Settings are the server's file, not this wire's.
#include <fmt/format.h>

#include <map>

#include "base/ascii.h"
#include "base/glob.h"
#include "fronts/resp/core.h"
#include "fronts/resp/link/link.h"

namespace muster::resp::link {
namespace {

std::map<std::string, std::string> parameters(const RespOptions& options) {
  const auto seconds = [](Duration duration) { return fmt::format("{}", duration.count() / 1'000); };
  return {
      {"appendfsync", "always"},
      {"appendonly", "yes"},
      {"databases", "1"},
      {"maxclients", fmt::format("{}", options.limits.connections_max)},
      {"maxmemory", "0"},
      {"maxmemory-policy", "noeviction"},
      {"proto-max-bulk-len", fmt::format("{}", options.limits.value_bytes_max)},
      {"save", ""},
      {"timeout", seconds(options.limits.idle)},
  };
}

}  // namespace

void config(const CallRef& call) {
  const std::string what = upper(call->arg(1));
  if (what == "RESETSTAT") return call->fail("CONFIG RESETSTAT is not supported: counters belong to the metrics");
  if (what == "HELP") return call->answer(help_reply({"CONFIG GET <pattern> [<pattern> ...]"}));
  // Settings change in the server's file and environment: there is no CONFIG SET, as there is no other way around them.
  if (what != "GET") return call->fail(fmt::format("unknown command 'CONFIG {}'", what.substr(0, 64)));
  if (call->size() < 3) return call->fail("wrong number of arguments for 'config|get' command");
  std::map<std::string, std::string> found;
  for (const auto& [name, value] : parameters(call->core().options))
    for (std::size_t i = 2; i < call->size(); ++i)
      if (glob_matches(lower(call->arg(i)), name)) found.emplace(name, value);
  std::string out;
  wire::map(out, found.size(), call->protocol());
  for (const auto& [name, value] : found) {
    wire::bulk(out, name);
    wire::bulk(out, value);
  }
  call->answer(std::move(out));
}

}  // namespace muster::resp::link
