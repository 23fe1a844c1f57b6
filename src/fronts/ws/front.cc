#include "fronts/ws/front.h"

#include "fronts/ws/change_watch.h"
#include "fronts/ws/core.h"
#include "fronts/ws/package_watch.h"
#include "fronts/ws/sessions.h"
#include "fronts/ws/socket.h"
#include "fronts/ws/worker_session.h"
#include "session/codes.h"
#include "websocket/upgrade.h"

namespace muster::ws {
namespace {

constexpr int kRetryAfterSeconds = 5;

// Sessions and core keep each other until this goes, whether the loop still runs what is posted or drops it.
struct Ending {
  explicit Ending(std::shared_ptr<Core> ended) : core(std::move(ended)) {}
  ~Ending() {
    core->changes->stop();
    core->package_watch->stop();
    core->sessions->clear();
    core->feed.close_all();
  }
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  const std::shared_ptr<Core> core;
};

// A name that outlives the answer.
std::string_view lasting(std::string_view name) {
  for (const std::string_view known : {"Sec-WebSocket-Version", "Upgrade", "Connection", "Allow"})
    if (name == known) return known;
  return "X-Reason";
}

}  // namespace

Result<std::unique_ptr<WsFront>> WsFront::start(net::IoLoop& loop, command::Door& door, Metrics& metrics, WsOptions options) {
  if (Status valid = auth::Authenticator::validate(options.auth); !valid.ok()) return valid;
  if (options.session_secret.empty())
    return Status::invalid_argument("the WebSocket front needs a secret to sign its sessions with");
  auto schemas = Schemas::compile();
  if (!schemas.ok()) return schemas.status();
  auto core = std::make_shared<Core>(loop, door, metrics, std::move(options), *std::move(schemas));
  return std::unique_ptr<WsFront>(new WsFront(std::move(core)));
}

WsFront::~WsFront() {
  stop();
  // What lives on the loop's thread also ends there, or after it.
  net::IoLoop& loop = core_->loop;
  auto ending = std::make_unique<Ending>(std::move(core_));
  if (loop.running()) loop.post([ending = std::move(ending)] {});
}

std::variant<Taken, Refused> WsFront::take(const UpgradeAsked& asked, net::Connection& connection) {
  // A worker whose socket is closed comes back at once; one whose upgrade is refused waits longer each time.
  if (core_->stopping || core_->sockets >= core_->options.limits.sockets_max)
    return Refused{503,
                   Status::unavailable(core_->stopping ? "the server stops" : "too many workers are connected; try again"),
                   {{"Retry-After", std::to_string(kRetryAfterSeconds)}}};
  const auto values = [&asked](std::string_view name) {
    std::vector<std::string_view> out;
    for (const auto& [key, value] : asked.headers)
      if (key == name) out.push_back(value);
    return out;
  };
  auto judged = websocket::judge_upgrade({.method = asked.method, .headers = values}, {});
  if (auto* refusal = std::get_if<websocket::UpgradeRefusal>(&judged)) {
    Refused out{refusal->status, Status::invalid_argument(refusal->reason), {}};
    for (auto& [name, value] : refusal->headers) out.headers.emplace_back(lasting(name), std::move(value));
    return out;
  }
  auto& accepted = std::get<websocket::UpgradeAcceptance>(judged);
  auto socket = std::make_shared<Socket>(core_, connection, accepted.deflate);
  socket->begin();
  return Taken{std::move(accepted.response), std::move(socket)};
}

Result<std::shared_ptr<net::Session>> WsFront::listen(feed::Listener listener, net::Connection& connection) {
  if (core_->stopping) return Status::unavailable("the server stops");
  return core_->feed.open(std::move(listener), connection);
}

void WsFront::revoke_listeners(const std::function<bool(const auth::Credential&)>& still_valid) {
  core_->feed.revoke(still_valid);
}

void WsFront::look() { core_->deadlines.look(); }

Status WsFront::set_tokens(AuthOptions auth) {
  if (Status valid = auth::Authenticator::validate(auth); !valid.ok()) return valid;
  core_->post([core = core_, auth = std::move(auth)] {
    core->authenticator = auth::Authenticator(auth, core->brake);
    for (const auto& session : core->sessions->all())
      if (!core->authenticator.still_valid(session->identity().credential)) session->revoke();
  });
  return {};
}

void WsFront::stop() {
  if (!core_ || !core_->loop.running()) return;
  core_->post([core = core_] {
    core->stopping = true;
    for (const auto& session : core->sessions->all()) session->stop_work();
  });
}

}  // namespace muster::ws
