// The composition root against the real parts, in this process: start, refusal, reload, stop.
#include "server/server.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"

namespace muster::server {
namespace {

class ServerTest : public testing::Test {
 protected:
  Config config(std::map<std::string, std::string> flags = {}, std::map<std::string, std::string> environment = {}) {
    flags.emplace("server.data_dir", folder.path());
    flags.emplace("listen.http", "127.0.0.1:0");
    flags.emplace("listen.resp", "127.0.0.1:0");
    flags.emplace("listen.grpc", "127.0.0.1:0");
    LoadedConfig loaded = load_config({.file = "", .environment = std::move(environment), .flags = std::move(flags)});
    EXPECT_TRUE(loaded.problems.empty());
    return loaded.config;
  }
  static std::size_t enqueue_one(Server& server) {
    std::vector<JobSpec> jobs(1);
    jobs[0].type = JobType("t");
    const auto made =
        ask<std::vector<store::Enqueued>>([&](auto reply) { server.engine().jobs().enqueue(jobs, std::move(reply)); });
    return made.ok() ? made->size() : 0;
  }
  TempFolder folder;
  RealClock clock;
};

TEST_F(ServerTest, StartsOnAFreePortAndStopsTwiceInOrder) {
  auto server = Server::start(config(), clock);
  ASSERT_TRUE(server.ok()) << server.status().text();
  EXPECT_TRUE((*server)->addresses().starts_with("resp=127.0.0.1:")) << (*server)->addresses();
  EXPECT_NE((*server)->addresses().find(" grpc=127.0.0.1:"), std::string::npos) << (*server)->addresses();
  EXPECT_EQ((*server)->addresses().find(":0 "), std::string::npos) << (*server)->addresses();
  EXPECT_FALSE((*server)->addresses().ends_with(":0 store=sqlite"));
  EXPECT_EQ(enqueue_one(**server), 1u);
  EXPECT_TRUE((*server)->alive());
  EXPECT_TRUE((*server)->stop(Duration(1'000)).ok());
  EXPECT_TRUE((*server)->stop(Duration(1'000)).ok());
}

TEST_F(ServerTest, RunsWithoutAnyListener) {
  auto server = Server::start(config({{"listen.http", "off"}, {"listen.resp", "off"}, {"listen.grpc", "off"}}), clock);
  ASSERT_TRUE(server.ok()) << server.status().text();
  EXPECT_EQ((*server)->addresses(), "resp=off grpc=off http=off store=sqlite");
  EXPECT_EQ((*server)->resp_address(), "");
  EXPECT_EQ((*server)->http_url(), "");
  EXPECT_EQ((*server)->grpc_address(), "");
  EXPECT_EQ(enqueue_one(**server), 1u);
}

TEST_F(ServerTest, KeepsItsHistoryInTheDataFolder) {
  auto server = Server::start(config(), clock);
  ASSERT_TRUE(server.ok()) << server.status().text();
  EXPECT_TRUE((*server)->stop(Duration(1'000)).ok());
  EXPECT_TRUE(std::filesystem::exists(folder.path("history")));
  server->reset();
  EXPECT_TRUE(Server::start(config(), clock).ok());
}

TEST_F(ServerTest, ASecondOneOnTheSameFileIsRefusedAndTheFirstGoesOn) {
  auto first = Server::start(config(), clock);
  ASSERT_TRUE(first.ok());
  const auto second = Server::start(config(), clock);
  EXPECT_EQ(second.code(), Code::conflict) << second.status().text();
  EXPECT_EQ(enqueue_one(**first), 1u);
  first->reset();
  EXPECT_TRUE(Server::start(config(), clock).ok());
}

TEST_F(ServerTest, ABusyPortIsUnavailableAndLeavesTheFileFree) {
  auto first = Server::start(config(), clock);
  ASSERT_TRUE(first.ok());
  const std::string busy = (*first)->http_url().substr(std::string("http://").size());
  const TempFolder other;
  const auto second = Server::start(config({{"server.data_dir", other.path()}, {"listen.http", busy}}), clock);
  EXPECT_EQ(second.code(), Code::unavailable);
  EXPECT_TRUE(Server::start(config({{"server.data_dir", other.path()}}), clock).ok());
}

TEST_F(ServerTest, ABusyRespPortIsUnavailableAndLeavesTheFileFree) {
  auto first = Server::start(config(), clock);
  ASSERT_TRUE(first.ok());
  const TempFolder other;
  const auto second =
      Server::start(config({{"server.data_dir", other.path()}, {"listen.resp", (*first)->resp_address()}}), clock);
  EXPECT_EQ(second.code(), Code::unavailable);
  EXPECT_TRUE(Server::start(config({{"server.data_dir", other.path()}}), clock).ok());
}

TEST_F(ServerTest, ABusyGrpcPortIsUnavailableAndLeavesTheFileFree) {
  auto first = Server::start(config(), clock);
  ASSERT_TRUE(first.ok());
  const TempFolder other;
  const auto second =
      Server::start(config({{"server.data_dir", other.path()}, {"listen.grpc", (*first)->grpc_address()}}), clock);
  EXPECT_EQ(second.code(), Code::unavailable);
  EXPECT_TRUE(Server::start(config({{"server.data_dir", other.path()}}), clock).ok());
}

TEST_F(ServerTest, RespListensOnAllItsAddresses) {
  const std::string path = folder.path("resp.sock");
  auto server = Server::start(config({{"listen.resp", "127.0.0.1:0,unix:" + path}}), clock);
  ASSERT_TRUE(server.ok()) << server.status().text();
  EXPECT_TRUE((*server)->resp_address().ends_with(",unix:" + path)) << (*server)->resp_address();
  EXPECT_TRUE(std::filesystem::is_socket(path));
  EXPECT_TRUE((*server)->stop(Duration(1'000)).ok());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ServerTest, ADatabaseThatCannotBeReachedStopsNoStart) {
  // Nothing listens on port 1; what waiting may mend is told by /readyz, not by the exit code.
  auto server = Server::start(config({{"server.store", "postgres://127.0.0.1:1/jobs"}}), clock);
  ASSERT_TRUE(server.ok()) << server.status().text();
  EXPECT_TRUE((*server)->clustered());
  EXPECT_TRUE((*server)->addresses().ends_with(" store=postgres")) << (*server)->addresses();
  const store::StoreHealth health = (*server)->engine().admin().health();
  EXPECT_FALSE(health.writable);
  EXPECT_FALSE(health.reason.empty());
  EXPECT_TRUE((*server)->stop(Duration(1'000)).ok());
}

TEST_F(ServerTest, ADatabaseUrlThatIsNoneStopsTheStartWithoutItsPassword) {
  const auto server = Server::start(config({{"server.store", "postgres://u:hunter2%zz@127.0.0.1/jobs"}}), clock);
  ASSERT_EQ(server.code(), Code::invalid_argument);
  EXPECT_EQ(server.status().message().find("hunter2"), std::string::npos) << server.status().message();
}

TEST_F(ServerTest, AReloadTakesTheNewKey) {
  auto server = Server::start(config(), clock);
  ASSERT_TRUE(server.ok());
  EXPECT_TRUE((*server)->key().generated);
  EXPECT_TRUE((*server)->reload(config({}, {{"MUSTER_AUTH_SESSION_KEY", std::string(64, 'd')}})).ok());
  EXPECT_EQ((*server)->key().text, std::string(64, 'd'));
}

}  // namespace
}  // namespace muster::server
