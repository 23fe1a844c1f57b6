// PING, ECHO, TIME.
#include <fmt/format.h>

#include "command/workers.h"
#include "fronts/resp/admission.h"
#include "fronts/resp/core.h"
#include "fronts/resp/link/link.h"
#include "fronts/resp/work/work.h"

namespace muster::resp::link {

void ping(const CallRef& call) {
  const Client& client = call->client();
  // Between messages a bare PONG would be taken for no message at all.
  if (client.subscriptions > 0 && client.protocol == Protocol::resp2) {
    std::string out;
    wire::array(out, 2);
    wire::bulk(out, "pong");
    wire::bulk(out, call->size() > 1 ? call->arg(1) : std::string());
    return call->answer(std::move(out));
  }
  if (call->size() == 1) return call->answer("+PONG\r\n");
  // A key that may only read is no worker's: its PING is answered and means nothing.
  if (!command::authorize(client.caller, command::kWorkerHeartbeat).ok()) return call->answer(wire::bulk_reply(call->arg(1)));
  work::ping_worker(call);
}

void echo(const CallRef& call) { call->answer(wire::bulk_reply(call->arg(1))); }

void time(const CallRef& call) {
  const std::int64_t now = to_ms(call->core().now());
  std::string out;
  wire::array(out, 2);
  wire::bulk(out, fmt::format("{}", now / 1'000));
  wire::bulk(out, fmt::format("{}", now % 1'000 * 1'000));
  call->answer(std::move(out));
}

}  // namespace muster::resp::link
