// The commands about the connection itself.
#include <nlohmann/json.hpp>

#include "base/ask_testing.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/front_testing.h"

namespace muster::resp {
namespace {

class LinkTest : public FrontTest {
 protected:
  void SetUp() override { start(); }
  void submit_one() {
    std::vector<JobSpec> jobs(1);
    jobs[0].type = JobType("t");
    jobs[0].queue = QueueName("ready");
    EXPECT_TRUE(
        muster::ask<std::vector<store::Enqueued>>([&](auto reply) { engine->jobs().enqueue(jobs, std::move(reply)); }).ok());
  }
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(LinkTest, HelloChoosesTheProtocolAndMayAuthenticate) {
  Wire wire = connect();
  EXPECT_EQ(wire.call({"HELLO", "3", "AUTH", "default", "wrong"}), "-ERR Invalid authentication key\r\n");
  const std::string three = wire.call({"HELLO", "3", "AUTH", "default", kTestKey, "SETNAME", "me"});
  EXPECT_TRUE(three.starts_with("%7\r\n$6\r\nserver\r\n$6\r\nmuster\r\n")) << three;
  EXPECT_TRUE(contains(three, "$5\r\nproto\r\n:3\r\n"));
  EXPECT_EQ(wire.call({"CLIENT", "GETNAME"}), "$2\r\nme\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "DIALECT"}), "$5\r\nredis\r\n");
  const std::string two = wire.call({"HELLO", "2"});
  EXPECT_TRUE(two.starts_with("*14\r\n")) << two;
  EXPECT_EQ(wire.call({"CLIENT", "DIALECT"}), "$5\r\nredis\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "DIALECT", "agq"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "DIALECT"}), "$3\r\nagq\r\n");
  EXPECT_TRUE(wire.call({"HELLO"}).starts_with("*14\r\n"));
  EXPECT_EQ(wire.call({"HELLO", "4"}), "-NOPROTO unsupported protocol version\r\n");
  EXPECT_EQ(wire.call({"HELLO", "x"}), "-ERR Protocol version is not an integer or out of range\r\n");
  EXPECT_EQ(wire.call({"HELLO", "3", "AUTH", "x"}), "-ERR Syntax error in HELLO option 'AUTH'\r\n");
  EXPECT_TRUE(wire.call({"HELLO"}).starts_with("*14\r\n")) << "a refused HELLO changes nothing";
}

TEST_F(LinkTest, ResetMakesAFreshConnection) {
  Wire wire = operate();
  wire.call({"HELLO", "3", "SETNAME", "me"});
  // What stands behind it in one breath is a stranger's.
  wire.send(frame({"RESET"}) + frame({"PING"}));
  EXPECT_EQ(wire.read_reply(), "+RESET\r\n");
  EXPECT_EQ(wire.read_reply(), "-ERR NOAUTH Authentication required\r\n");
  EXPECT_EQ(wire.call({"AUTH", kTestKey}), "+OK\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "GETNAME"}), "$-1\r\n");
}

TEST_F(LinkTest, ClientsSayWhoTheyAre) {
  Wire wire = operate();
  EXPECT_EQ(wire.call({"CLIENT", "SETINFO", "LIB-NAME", "redis-rs"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"client", "setinfo", "lib-ver", "0.24.0"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "SETINFO", "COLOUR", "red"}), "-ERR Unrecognized option 'COLOUR'\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "SETNAME", "has space"}),
            "-ERR Client names cannot contain spaces, newlines or special characters.\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "SETNAME", "w"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "ID"}), ":1\r\n");
  const std::string info = wire.call({"CLIENT", "INFO"});
  EXPECT_TRUE(contains(info, "id=1 addr=127.0.0.1 name=w ")) << info;
  EXPECT_TRUE(contains(info, "lib-name=redis-rs lib-ver=0.24.0 user=operator")) << info;
  EXPECT_EQ(wire.call({"CLIENT", "NO-EVICT", "ON"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "NO-TOUCH", "off"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "REPLY", "ON"}), "+OK\r\n");
  EXPECT_TRUE(wire.call({"CLIENT", "REPLY", "OFF"}).starts_with("-ERR "));
  EXPECT_EQ(wire.call({"CLIENT", "DIALECT", "redis"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "DIALECT"}), "$5\r\nredis\r\n");
  EXPECT_TRUE(wire.call({"CLIENT", "DIALECT", "latin"}).starts_with("-ERR "));
  EXPECT_EQ(wire.call({"CLIENT", "NOPE"}), "-ERR unknown subcommand 'NOPE'. Try CLIENT HELP.\r\n");
  EXPECT_EQ(wire.call({"CLIENT", "SETNAME"}), "-ERR wrong number of arguments for 'client|setname' command\r\n");
  EXPECT_EQ(wire.call({"CLIENT"}), "-ERR wrong number of arguments for 'client' command\r\n");
}

TEST_F(LinkTest, OperatorsListAndCloseConnections) {
  Wire one = operate();
  Wire two = operate();
  Wire three = operate();
  EXPECT_EQ(two.call({"CLIENT", "ID"}), ":2\r\n");
  const std::string list = one.call({"CLIENT", "LIST"});
  EXPECT_TRUE(contains(list, "id=1 ") && contains(list, "id=2 ") && contains(list, "id=3 ")) << list;
  EXPECT_FALSE(contains(one.call({"CLIENT", "LIST", "ID", "2"}), "id=1 "));
  EXPECT_EQ(one.call({"CLIENT", "LIST", "TYPE", "pubsub"}), "$0\r\n\r\n");
  EXPECT_EQ(one.call({"CLIENT", "KILL", "ID", "2"}), ":1\r\n");
  EXPECT_TRUE(two.closed());
  EXPECT_EQ(one.call({"CLIENT", "KILL", "ID", "99"}), ":0\r\n");
  EXPECT_EQ(one.call({"CLIENT", "KILL", "10.0.0.1:7"}), "-ERR No such client\r\n");
  EXPECT_EQ(one.call({"CLIENT", "KILL", "ID", "1"}), ":0\r\n") << "it skips itself unless told otherwise";
  EXPECT_EQ(one.call({"CLIENT", "KILL", "USER", "operator"}), ":1\r\n");
  EXPECT_TRUE(three.closed());
  EXPECT_EQ(one.call({"CLIENT", "KILL", "ID", "1", "SKIPME", "no"}), ":1\r\n");
  EXPECT_TRUE(one.closed());
}

TEST_F(LinkTest, TheTableOfCommandsDescribesItself) {
  Wire wire = operate();
  const std::string count = wire.call({"COMMAND", "COUNT"});
  EXPECT_EQ(count, ":" + std::to_string(all_commands().size()) + "\r\n");
  EXPECT_TRUE(wire.call({"COMMAND"}).starts_with("*" + count.substr(1)));
  EXPECT_TRUE(wire.call({"COMMAND", "DOCS"}).starts_with("*" + std::to_string(2 * all_commands().size()) + "\r\n"));
  EXPECT_TRUE(wire.call({"COMMAND", "DOCS", "ping"}).starts_with("*2\r\n$4\r\nping\r\n*6\r\n$7\r\nsummary\r\n"));
  EXPECT_TRUE(wire.call({"COMMAND", "INFO", "ping", "nope"}).starts_with("*2\r\n*10\r\n$4\r\nping\r\n:-1\r\n"));
  EXPECT_TRUE(wire.call({"COMMAND", "LIST"}).starts_with("*" + count.substr(1)));
  EXPECT_EQ(wire.call({"COMMAND", "NOPE"}), "-ERR unknown subcommand 'NOPE'. Try COMMAND HELP.\r\n");
}

TEST(Commands, EveryEntryIsWhole) {
  for (const Entry* entry : all_commands()) {
    EXPECT_FALSE(entry->summary.empty()) << entry->name;
    EXPECT_FALSE(entry->group.empty()) << entry->name;
    EXPECT_GE(entry->least, 1u) << entry->name;
    EXPECT_GE(entry->most, entry->least) << entry->name;
    for (const char c : entry->name) EXPECT_FALSE(c >= 'a' && c <= 'z') << entry->name;
    if (entry->flow == Flow::local || entry->flow == Flow::alone) {
      EXPECT_NE(entry->handler, nullptr) << entry->name;
    }
    EXPECT_EQ(find_command(entry->name), entry);
  }
}

TEST_F(LinkTest, InfoShowsItsSections) {
  Wire wire = operate();
  const std::string all = wire.call({"INFO"});
  for (const char* part : {"# Server\r\nredis_version:", "# Clients\r\nconnected_clients:1\r\n", "# Memory\r\n", "# Stats\r\n",
                           "# Keyspace\r\n", "# Muster\r\nhealthy:1\r\n", "muster_version:0.1.0\r\n"})
    EXPECT_TRUE(contains(all, part)) << part << all;
  const std::string one = wire.call({"INFO", "CLIENTS"});
  EXPECT_TRUE(contains(one, "# Clients")) << one;
  EXPECT_FALSE(contains(one, "# Server")) << one;
  EXPECT_EQ(wire.call({"INFO", "nothing"}), "$0\r\n\r\n");
}

TEST_F(LinkTest, SmallThingsThatClientsSend) {
  Wire wire = operate();
  EXPECT_EQ(wire.call({"SELECT", "0"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"SELECT", "1"}), "-ERR DB index is out of range\r\n");
  EXPECT_EQ(wire.call({"SELECT", "x"}), "-ERR invalid DB index\r\n");
  EXPECT_EQ(wire.call({"ECHO", "a b"}), "$3\r\na b\r\n");
  EXPECT_EQ(wire.call({"TIME"}), "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n");
  EXPECT_EQ(wire.call({"CONFIG", "GET", "maxclients"}), "*2\r\n$10\r\nmaxclients\r\n$5\r\n20000\r\n");
  EXPECT_EQ(wire.call({"CONFIG", "GET", "save", "append*"}),
            "*6\r\n$11\r\nappendfsync\r\n$6\r\nalways\r\n$10\r\nappendonly\r\n$3\r\nyes\r\n$4\r\nsave\r\n$0\r\n\r\n");
  EXPECT_EQ(wire.call({"CONFIG", "GET", "nope"}), "*0\r\n");
  EXPECT_TRUE(wire.call({"CONFIG", "RESETSTAT"}).starts_with("-ERR CONFIG RESETSTAT is not supported"));
  EXPECT_EQ(wire.call({"CONFIG", "SET", "save", ""}), "-ERR unknown command 'CONFIG SET'\r\n");
  EXPECT_EQ(wire.call({"LOLWUT"}), "-ERR unknown command 'LOLWUT'\r\n");
}

TEST_F(LinkTest, SubscribersHearOfJobsInTheWordsOfTheDialect) {
  Wire reader = operate();
  Wire other = operate();
  EXPECT_EQ(reader.call({"SUBSCRIBE", "jobs", "queue:ready"}), "*3\r\n$9\r\nsubscribe\r\n$4\r\njobs\r\n:1\r\n");
  EXPECT_EQ(reader.read_reply(), "*3\r\n$9\r\nsubscribe\r\n$11\r\nqueue:ready\r\n:2\r\n");
  EXPECT_EQ(other.call({"PUBSUB", "NUMSUB", "jobs", "workers"}), "*4\r\n$4\r\njobs\r\n:1\r\n$7\r\nworkers\r\n:0\r\n");
  EXPECT_EQ(other.call({"PUBSUB", "CHANNELS", "q*"}), "*1\r\n$11\r\nqueue:ready\r\n");
  submit_one();
  const std::string message = reader.read_reply();
  ASSERT_TRUE(message.starts_with("*3\r\n$7\r\nmessage\r\n$4\r\njobs\r\n$")) << message;
  const auto body = nlohmann::json::parse(message.substr(message.find('{')));
  EXPECT_EQ(body["status"], "pending");
  EXPECT_EQ(body["event"], "enqueued");
  EXPECT_EQ(body["queue"], "ready");
  EXPECT_TRUE(body["job_id"].get<std::string>().starts_with("job_"));
  EXPECT_TRUE(reader.read_reply().starts_with("*3\r\n$7\r\nmessage\r\n$11\r\nqueue:ready\r\n$"));

  // Between messages only a few commands are allowed.
  EXPECT_TRUE(reader.call({"ECHO", "x"}).starts_with("-ERR Can't execute 'echo'"));
  EXPECT_EQ(reader.call({"PING"}), "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
  EXPECT_EQ(reader.call({"UNSUBSCRIBE", "jobs"}), "*3\r\n$11\r\nunsubscribe\r\n$4\r\njobs\r\n:1\r\n");
  EXPECT_EQ(reader.call({"UNSUBSCRIBE"}), "*3\r\n$11\r\nunsubscribe\r\n$11\r\nqueue:ready\r\n:0\r\n");
  EXPECT_EQ(reader.call({"UNSUBSCRIBE"}), "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n");
  EXPECT_EQ(reader.call({"ECHO", "x"}), "$1\r\nx\r\n");
}

TEST_F(LinkTest, PatternsHearOneJobUnderEveryChannelThatMatches) {
  Wire reader = operate();
  reader.call({"HELLO", "3"});
  EXPECT_EQ(reader.call({"PSUBSCRIBE", "job:*"}), ">3\r\n$10\r\npsubscribe\r\n$5\r\njob:*\r\n:1\r\n");
  submit_one();
  const std::string message = reader.read_reply();
  EXPECT_TRUE(message.starts_with(">4\r\n$8\r\npmessage\r\n$5\r\njob:*\r\n$40\r\njob:job_")) << message;
  // RESP3 tells messages from replies, so everything stays allowed.
  EXPECT_EQ(reader.call({"ECHO", "x"}), "$1\r\nx\r\n");
  EXPECT_EQ(reader.call({"PUBSUB", "NUMPAT"}), ":1\r\n");
  EXPECT_EQ(reader.call({"PUNSUBSCRIBE"}), ">3\r\n$12\r\npunsubscribe\r\n$5\r\njob:*\r\n:0\r\n");
}

TEST_F(LinkTest, ASubscriberThatLeftIsForgotten) {
  Wire other = operate();
  {
    Wire reader = operate();
    reader.call({"SUBSCRIBE", "jobs"});
    EXPECT_EQ(other.call({"PUBSUB", "CHANNELS"}), "*1\r\n$4\r\njobs\r\n");
  }
  EXPECT_TRUE(eventually([&] { return other.call({"PUBSUB", "CHANNELS"}) == "*0\r\n"; }));
}

TEST_F(LinkTest, TooManySubscriptionsAreRefusedAsAWhole) {
  stop_all();
  RespOptions options;
  options.limits.channels_max = 2;
  start(options);
  Wire wire = operate();
  EXPECT_EQ(wire.call({"SUBSCRIBE", "a", "b", "c"}), "-ERR too many subscriptions; at most 2 of one connection\r\n");
  EXPECT_EQ(wire.call({"PUBSUB", "CHANNELS"}), "*0\r\n");
}

}  // namespace
}  // namespace muster::resp
