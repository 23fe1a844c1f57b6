// The configuration of one server: file, then environment, then flags, each value with the place it came from.
//
// serve, dev, doctor, config and SIGHUP call load_config(). It reports every problem it finds, not only the first, and
// promises that a Config without problems can be turned into options of the store, the engine and the fronts.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/context.h"
#include "server/settings.h"

namespace muster::server {

inline constexpr std::size_t kNodeNameBytesMax = 128;
inline constexpr std::size_t kNodeAddressBytesMax = 256;
inline constexpr std::size_t kSchemaNameBytesMax = 48;  // its channels are longer by a word, and PostgreSQL cuts at 63

// Something wrong, and where: "muster.toml:3:8", "environment MUSTER_LOG_LEVEL", "flag --http".
struct Problem {
  std::string where;
  std::string message;
  bool usage = false;  // a flag is wrong: the exit code is 2 rather than 1
  std::string text() const { return where.empty() ? message : where + ": " + message; }
};

struct ConfigEntry {
  const Setting* setting = nullptr;
  SettingValue value;
  std::string source;  // "default", or as in Problem::where
};

// A bearer token or a certificate of [auth.tokens], or a worker's key of [workers].
struct Credential {
  std::string name;
  command::Role role = command::Role::read_only;
  std::string secret{};
  std::string sha256{};                                    // of the secret, instead of it
  std::string certificate{};                               // SHA-256 of a client's certificate, instead of a secret
  std::string file{};                                      // that the secret was read from; empty: the configuration's
  std::string worker{};                                    // the only worker it may act as; empty: any
  std::optional<std::vector<NamespaceName>> namespaces{};  // those it may use; empty: all
  std::string source;
};

// A setting of [load] that is another one in a namespace: [load.namespaces].
struct NamespaceEntry {
  std::string ns;
  ConfigEntry entry;
};

class Config {
 public:
  std::vector<ConfigEntry> entries;  // every setting, in the order of the table
  std::vector<NamespaceEntry> namespace_entries;
  std::vector<Credential> credentials;
  std::string file;  // empty: none was given

  // REQUIRES: the setting exists and has that type.
  const std::string& text(std::string_view section, std::string_view key) const;
  std::int64_t number(std::string_view section, std::string_view key) const;
  // What holds in that namespace.
  std::int64_t number_in(std::string_view ns, std::string_view section, std::string_view key) const;
  bool flag(std::string_view section, std::string_view key) const;
  std::vector<std::string> list(std::string_view section, std::string_view key) const;
  const ConfigEntry& entry(std::string_view section, std::string_view key) const;

  std::string data_dir() const { return text("server", "data_dir"); }
  bool on_postgres() const;           // else on SQLite
  std::string database_path() const;  // the PATH of sqlite:PATH. REQUIRES: !on_postgres()
  std::string backup_dir() const;     // where backups are written
  std::string history_path() const { return data_dir() + "/history"; }
  std::string session_key_path() const { return data_dir() + "/session.key"; }
  std::optional<HostPort> listen_on(std::string_view key) const;  // of [listen], one address; empty: off
  std::optional<HostPort> http() const { return listen_on("http"); }
  std::vector<ListenAddress> resp() const;  // empty: off
  std::optional<HostPort> grpc() const { return listen_on("grpc"); }
  std::optional<HostPort> everything() const { return listen_on("all"); }  // --listen
  bool serves_http() const { return http() || everything(); }
  bool serves_grpc() const { return grpc() || everything(); }
  bool is_exposed() const;  // other machines reach HTTP or gRPC
};

struct LoadRequest {
  std::string file;  // empty: none
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> flags;  // "listen.http" → "127.0.0.1:0"
};

struct LoadedConfig {
  Config config;
  std::vector<Problem> problems;
};

LoadedConfig load_config(const LoadRequest& request);

// The variables of this process that load_config() looks at.
std::map<std::string, std::string> process_environment();

bool is_loopback(std::string_view host);
bool is_postgres_url(std::string_view text);  // postgres://… or postgresql://…

}  // namespace muster::server
