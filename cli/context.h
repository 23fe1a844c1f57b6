// What a command is given: the global flags, a client, and the two streams. One per process, made by run().
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "cli/table.h"
#include "sdk/cpp/client.h"

namespace muster::cli {

class Context {
 public:
  explicit Context(Globals& globals) : globals_(globals) {}

  const Globals& globals() const { return globals_; }
  // The namespace for filters: empty when all of them are wanted.
  std::string scope(bool all_namespaces) const { return all_namespaces ? std::string() : globals_.ns; }

  // Set while parsing by the command that was chosen; run() calls it once the whole line was understood.
  std::function<int()> chosen;

  // Opened at the first use. Without a token given, a loopback server that asks for one is offered the session key of this
  // machine's default data folder; a key is never offered to any other host.
  sdk::Result<sdk::Client*> client();
  sdk::Result<sdk::ClientOptions> client_options();

  // --- stdout: data ---
  void line(std::string_view text) const;
  void table(const Table& table) const;
  // One object: a table was shown already when the output is a table; otherwise pretty or on one line.
  void document(const std::string& document) const;
  // {"<key>":[…],"next":…} or one object a line.
  struct Listing {
    const char* key = "";
    std::vector<std::string> documents;
    std::string next;
  };
  void listing(const Listing& listing) const;
  bool wants_table() const { return globals_.output == Output::table; }

  // --- stderr: everything else ---
  void note(std::string_view text) const;
  // Says what could not be done, at which server, with which code, and what to do next.
  int fail(std::string_view doing, const sdk::Error& error) const;
  // The arguments were understood but make no sense together.
  int usage(std::string_view text) const;

 private:
  Globals& globals_;
  std::unique_ptr<sdk::Client> client_;
  bool key_tried_ = false;
};

// `$XDG_DATA_HOME/muster/session.key`, or under ~/.local/share; empty when neither variable is set.
std::string session_key_path();
// The first line of a file, without blanks around it; empty when it cannot be read.
std::string read_secret(const std::string& path);
bool is_loopback(std::string_view server);

}  // namespace muster::cli
