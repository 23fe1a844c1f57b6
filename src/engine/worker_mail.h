// Frames that somebody sends to a worker through us: kept for it, durable and in order, until the session that it has collects
// them. Used by worker.send and by the front that holds the worker's connection.
//
// On a cluster the worker may be connected to another node than the one that was asked. The node that has it learns of mail by
// the event of the sending, which is its own node's, or by looking; looking is always right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/reply.h"
#include "engine/events.h"
#include "store/store.h"

namespace muster::engine {

inline constexpr std::size_t kMailBytesMax = 256 * 1024;      // of one payload
inline constexpr std::size_t kMailWaitingMax = 1'000;         // frames that one worker has not collected
inline constexpr Duration kMailKeptDefault{60 * 60 * 1'000};  // then a worker that does not come back gets them no more

// Types of frames that are not ours begin like this.
inline constexpr std::string_view kExtensionPrefix = "ext.vendor.";

struct Mail {
  NamespaceName ns{kDefaultNamespace};
  WorkerId worker;
  std::string type;
  std::string payload;  // JSON object; empty: {}
};

struct MailSent {
  NamespaceName ns;
  WorkerId worker;
  std::string type;
  std::uint64_t waiting = 0;  // frames it has to collect, this one among them
};

class WorkerMail {
 public:
  WorkerMail(store::Store& store, const Clock& clock, Events& events) : store_(store), clock_(clock), events_(events) {}

  // invalid_argument: another type, or a payload out of bounds. not_found: no such worker. unavailable: it is offline. conflict:
  // its protocol has no such frames. exhausted: kMailWaitingMax wait already.
  void send(Mail mail, Reply<MailSent> reply);

 private:
  void keep(Mail mail, Reply<MailSent> reply);

  store::Store& store_;
  const Clock& clock_;
  Events& events_;
};

// Where a worker's mail is, in store::KeySpace::internal: a list, the oldest at the right.
std::string mail_key(const WorkerId& worker);
// An element of that list, both ways. read_mail: nothing when it is none.
std::string mail_text(const Mail& mail);
std::optional<Mail> read_mail(std::string_view text);

}  // namespace muster::engine
