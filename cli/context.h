// What a command is given: the global flags, a client, and the two streams. One per process, made by run().
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/cli.h"
#include "cli/table.h"
#include "sdk/cpp/client.h"

namespace muster::cli {

// From what went wrong to what the shell sees.
Exit exit_for(const sdk::Error& error);
inline int to_int(Exit exit) { return static_cast<int>(exit); }
// What the person in front of it should do next, in one sentence; empty when the detail says it all.
std::string advice_for(const sdk::Error& error, const Globals& globals);
// An argument that makes no sense; it never left this machine.
sdk::Error refused(std::string detail);

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
  // The server's answer; what keeps the client from being opened is one too.
  template <class Ask>
  auto ask(const Ask& question) -> decltype(question(std::declval<sdk::Client&>())) {
    const sdk::Result<sdk::Client*> opened = client();
    if (!opened.ok()) return opened.error();
    return question(**opened);
  }

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
  // The same of things that brought their documents along.
  template <class Things>
  void listing(const char* key, const Things& things, std::string next = {}) const {
    Listing all{.key = key, .documents = {}, .next = std::move(next)};
    for (const auto& thing : things) all.documents.push_back(thing.document);
    listing(all);
  }
  // The end of a command that shows one thing: as people read it, or its document.
  template <class T, class ForPeople>
  int show(std::string_view doing, const sdk::Result<T>& answer, const ForPeople& for_people) const {
    if (!answer.ok()) return fail(doing, answer.error());
    if (wants_table())
      for_people(*answer);
    else
      document(answer->document);
    return to_int(Exit::ok);
  }
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
