#include "server/server.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "pages/pages.h"
#include "server/agents_wiring.h"
#include "server/cluster_view.h"
#include "server/told_settings.h"
#include "server/version.h"
#include "server/wiring.h"

namespace muster::server {
namespace {

constexpr Duration kTickSilenceMax{10'000};
constexpr Duration kNoteEvery{100};
static_assert(kNoteEvery * 3 <= kListeningGapMax);

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const Config& config, const Clock& clock, std::shared_ptr<claude::Api> model) {
  if (Status status = prepare_data_dir(config); !status.ok()) return status;
  std::unique_ptr<Server> server(new Server(clock));
  server->tls_ = !config.text("tls", "cert").empty();
  server->metrics_.gauge("muster_build_info", "Always 1; the label is the version.", {{"version", std::string(kVersion)}}).set(1);
  server->metrics_.gauge("muster_start_time_seconds", "When the server started, in seconds since 1970.")
      .set(static_cast<double>(to_ms(clock.now())) / 1'000.0);
  if (Status status = server->open_store(config); !status.ok()) return status;
  auto key = session_key(config);
  if (!key.ok()) return key.status();
  server->key_ = std::move(key).value();
  server->metered_ = std::make_unique<store::MeteredStore>(*server->store_, server->metrics_, clock);
  server->engine_ = std::make_unique<engine::Engine>(*server->metered_, clock, server->metrics_, engine_options(config));
  server->history_file_ = std::make_unique<HistoryFile>(config.history_path(), server->engine_->history(), clock);
  server->history_file_->load();
  if (config.flag("agents", "enabled")) server->agent_service_ = std::make_shared<agents::Service>();
  server->inspector_ =
      std::make_shared<Inspector>(config, clock,
                                  InspectorOptions{.store_health = [server = server.get()] { return server->store_->health(); },
                                                   .alive = [server = server.get()] { return server->alive(); }});
  server->door_ = std::make_unique<command::Door>(*server->engine_, server->facts(config), server->metrics_);
  for (const char* wire : {"http", "resp", "grpc"}) server->door_->listeners().set(wire, "off");
  server->ticker_ = std::make_unique<Ticker>(*server->engine_, clock, server->metrics_);
  server->ticker_->start();
  if (Status status = server->start_agents(config, std::move(model)); !status.ok()) return status;
  server->loop_ = std::make_unique<net::IoLoop>(clock, &server->metrics_);
  server->loop_->start();
  if (server->sqlite_ != nullptr) server->sqlite_->set_helper(server->loop_->helper());
  server->brake_ = std::make_shared<auth::Brake>(brake_options(config));
  server->next_note_ = std::make_unique<net::Timer>(*server->loop_);
  server->loop_->post([server = server.get()] { server->note_listening(); });
  server->budget_ = std::make_shared<net::ByteBudget>(*server->loop_, budget_bounds(config));
  if (config.serves_grpc())
    if (Status status = server->start_grpc(config); !status.ok()) return status;
  if (config.serves_http())
    if (Status status = server->start_http(config); !status.ok()) return status;
  if (config.serves_http() && config.flag("ws", "enabled"))
    if (Status status = server->start_ws(config); !status.ok()) return status;
  if (!config.resp().empty())
    if (Status status = server->start_resp(config); !status.ok()) return status;
  server->join_fronts();
  server->tell_settings();
  if (const auto everything = config.everything())
    if (Status status = server->http_->listen({.host = everything->host, .port = everything->port}); !status.ok()) return status;
  return server;
}

// The loop that reads the sockets: while it is stopped or blocked, nobody is heard.
void Server::note_listening() {
  listening_.note();
  next_note_->start(kNoteEvery, [this] { note_listening(); });
}

Server::~Server() {
  if (Status status = stop(Duration(0)); !status.ok())
    log::error("stop failed", {{"code", std::string(to_string(status.code()))}});
}

Status Server::open_store(const Config& config) {
  if (config.on_postgres()) {
    auto opened = store::postgres::PostgresStore::open(postgres_options(config), metrics_);
    if (!opened.ok()) return opened.status();
    postgres_ = opened->get();
    store_ = std::move(opened).value();
    return {};
  }
  store::sqlite::Options options = sqlite_options(config);
  options.listening = &listening_;
  auto opened = store::sqlite::SqliteStore::open(std::move(options), clock_, metrics_);
  if (!opened.ok()) return opened.status();
  sqlite_ = opened->get();
  store_ = std::move(opened).value();
  return {};
}

command::ServerFacts Server::facts(const Config& config) const {
  return {.version = std::string(kVersion),
          .started_at = clock_.now(),
          .node = node_name(config),
          .cluster = postgres_ == nullptr ? command::ClusterView() : cluster_view(*postgres_),
          .backup_folder = config.backup_dir(),
          .archives = std::make_shared<command::Archives>(archive_options(config)),
          .agents = agent_service_,
          .inspection = inspector_};
}

void Server::tell_settings() {
  metered_->tell_settings(told_settings(inspector_->running(), key_), [](Result<store::SettingsTold> told) {
    // A store that is away is told when it is back.
    if (!told.ok() && told.code() != Code::unavailable)
      log::warn("other nodes do not know this node's settings", {{"code", std::string(to_string(told.code()))}});
  });
}

Status Server::start_agents(const Config& config, std::shared_ptr<claude::Api> model) {
  if (!agent_service_) return {};
  auto api = model_api(config, clock_, metrics_);
  if (!api.ok()) return api.status();
  model_ = *api ? *std::move(api) : std::move(model);
  const auto ids = std::make_shared<UuidSource>(clock_, random_seed());  // shared by the copies of the function below
  const auto base = std::make_shared<agents::Base>(agents::Base{.door = *door_,
                                                                .agents = *metered_,
                                                                .runs = *metered_,
                                                                .api = model_,
                                                                .clock = clock_,
                                                                .settings = agent_settings(config),
                                                                .ids = [ids] { return ids->next(); },
                                                                .agenda = std::make_shared<agents::Agenda>(clock_, metrics_)});
  agents_ = std::make_unique<agents::Runtime>(base);
  agent_service_->open(base, [runtime = agents_.get()](const NamespaceName& ns) { runtime->notice(ns); });
  agents_->start();
  return {};
}

Status Server::start_http(const Config& config) {
  http::HttpOptions options = http_options(config, key_.text);
  options.brake = brake_;
  options.budget = budget_;
  options.documents = ws::schema_documents();
  options.pages = embedded::pages();
  options.pages_missing = embedded::pages_missing();
  auto front = http::HttpFront::start(*loop_, *door_, metrics_, std::move(options));
  if (!front.ok()) return front.status();
  http_ = std::move(front).value();
  return {};
}

Status Server::start_ws(const Config& config) {
  ws::WsOptions options = ws_options(config, key_.text);
  options.brake = brake_;
  auto front = ws::WsFront::start(*loop_, *door_, metrics_, std::move(options));
  if (!front.ok()) return front.status();
  ws_ = std::move(front).value();
  http_->set_upgrade([front = ws_.get()](const http::Request& request,
                                         net::Connection& connection) -> std::variant<http::UpgradeTaken, http::UpgradeRefusal> {
    auto judged = front->take({.method = http::to_string(request.method), .headers = request.metadata}, connection);
    if (auto* refused = std::get_if<ws::Refused>(&judged))
      return http::UpgradeRefusal{refused->status, std::move(refused->why), std::move(refused->headers)};
    auto& taken = std::get<ws::Taken>(judged);
    return http::UpgradeTaken{std::move(taken.response), std::move(taken.session)};
  });
  http_->set_run_events({.open =
                             [front = ws_.get()](http::RunEventsAsked asked, net::Connection& connection) {
                               return front->listen({.tenant = asked.ns.text(),
                                                     .client = std::move(asked.client),
                                                     .last_event_id = std::move(asked.last_event_id),
                                                     .credential = std::move(asked.credential)},
                                                    connection);
                             },
                         .revoke = [front = ws_.get()](const auto& still_valid) { front->revoke_listeners(still_valid); }});
  return {};
}

Status Server::start_resp(const Config& config) {
  resp::RespOptions options = resp_options(config, key_.text);
  options.brake = brake_;
  options.budget = budget_;
  auto front = resp::RespFront::start(*loop_, *door_, metrics_, std::move(options));
  if (!front.ok()) return front.status();
  resp_ = std::move(front).value();
  return {};
}

Status Server::start_grpc(const Config& config) {
  auto options = grpc_options(config, key_.text);
  options.brake = brake_;
  options.budget = budget_;
  auto front = rpc::GrpcFront::start(*loop_, *door_, metrics_, std::move(options));
  if (!front.ok()) return front.status();
  grpc_ = std::move(front).value();
  return {};
}

// Each listener serves what belongs to the other front too.
void Server::join_fronts() {
  if (!grpc_ || !http_) return;
  grpc_->set_http(http_->sessions(), http_->streams());
  http_->set_other_streams(grpc_->streams());
  http_->set_rpc(
      [front = grpc_.get()](http::RpcRequest request, UniqueFunction<void(http::RpcAnswer)> reply) {
        return front->call({.path = std::move(request.path),
                            .message = std::move(request.message),
                            .metadata = std::move(request.metadata),
                            .timeout = rpc::parse_timeout(request.timeout),
                            .caller = std::move(request.caller),
                            .refused = std::move(request.refused)},
                           [reply = std::move(reply)](rpc::WebAnswer answer) mutable {
                             reply({.code = static_cast<int>(answer.code),
                                    .message = std::move(answer.message),
                                    .details = std::move(answer.details),
                                    .response = std::move(answer.response),
                                    .metadata = std::move(answer.metadata)});
                           });
      },
      [front = grpc_.get()](std::string_view path) { return front->answers_much(path); });
}

std::string Server::addresses() const {
  const auto shown = [](std::string address) { return address.empty() ? std::string("off") : address; };
  const std::string everything = http_ ? http_->second_address() : std::string();
  return fmt::format("resp={} grpc={} http={} store={}{}", shown(resp_address()), shown(grpc_ ? grpc_->address() : std::string()),
                     shown(http_ ? http_->address() : std::string()), clustered() ? "postgres" : "sqlite",
                     everything.empty() ? "" : " listen=" + everything);
}

std::string Server::resp_address() const { return resp_ ? resp_->address() : std::string(); }

std::string Server::http_url() const {
  if (!http_) return {};
  const std::string own = http_->address();
  return fmt::format("{}://{}", tls_ ? "https" : "http", own.empty() ? http_->second_address() : own);
}

std::string Server::dashboard_url() {
  if (!http_) return {};
  const auto path = http_->sign_in_path(key_.text);
  return http_url() + (path.ok() ? *path : "/");
}

std::string Server::grpc_address() const {
  if (!grpc_) return {};
  const std::string own = grpc_->address();
  return own.empty() ? http_->second_address() : own;
}

bool Server::alive() const { return ticker_->alive(kTickSilenceMax); }

Status Server::reload(const Config& config) {
  auto key = session_key(config);
  if (!key.ok()) return key.status();
  // Certificates first: they are what can fail, and then tokens and keys stay as they were too.
  if (http_ && tls_)
    if (Status status = http_->reload_tls(); !status.ok()) return status.annotate("certificate");
  if (resp_ && tls_)
    if (Status status = resp_->reload_tls(); !status.ok()) return status.annotate("certificate");
  if (grpc_ && tls_)
    if (Status status = grpc_->reload_tls(); !status.ok()) return status.annotate("certificate");
  if (grpc_)
    if (Status status = grpc_->set_tokens(auth_options(config, key->text)); !status.ok()) return status.annotate("tokens");
  if (http_)
    if (Status status = http_->set_tokens(auth_options(config, key->text)); !status.ok()) return status.annotate("tokens");
  if (ws_)
    if (Status status = ws_->set_tokens(auth_options(config, key->text)); !status.ok()) return status.annotate("tokens");
  if (resp_)
    if (Status status = resp_->set_keys(all_tokens(config, key->text)); !status.ok()) return status.annotate("keys");
  key_ = std::move(key).value();
  inspector_->reloaded(config);
  tell_settings();
  return {};
}

Status Server::stop(Duration grace) {
  if (stopped_) return {};
  stopped_ = true;
  const Ticks begun = clock_.elapsed();
  // What one front took of the grace the next does not get again.
  const auto left = [&] { return std::max(grace - std::chrono::duration_cast<Duration>(clock_.elapsed() - begun), Duration(0)); };
  if (resp_) resp_->stop(left());
  if (grpc_) grpc_->stop(left());
  if (ws_) ws_->stop();
  if (http_) http_->stop(left());
  if (inspector_) inspector_->stop();
  if (agents_) agents_->stop(left());
  if (model_) model_->stop();
  if (engine_) engine_->stop();
  if (ticker_) ticker_->stop();
  if (loop_ && sqlite_ != nullptr) sqlite_->set_helper(nullptr);
  if (loop_) loop_->stop();
  if (history_file_) history_file_->keep();
  return store_ ? store_->close() : Status();
}

}  // namespace muster::server
