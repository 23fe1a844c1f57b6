// Every row of every wire's table stands for a command. Whoever may not run the command is refused on each wire in its own words,
// is counted once, and stands in the audit log when the command is an intervention.
#include <arpa/inet.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <future>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/temp_folder_testing.h"
#include "command/catalogue.h"
#include "command/context.h"
#include "fronts/grpc/methods.h"
#include "fronts/http/routes.h"
#include "fronts/resp/commands.h"
#include "server/server.h"

namespace muster::server {
namespace {

using command::Role;

const std::map<Role, std::string> kTokens{{Role::read_only, "reader-reader-reader"},
                                          {Role::worker, "worker-worker-worker"},
                                          {Role::operator_role, "operator-operator-x"}};

Role least_role(const command::Spec& command) {
  for (const Role role : {Role::read_only, Role::worker})
    if (command::authorize({.role = role}, command).ok()) return role;
  return Role::operator_role;
}

// Sends everything, reads until the other side closes.
std::string talk(const std::string& address, const std::string& bytes) {
  const std::size_t colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  std::string out;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&
      ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size())) {
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) out.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(fd);
  return out;
}

class OneDoor : public testing::Test {
 protected:
  void SetUp() override {
    std::string file = "[auth.tokens]\n";
    for (const auto& [role, token] : kTokens)
      file += "t" + std::to_string(static_cast<int>(role)) + " = { role = \"" + std::string(to_string(role)) + "\", token = \"" +
              token + "\" }\n";
    folder.write("muster.toml", file);
    LoadedConfig loaded = load_config({.file = folder.path() + "/muster.toml",
                                       .environment = {},
                                       .flags = {{"server.data_dir", folder.path()},
                                                 {"listen.http", "127.0.0.1:0"},
                                                 {"listen.resp", "127.0.0.1:0"},
                                                 {"listen.grpc", "127.0.0.1:0"}}});
    ASSERT_TRUE(loaded.problems.empty()) << loaded.problems.front().text();
    auto started = Server::start(loaded.config, clock);
    ASSERT_TRUE(started.ok()) << started.status().text();
    server = *std::move(started);
    channel = grpc::CreateChannel(server->grpc_address(), grpc::InsecureChannelCredentials());
  }

  std::string by_http(Role role, const std::string& method, const std::string& path) {
    const std::string address = server->http_url().substr(std::string("http://").size());
    return talk(address, method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n" +
                             "Authorization: Bearer " + kTokens.at(role) + "\r\n\r\n");
  }
  std::string by_resp(Role role, std::string_view name, std::size_t words) {
    std::string bytes = "*2\r\n$4\r\nAUTH\r\n$" + std::to_string(kTokens.at(role).size()) + "\r\n" + kTokens.at(role) + "\r\n";
    bytes += "*" + std::to_string(words) + "\r\n$" + std::to_string(name.size()) + "\r\n" + std::string(name) + "\r\n";
    for (std::size_t i = 1; i < words; ++i) bytes += "$1\r\n1\r\n";
    const std::string answers = talk(server->resp_address(), bytes + "*1\r\n$4\r\nQUIT\r\n");
    return answers.substr(std::min(answers.size(), std::string("+OK\r\n").size()));
  }
  grpc::Status by_grpc(Role role, const std::string& path) {
    grpc::GenericStub stub(channel);
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + kTokens.at(role));
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    const grpc::ByteBuffer request(nullptr, 0);
    grpc::ByteBuffer response;
    std::promise<grpc::Status> done;
    stub.UnaryCall(&context, path, {}, &request, &response, [&](const grpc::Status& status) { done.set_value(status); });
    return done.get_future().get();
  }

  std::uint64_t refusals(const command::Spec& command) {
    const std::string text = by_http(Role::operator_role, "GET", "/metrics");
    const std::string row = "muster_commands_total{command=\"" + std::string(command.name) + "\",outcome=\"permission_denied\"} ";
    const std::size_t at = text.find(row);
    std::uint64_t count = 0;
    if (at != std::string::npos) std::from_chars(text.data() + at + row.size(), text.data() + text.size(), count);
    return count;
  }

  // `refuse` tries the command with a role that does not reach it, and says whether that was refused for its role.
  template <class Refuse>
  void expect_refusals(const command::Spec& command, const std::string& what, Refuse refuse) {
    for (const Role role : {Role::read_only, Role::worker}) {
      if (role >= least_role(command)) continue;
      const std::uint64_t before = refusals(command);
      testing::internal::CaptureStderr();
      EXPECT_TRUE(refuse(role)) << what << " as " << to_string(role);
      const std::string log = testing::internal::GetCapturedStderr();
      EXPECT_EQ(refusals(command), before + 1) << what;
      const std::string line = "\"type\":\"" + std::string(command.name) + "\",\"target\":\"\",\"outcome\":\"permission_denied\"";
      EXPECT_EQ(log.find(line) != std::string::npos, command.audited) << what << ": " << log;
    }
  }

  TempFolder folder;
  RealClock clock;
  std::unique_ptr<Server> server;
  std::shared_ptr<grpc::Channel> channel;
};

TEST_F(OneDoor, RefusesOverHttp) {
  for (const http::Route& route : http::routes()) {
    if (route.command == nullptr) continue;
    std::string path(route.pattern);
    for (std::size_t open = path.find('{'); open != std::string::npos; open = path.find('{'))
      path.replace(open, path.find('}') - open + 1, "x");
    const std::string method(to_string(route.method));
    expect_refusals(*route.command, method + " " + path,
                    [&](Role role) { return by_http(role, method, path).find(" 403 ") == 8; });
  }
}

TEST_F(OneDoor, RefusesOverResp) {
  for (const resp::Entry* entry : resp::all_commands()) {
    if (entry->command == nullptr) continue;
    expect_refusals(*entry->command, std::string(entry->name),
                    [&](Role role) { return by_resp(role, entry->name, entry->least).starts_with("-ERR NOPERM"); });
  }
}

TEST_F(OneDoor, RefusesOverGrpc) {
  for (const std::span<const rpc::Method> part : {rpc::k0_methods(), rpc::v1_methods(), rpc::native_methods()})
    for (const rpc::Method& method : part) {
      if (method.command == nullptr) continue;
      const std::string path = "/" + std::string(method.service) + "/" + std::string(method.name);
      expect_refusals(*method.command, path,
                      [&](Role role) { return by_grpc(role, path).error_code() == grpc::StatusCode::PERMISSION_DENIED; });
    }
}

// A command that no wire has a word for would be one that nobody can run.
TEST_F(OneDoor, EveryCommandHasAWordOnSomeWire) {
  std::set<const command::Spec*> reached;
  for (const http::Route& route : http::routes()) reached.insert(route.command);
  for (const resp::Entry* entry : resp::all_commands()) reached.insert(entry->command);
  for (const std::span<const rpc::Method> part : {rpc::k0_methods(), rpc::v1_methods(), rpc::native_methods()})
    for (const rpc::Method& method : part) reached.insert(method.command);
  // Parts of what a word does: a claim's wait in a list, a child of a step, a job by its key, a worker that drains, and what is
  // to be done about the packages of a worker on a WebSocket.
  const std::set<std::string_view> parts{"job.find",     "keys.await",        "run.start_child", "worker.retire",
                                         "package.note", "package.reconcile", "package.watch"};
  for (const command::Spec* spec : command::catalogue())
    EXPECT_NE(reached.contains(spec), parts.contains(spec->name)) << spec->name;
}

}  // namespace
}  // namespace muster::server
