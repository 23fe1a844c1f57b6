#include "engine/worker_mail.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/json_reader.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

Status validate_mail(const Mail& mail) {
  if (Status status = validate_name("worker", mail.worker.text()); !status.ok()) return status;
  if (!mail.type.starts_with(kExtensionPrefix) || mail.type.size() == kExtensionPrefix.size() ||
      !validate_name("type", mail.type).ok())
    return Status::invalid_argument(
        fmt::format("type '{}' is no extension's; '{}' and a name of at most {} bytes in all are accepted",
                    mail.type.substr(0, limits::kNameBytesMax), kExtensionPrefix, limits::kNameBytesMax));
  if (mail.payload.size() > kMailBytesMax)
    return Status::invalid_argument(
        fmt::format("the payload has {} bytes; at most {} are accepted", mail.payload.size(), kMailBytesMax));
  if (!json::parse_object(mail.payload)) return Status::invalid_argument("the payload is no JSON object; one is accepted");
  return {};
}

// Workers of AstraFlow's first protocol have no frames but its own.
Status judge_receiver(const Worker& worker) {
  const std::string& id = worker.spec.id.text();
  if (worker.spec.dialect != Dialect::ws)
    return Status::conflict(
        fmt::format("worker '{}' speaks {}, which has no extension frames", id, to_string(worker.spec.dialect)));
  const auto metadata = json::parse_object(worker.spec.metadata);
  const std::string* protocol = metadata ? json::text(*metadata, "protocol") : nullptr;
  if (protocol != nullptr && *protocol == "v1")
    return Status::conflict(fmt::format("worker '{}' speaks protocol 1, which has no extension frames", id));
  if (worker.state == WorkerState::offline) return Status::unavailable(fmt::format("worker '{}' is offline", id));
  return {};
}

}  // namespace

std::string mail_key(const WorkerId& worker) { return "worker-mail:" + worker.text(); }

std::string mail_text(const Mail& mail) { return mail.type + "\n" + mail.payload; }

std::optional<Mail> read_mail(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  Mail mail;
  mail.type = std::string(text.substr(0, end));
  mail.payload = std::string(text.substr(end + 1));
  return mail;
}

void WorkerMail::send(Mail mail, Reply<MailSent> reply) {
  if (mail.payload.empty()) mail.payload = "{}";
  if (Status status = validate_mail(mail); !status.ok()) return reply(status);
  const NamespaceName ns = mail.ns;
  const WorkerId worker = mail.worker;
  store_.get_workers(ns, {worker},
                     [this, mail = std::move(mail), reply = std::move(reply)](Result<store::Each<Worker>> rows) mutable {
                       if (!rows.ok()) return reply(rows.status());
                       if (!rows->front().ok()) return reply(rows->front().status());
                       if (Status status = judge_receiver(*rows->front()); !status.ok()) return reply(status);
                       keep(std::move(mail), std::move(reply));
                     });
}

void WorkerMail::keep(Mail mail, Reply<MailSent> reply) {
  store::KeyBatch look;
  look.ns = mail.ns;
  look.space = store::KeySpace::internal;
  look.commands = {store::key::ListLength{mail_key(mail.worker)}};
  store_.keyspace(std::move(look), [this, mail = std::move(mail),
                                    reply = std::move(reply)](Result<std::vector<store::KeyAnswer>> length) mutable {
    if (!length.ok()) return reply(length.status());
    // Senders that come together may pass the bound by as many as they are.
    if (length->front().number >= static_cast<std::int64_t>(kMailWaitingMax))
      return reply(Status::exhausted(
          fmt::format("worker '{}' has {} frames to collect, the most there may be", mail.worker.text(), kMailWaitingMax)));
    store::KeyBatch push;
    push.ns = mail.ns;
    push.space = store::KeySpace::internal;
    const std::string key = mail_key(mail.worker);
    push.commands = {store::key::Push{.key = key, .end = store::ListEnd::left, .values = {mail_text(mail)}},
                     store::key::Expire{.key = key, .at = Instant(kMailKeptDefault), .relative = true}};
    store_.keyspace(std::move(push), [this, mail = std::move(mail),
                                      reply = std::move(reply)](Result<std::vector<store::KeyAnswer>> pushed) mutable {
      if (!pushed.ok()) return reply(pushed.status());
      MailSent sent{
          .ns = mail.ns, .worker = mail.worker, .type = mail.type, .waiting = static_cast<std::uint64_t>(pushed->front().number)};
      ExtensionTold told{.ns = mail.ns,
                         .worker = mail.worker,
                         .way = ExtensionTold::Way::to_worker,
                         .type = mail.type,
                         .payload = {},
                         .payload_bytes = mail.payload.size(),
                         .at = clock_.now()};
      told.payload = std::make_shared<const std::string>(std::move(mail.payload));
      events_.publish(std::move(told));
      reply(std::move(sent));
    });
  });
}

}  // namespace muster::engine
