// The composition root: one running server, from its store to its listeners.
//
// serve and dev make one. Parts start in the order of the members below and stop in reverse; a part only refers to parts
// above it. Everything it says about failure is a Status with a text for the operator.
#pragma once

#include <memory>
#include <string>

#include "agents/claude/client.h"
#include "agents/runtime.h"
#include "agents/service.h"
#include "base/clock.h"
#include "base/listening.h"
#include "base/metrics.h"
#include "base/status.h"
#include "command/door.h"
#include "engine/engine.h"
#include "fronts/grpc/front.h"
#include "fronts/http/front.h"
#include "fronts/resp/front.h"
#include "fronts/ws/front.h"
#include "net/budget.h"
#include "net/io_loop.h"
#include "server/config.h"
#include "server/history_file.h"
#include "server/inspector.h"
#include "server/session_key.h"
#include "server/ticker.h"
#include "store/metered.h"
#include "store/postgres/store.h"
#include "store/sqlite/store.h"
#include "store/store.h"

namespace muster::server {

class Server {
 public:
  // Everything accepts when it returns. The clock outlives the server.
  // conflict: another process owns the database. corrupt: it is damaged. unavailable: a folder, a file or an address cannot
  // be used. invalid_argument: the database is newer than this program, or a certificate or key is wrong, or PostgreSQL
  // refuses for a reason that waiting does not mend. A PostgreSQL that cannot be reached is no failure: the server starts, is not
  // ready, says why, and connects by itself.
  // `model`: of agents, when the configuration names none; may be null.
  static Result<std::unique_ptr<Server>> start(const Config& config, const Clock& clock, std::shared_ptr<claude::Api> model = {});
  ~Server();  // stops without grace

  // "resp=127.0.0.1:6380 grpc=127.0.0.1:50051 http=127.0.0.1:8080 store=sqlite"; with --listen also "listen=…"
  std::string addresses() const;
  std::string resp_address() const;  // all of them, separated by commas; empty when RESP is off
  std::string http_url() const;      // empty when HTTP is off
  std::string grpc_address() const;  // empty when gRPC is off
  // Of the dashboard, for whoever started the server: signs a browser in as its operator, once and soon. Empty when HTTP is off.
  std::string dashboard_url();
  const SessionKey& key() const { return key_; }
  bool clustered() const { return postgres_ != nullptr; }  // other nodes may share the store
  engine::Engine& engine() { return *engine_; }
  // Is background work still being done? For the watchdog.
  bool alive() const;
  // Writes what outlives the process beside the store, when it is due. Whoever waits for the end of the server calls it every few
  // seconds.
  void keep_when_due() { history_file_->keep_when_due(); }

  // Applies what can change while running: tokens, keys, certificates. On failure the old ones stay.
  Status reload(const Config& config);

  // Drains: no new connections, parked claims get their empty answer, requests under way finish within `grace`, the store
  // closes after its last commit. Idempotent.
  Status stop(Duration grace);

 private:
  explicit Server(const Clock& clock) : clock_(clock), listening_(clock) {}
  void note_listening();
  Status open_store(const Config& config);
  Status start_http(const Config& config);
  Status start_ws(const Config& config);
  Status start_resp(const Config& config);
  Status start_grpc(const Config& config);
  Status start_agents(const Config& config, std::shared_ptr<claude::Api> model);
  void join_fronts();
  command::ServerFacts facts(const Config& config) const;
  void tell_settings();  // to the other nodes

  const Clock& clock_;
  ListeningClock listening_;
  bool tls_ = false;
  bool stopped_ = false;
  SessionKey key_;
  Metrics metrics_;
  std::unique_ptr<store::Store> store_;
  store::postgres::PostgresStore* postgres_ = nullptr;  // store_, when it is that one
  store::sqlite::SqliteStore* sqlite_ = nullptr;        // or that one
  std::unique_ptr<store::MeteredStore> metered_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<HistoryFile> history_file_;
  std::shared_ptr<Inspector> inspector_;            // shared with the door
  std::shared_ptr<agents::Service> agent_service_;  // shared with the door; null: agents are off
  std::unique_ptr<command::Door> door_;
  std::unique_ptr<Ticker> ticker_;
  std::shared_ptr<claude::Api> model_;  // shared with the runtime; null: there is no key
  std::unique_ptr<agents::Runtime> agents_;
  std::unique_ptr<net::IoLoop> loop_;
  std::shared_ptr<auth::Brake> brake_;       // shared by the fronts
  std::unique_ptr<net::Timer> next_note_;    // of listening_
  std::shared_ptr<net::ByteBudget> budget_;  // shared by the fronts on the loop and their connections
  std::unique_ptr<rpc::GrpcFront> grpc_;
  std::unique_ptr<ws::WsFront> ws_;
  std::unique_ptr<http::HttpFront> http_;  // brings calls of gRPC-Web to grpc_, and WebSockets to ws_
  std::unique_ptr<resp::RespFront> resp_;
};

}  // namespace muster::server
