#include "cli/context.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/format.h"
#include "sdk/cpp/url.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

void write(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fputc('\n', stream);
}

}  // namespace

Exit exit_for(const sdk::Error& error) {
  using sdk::Code;
  switch (error.code) {
    case Code::unreachable: return Exit::unreachable;
    case Code::not_found: return Exit::not_found;
    case Code::unauthenticated:
    case Code::permission_denied:
    case Code::already_exists:
    case Code::conflict:
    case Code::lease_lost:
    case Code::exhausted: return Exit::refused;
    // Without a status it never left this machine: the command line is what is wrong.
    case Code::invalid_argument: return error.status == 0 ? Exit::usage : Exit::refused;
    case Code::unavailable:
    case Code::outcome_unknown:
    case Code::corrupt:
    case Code::internal:
    case Code::interrupted:
    case Code::bad_reply: return Exit::failure;
  }
  return Exit::failure;
}

std::string advice_for(const sdk::Error& error, const Globals& globals) {
  using sdk::Code;
  switch (error.code) {
    case Code::unreachable:
      if (error.detail.find("certificate") != std::string::npos)
        return "give the certificate of the authority that signed the server's with --ca FILE";
      return fmt::format("start a server with `muster serve`, or name another one with --server (now {})", globals.server);
    case Code::unauthenticated:
      if (!globals.token.empty()) return "the token given is not one of the server's: check --token-file or MUSTER_TOKEN";
      return "give a token: --token-file FILE or MUSTER_TOKEN; the operator's key is the server's auth.session_key, or stands in "
             "session.key of its data folder";
    case Code::permission_denied: return "use a token with another role";
    case Code::exhausted:
      if (error.retry_after) return fmt::format("try again in {} s", error.retry_after->count());
      return "try again in a moment";
    case Code::unavailable:
      if (error.status == 0) return "try again; if the server speaks TLS, its address begins with https://";
      return "nothing was written: try again; `muster doctor` looks for the cause";
    case Code::outcome_unknown: return "it may have been written: look before you repeat it";
    case Code::bad_reply: return fmt::format("is {} a muster server of this version?", globals.server);
    case Code::corrupt:
    case Code::internal: return "see the server's log";
    case Code::conflict: return "read its state again, then decide";
    case Code::lease_lost: return "somebody else owns the job now";
    case Code::invalid_argument:
    case Code::not_found:
    case Code::already_exists:
    case Code::interrupted: return "";
  }
  return "";
}

sdk::Error refused(std::string detail) {
  return {.code = sdk::Code::invalid_argument, .status = 0, .detail = std::move(detail), .retry_after = {}};
}

std::string session_key_path() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0')
    return std::string(data) + "/muster/session.key";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.local/share/muster/session.key";
  return "";
}

std::string read_secret(const std::string& path) {
  std::ifstream file(path);
  std::string first;
  std::getline(file, first);
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!first.empty() && blank(first.back())) first.pop_back();
  while (!first.empty() && blank(first.front())) first.erase(first.begin());
  return first;
}

bool is_loopback(std::string_view server) {
  if (const auto scheme = server.find("://"); scheme != std::string_view::npos) server.remove_prefix(scheme + 3);
  server = server.substr(0, server.find('/'));
  for (const std::string_view host : {"127.0.0.1", "localhost", "[::1]"})
    if (server == host || (server.starts_with(host) && server[host.size()] == ':')) return true;
  return false;
}

sdk::Result<sdk::ClientOptions> Context::client_options() {
  const sdk::Result<sdk::Client*> opened = client();  // settles the token
  if (!opened.ok()) return opened.error();
  return sdk::ClientOptions{
      .server = globals_.server, .token = globals_.token, .ca_file = globals_.ca_file, .user_agent = "muster-cli"};
}

sdk::Result<sdk::Client*> Context::client() {
  if (client_) return client_.get();
  sdk::ClientOptions options{
      .server = globals_.server, .token = globals_.token, .ca_file = globals_.ca_file, .user_agent = "muster-cli"};
  sdk::Result<std::unique_ptr<sdk::Client>> opened = sdk::Client::open(options);
  if (!opened.ok()) return opened.error();
  client_ = std::move(*opened);
  if (!globals_.token.empty() || key_tried_ || !is_loopback(globals_.server)) return client_.get();
  key_tried_ = true;
  const std::string key = read_secret(session_key_path());
  if (key.empty()) return client_.get();
  const sdk::Result<sdk::ServerInfo> probe = client_->server();
  if (probe.ok() || probe.error().code != sdk::Code::unauthenticated) return client_.get();
  options.token = key;
  sdk::Result<std::unique_ptr<sdk::Client>> with_key = sdk::Client::open(options);
  if (!with_key.ok()) return client_.get();
  globals_.token = key;
  client_ = std::move(*with_key);
  return client_.get();
}

void Context::line(std::string_view text) const { write(stdout, text); }

void Context::table(const Table& table) const {
  for (const std::string& text : table.lines({.color = globals_.color, .width_max = 0})) write(stdout, text);
}

void Context::document(const std::string& document) const {
  const Json json = Json::parse(document, nullptr, false);
  const int indent = globals_.output == Output::jsonl ? -1 : 2;
  write(stdout, json.is_discarded() ? document : json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

void Context::listing(const Listing& listing) const {
  if (globals_.output == Output::jsonl) {
    for (const std::string& document : listing.documents) write(stdout, document);
    return;
  }
  Json all = Json::object();
  Json& items = all[listing.key] = Json::array();
  for (const std::string& document : listing.documents) items.push_back(Json::parse(document, nullptr, false));
  if (!listing.next.empty()) all["next"] = listing.next;
  write(stdout, all.dump(2, ' ', false, Json::error_handler_t::replace));
}

void Context::note(std::string_view text) const { write(stderr, text); }

int Context::fail(std::string_view doing, const sdk::Error& error) const {
  const std::string advice = advice_for(error, globals_);
  if (globals_.output != Output::table) {
    Json json{{"error",
               {{"doing", doing},
                {"server", globals_.server},
                {"code", sdk::to_string(error.code)},
                {"status", error.status},
                {"detail", error.detail}}}};
    if (!advice.empty()) json["error"]["advice"] = advice;
    write(stderr, json.dump(-1, ' ', false, Json::error_handler_t::replace));
    return to_int(exit_for(error));
  }
  const std::string status = error.status == 0 ? "" : fmt::format(", HTTP {}", error.status);
  write(stderr, fmt::format("muster: can't {}: {} ({}{}, server {})", doing, printable(error.detail), sdk::to_string(error.code),
                            status, globals_.server));
  if (!advice.empty()) write(stderr, "  " + advice);
  return to_int(exit_for(error));
}

int Context::usage(std::string_view text) const {
  write(stderr, fmt::format("muster: {}", text));
  return to_int(Exit::usage);
}

}  // namespace muster::cli
