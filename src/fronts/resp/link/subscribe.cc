// SUBSCRIBE, UNSUBSCRIBE, PSUBSCRIBE, PUNSUBSCRIBE, PUBSUB.
#include <fmt/format.h>

#include "base/ascii.h"
#include "fronts/resp/admission.h"
#include "fronts/resp/core.h"
#include "fronts/resp/link/channels.h"
#include "fronts/resp/link/link.h"

namespace muster::resp::link {
namespace {

using Kind = Channels::Kind;

void confirm(std::string& out, const Client& client, std::string_view what, const std::string* name) {
  wire::push(out, 3, client.protocol);
  wire::bulk(out, what);
  if (name == nullptr)
    wire::null(out, client.protocol);
  else
    wire::bulk(out, *name);
  wire::integer(out, static_cast<std::int64_t>(client.subscriptions));
}

std::string objection(Call& call) {
  const Limits& limits = call.core().options.limits;
  if (call.client().subscriptions + call.size() - 1 > limits.channels_max)
    return fmt::format("too many subscriptions; at most {} of one connection", limits.channels_max);
  std::size_t bytes = 0;
  for (std::size_t i = 1; i < call.size(); ++i) bytes += Channels::bytes_of(call.arg(i));
  if (call.client().subscription_bytes + bytes > limits.channel_bytes_max)
    return fmt::format("too many subscriptions; at most {} bytes of one connection, {} and the name each",
                       limits.channel_bytes_max, Channels::kSubscriptionBytes);
  if (call.core().channels->bytes() + bytes > limits.channel_bytes_in_all_max)
    return fmt::format("too many subscriptions; at most {} bytes of all connections; try again later",
                       limits.channel_bytes_in_all_max);
  return {};
}

void enter(const CallRef& call, Kind kind, std::string_view what) {
  // All of them or none.
  if (std::string text = objection(*call); !text.empty()) return call->fail(text);
  std::string out;
  for (std::size_t i = 1; i < call->size(); ++i) {
    call->core().channels->add(call->client_ref(), kind, call->arg(i));
    confirm(out, call->client(), what, &call->arg(i));
  }
  call->answer(std::move(out));
}

void leave(const CallRef& call, Kind kind, std::string_view what) {
  Channels& channels = *call->core().channels;
  std::vector<std::string> names(call->args().begin() + 1, call->args().end());
  if (names.empty()) names = channels.names_of(call->client(), kind);
  std::string out;
  for (const std::string& name : names) {
    channels.remove(call->client(), kind, name);
    confirm(out, call->client(), what, &name);
  }
  if (names.empty()) confirm(out, call->client(), what, nullptr);
  call->answer(std::move(out));
}

}  // namespace

void subscribe(const CallRef& call) { enter(call, Kind::channel, "subscribe"); }
void unsubscribe(const CallRef& call) { leave(call, Kind::channel, "unsubscribe"); }
void psubscribe(const CallRef& call) { enter(call, Kind::pattern, "psubscribe"); }
void punsubscribe(const CallRef& call) { leave(call, Kind::pattern, "punsubscribe"); }

void publish(const CallRef& call) {
  if (Channels::is_told(call->arg(1)))
    return call->fail(
        fmt::format("'{}' is told by the server itself; publish on another channel", call->arg(1).substr(0, kShownNameBytesMax)));
  call->answer(wire::integer_reply(static_cast<std::int64_t>(call->core().channels->publish(call->arg(1), call->arg(2)))));
}

void pubsub(const CallRef& call) {
  const Channels& channels = *call->core().channels;
  const std::string what = upper(call->arg(1));
  std::string out;
  if (what == "CHANNELS" && call->size() <= 3) {
    const auto names = channels.channels(call->size() == 3 ? std::string_view(call->arg(2)) : std::string_view());
    wire::array(out, names.size());
    for (const std::string& name : names) wire::bulk(out, name);
  } else if (what == "NUMSUB") {
    wire::array(out, 2 * (call->size() - 2));
    for (std::size_t i = 2; i < call->size(); ++i) {
      wire::bulk(out, call->arg(i));
      wire::integer(out, static_cast<std::int64_t>(channels.readers_of(call->arg(i))));
    }
  } else if (what == "NUMPAT" && call->size() == 2) {
    wire::integer(out, static_cast<std::int64_t>(channels.patterns()));
  } else if (what == "HELP") {
    out = help_reply({"PUBSUB CHANNELS [<pattern>]", "PUBSUB NUMSUB [<channel> ...]", "PUBSUB NUMPAT"});
  } else {
    return call->fail(unknown_subcommand(*call));
  }
  call->answer(std::move(out));
}

}  // namespace muster::resp::link
