// A connection URL as people may see it.
#include <libpq-fe.h>

#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "store/postgres/store.h"

namespace muster::store::postgres {
namespace {

constexpr const char* kUnreadable = "postgres://(unreadable)";
constexpr const char* kRedacted = "(redacted)";

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::size_t from = 0;
  for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', from)) {
    out.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  out.push_back(text.substr(from));
  return out;
}

// host=a,b port=1,2 as a:1,b:2. One port stands for all hosts.
std::string hosts_with_ports(const std::string& hosts, const std::string& ports) {
  const std::vector<std::string> host = split(hosts);
  const std::vector<std::string> port = split(ports);
  std::string out;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const std::string& own = port.size() == 1 ? port.front() : i < port.size() ? port[i] : std::string();
    if (i > 0) out += ',';
    out += host[i].find(':') == std::string::npos ? host[i] : "[" + host[i] + "]";
    if (!own.empty()) out += ":" + own;
  }
  return out;
}

}  // namespace

// Read as libpq reads it, and put together anew from what is no secret: what cannot be read is not shown at all, since a password
// with a stray character in it is the usual reason.
std::string without_secrets(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(PQconninfoParse(url.c_str(), nullptr),
                                                                             PQconninfoFree);
  if (options == nullptr) return kUnreadable;
  std::map<std::string, std::string> plain;
  std::string rest;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string name = option->keyword;
    const bool secret = option->dispchar[0] == '*';
    if (name == "user" || name == "host" || name == "hostaddr" || name == "port" || name == "dbname") {
      plain[name] = option->val;
    } else if (name != "password") {
      rest += fmt::format("{}{}={}", rest.empty() ? "?" : "&", name, secret ? kRedacted : option->val);
    }
  }
  const std::string& host = plain["host"].empty() ? plain["hostaddr"] : plain["host"];
  const std::string user = plain["user"].empty() ? "" : plain["user"] + "@";
  const std::string database = plain["dbname"].empty() ? "" : "/" + plain["dbname"];
  return fmt::format("postgres://{}{}{}{}", user, hosts_with_ports(host, plain["port"]), database, rest);
}

}  // namespace muster::store::postgres
