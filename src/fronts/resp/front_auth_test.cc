// Who may come in, as whom, and how guessing is slowed down.
#include "fronts/resp/clients.h"
#include "fronts/resp/front_testing.h"
#include "fronts/resp/gatekeeper.h"

namespace muster::resp {
namespace {

const std::string kWrong = "-ERR Invalid authentication key\r\n";
const std::string kWorkerKey(64, 'b');
const std::string kAnyWorkerKey = "workers-of-the-fleet";
const std::string kReaderKey = "only-looking";

class FrontAuthTest : public FrontTest {
 protected:
  RespOptions with_keys() {
    RespOptions options;
    options.keys = {{.name = "w-1", .role = command::Role::worker, .secret = kWorkerKey, .worker = WorkerId("w-1")},
                    {.name = "fleet", .role = command::Role::worker, .secret = kAnyWorkerKey, .worker = {}},
                    {.name = "reader", .role = command::Role::read_only, .secret = kReaderKey, .worker = {}}};
    return options;
  }
  command::Caller caller_of(Wire& wire) {
    const std::string id = wire.call({"CLIENT", "ID"});
    command::Caller out;
    on_loop([&] { out = core().clients->find(ClientId(std::stoull(id.substr(1))))->caller; });
    return out;
  }
  // An answer to AUTH is ready and waits for its time.
  bool is_held_back() {
    return eventually([&] {
      std::size_t held_back = 0;
      on_loop([&] { held_back = core().gatekeeper->answers_held_back(); });
      return held_back == 1;
    });
  }
};

TEST_F(FrontAuthTest, AKeyOfSixtyFourDigitsStandsForItsBytesAndForNothingElse) {
  start();
  EXPECT_EQ(connect().call({"AUTH", kTestKey}), "+OK\r\n");
  EXPECT_EQ(connect().call({"AUTH", std::string(64, 'A')}), "+OK\r\n");
  EXPECT_EQ(connect().call({"AUTH", std::string(32, '\xaa')}), "+OK\r\n");
  // Zero bytes at the end make another key.
  EXPECT_EQ(connect().call({"AUTH", std::string(32, '\xaa') + std::string(1, '\0')}), kWrong);
  EXPECT_EQ(connect().call({"AUTH", std::string(31, '\xaa')}), kWrong);
  EXPECT_EQ(connect().call({"AUTH", kTestKey + "aa"}), kWrong);
}

TEST_F(FrontAuthTest, AKeyDecidesTheRoleAndTheWorker) {
  start(with_keys());
  Wire one = authenticate({kWorkerKey});
  EXPECT_EQ(caller_of(one).role, command::Role::worker);
  EXPECT_EQ(caller_of(one).worker.text(), "w-1");
  Wire fleet = authenticate({kAnyWorkerKey});
  EXPECT_TRUE(caller_of(fleet).worker.empty());
  Wire reader = authenticate({kReaderKey});
  EXPECT_EQ(caller_of(reader).role, command::Role::read_only);
  EXPECT_EQ(caller_of(reader).name, "reader");
}

TEST_F(FrontAuthTest, ANameGivenWithTheKeyMustBeItsWorkers) {
  start(with_keys());
  EXPECT_EQ(connect().call({"AUTH", "w-2", kWorkerKey}), kWrong);
  EXPECT_EQ(connect().call({"AUTH", "somebody", kReaderKey}), kWrong);
  EXPECT_EQ(connect().call({"AUTH", "default", "wrong"}), kWrong);
  EXPECT_EQ(connect().call({"AUTH", "no name of a worker", kTestKey}), "-ERR Invalid worker ID characters\r\n");
  Wire own = authenticate({"w-1", kWorkerKey});
  EXPECT_EQ(caller_of(own).worker.text(), "w-1");
  Wire fleet = authenticate({"w-7", kAnyWorkerKey});
  EXPECT_EQ(caller_of(fleet).worker.text(), "w-7");
  Wire as_worker = authenticate({"w-9", kTestKey});
  EXPECT_EQ(caller_of(as_worker).worker.text(), "w-9");
  EXPECT_EQ(caller_of(as_worker).role, command::Role::operator_role);
  for (const char* plain : {"default", "operator", ""}) {
    Wire wire = authenticate({plain, kTestKey});
    EXPECT_TRUE(caller_of(wire).worker.empty()) << plain;
  }
}

TEST_F(FrontAuthTest, ARoleThatDoesNotReachACommandIsTold) {
  start(with_keys());
  Wire reader = authenticate({kReaderKey});
  EXPECT_EQ(reader.call({"CLIENT", "LIST"}), "-ERR NOPERM this key may not use 'CLIENT LIST'\r\n");
  EXPECT_EQ(reader.call({"PING", "word"}), "$4\r\nword\r\n");
  EXPECT_EQ(reader.call({"PING"}), "+PONG\r\n");
}

TEST_F(FrontAuthTest, WrongKeysAboveTheLimitAreAnsweredLateAndLater) {
  start(with_keys());
  Wire guesser(port(), "127.0.0.1");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(guesser.call({"AUTH", "guess"}), kWrong) << i;
  const auto expect_late = [&](Duration delay) {
    guesser.send(frame({"AUTH", "guess"}) + frame({"PING"}));
    EXPECT_TRUE(is_held_back());
    advance(delay - Duration(1));
    EXPECT_FALSE(guesser.answered());
    advance(Duration(1));
    EXPECT_EQ(guesser.read_reply(), kWrong);
    EXPECT_EQ(guesser.read_reply(), "-ERR NOAUTH Authentication required\r\n");
  };
  expect_late(Duration(1'000));
  expect_late(Duration(2'000));
  expect_late(Duration(4'000));

  // A correct key is answered at once from everywhere, and a wrong one from another address too.
  guesser.send(frame({"AUTH", "guess"}));
  EXPECT_TRUE(is_held_back());
  Wire elsewhere(port(), "127.0.0.2");
  EXPECT_EQ(elsewhere.call({"AUTH", "guess"}), kWrong);
  Wire here(port(), "127.0.0.1");
  EXPECT_EQ(here.call({"AUTH", kTestKey}), "+OK\r\n");
  advance(Duration(8'000));
  EXPECT_EQ(guesser.read_reply(), kWrong);

  // A minute of silence, and all is forgotten.
  advance(auth::kGuessesForgotten);
  EXPECT_EQ(guesser.call({"AUTH", "guess"}), kWrong);
  EXPECT_EQ(guesser.call({"AUTH", kTestKey}), "+OK\r\n");
}

TEST_F(FrontAuthTest, GuessesOnOtherWiresCountHere) {
  RespOptions options = with_keys();
  options.brake = std::make_shared<auth::Brake>();
  start(options);
  for (int i = 0; i < 5; ++i) options.brake->note_failure("127.0.0.1", engine->clock().elapsed());
  Wire guesser(port(), "127.0.0.1");
  guesser.send(frame({"AUTH", "guess"}));
  EXPECT_TRUE(is_held_back());
  Wire here(port(), "127.0.0.1");
  EXPECT_EQ(here.call({"AUTH", kTestKey}), "+OK\r\n");
  advance(Duration(1'000));
  EXPECT_EQ(guesser.read_reply(), kWrong);
}

TEST_F(FrontAuthTest, AKeyOfOtherNamespacesMayDoNothingInTheDefaultOne) {
  RespOptions options = with_keys();
  options.keys.push_back({.name = "tenant",
                          .role = command::Role::operator_role,
                          .secret = "operator-of-tenant-a",
                          .worker = {},
                          .namespaces = std::vector{NamespaceName("a")}});
  options.keys.push_back({.name = "house",
                          .role = command::Role::operator_role,
                          .secret = "operator-of-the-house",
                          .worker = {},
                          .namespaces = std::vector{NamespaceName("a"), NamespaceName("default")}});
  start(options);
  Wire tenant = authenticate({"operator-of-tenant-a"});
  const std::string refused = "-ERR NOPERM this token may not use namespace \"default\"\r\n";
  EXPECT_EQ(tenant.call({"SET", "k", "v"}), refused);
  EXPECT_EQ(tenant.call({"LPUSH", "queue:ready", "{}"}), refused);
  EXPECT_EQ(tenant.call({"WORKER.REGISTER", "{}"}), refused);
  EXPECT_EQ(tenant.call({"GET", "k"}), refused);
  Wire house = authenticate({"operator-of-the-house"});
  EXPECT_EQ(house.call({"SET", "k", "v"}), "+OK\r\n");
}

TEST_F(FrontAuthTest, AKeyMayBeKnownByItsDigestAlone) {
  RespOptions options = with_keys();
  // Of "known-by-its-digest-alone".
  options.keys.push_back({.name = "digest",
                          .role = command::Role::read_only,
                          .secret = {},
                          .worker = {},
                          .namespaces = {},
                          .sha256 = "d89d0811241082c8d2c293d15dd706645d60766421aa54a11cd51eb64ad04c0a"});
  start(options);
  EXPECT_EQ(connect().call({"AUTH", "known-by-its-digest-alone"}), "+OK\r\n");
  EXPECT_EQ(connect().call({"AUTH", "d89d0811241082c8d2c293d15dd706645d60766421aa54a11cd51eb64ad04c0a"}), kWrong);
}

TEST_F(FrontAuthTest, ConnectionsWhoseKeyIsGoneAreClosed) {
  start(with_keys());
  Wire one = authenticate({kWorkerKey});
  Wire reader = authenticate({kReaderKey});
  Wire stranger = connect();
  EXPECT_EQ(stranger.call({"PING"}), "-ERR NOAUTH Authentication required\r\n");
  RespOptions options = with_keys();
  options.keys.erase(options.keys.begin());
  ASSERT_TRUE(front->set_keys(options.keys).ok());
  EXPECT_TRUE(one.closed());
  EXPECT_EQ(reader.call({"PING"}), "+PONG\r\n");
  EXPECT_EQ(stranger.call({"AUTH", kWorkerKey}), kWrong);
  options.keys.push_back(options.keys.back());
  EXPECT_EQ(front->set_keys(options.keys).code(), Code::invalid_argument);
}

TEST_F(FrontAuthTest, WithoutAuthEverybodyIsTheOperatorOnLoopback) {
  RespOptions options;
  options.compat_flags.auth_optional = true;
  start(options);
  Wire wire = connect();
  EXPECT_EQ(wire.call({"PING"}), "+PONG\r\n");
  EXPECT_EQ(caller_of(wire).role, command::Role::operator_role);
  EXPECT_EQ(wire.call({"AUTH", "wrong"}), kWrong);
  EXPECT_EQ(wire.call({"RESET"}), "+RESET\r\n");
  EXPECT_EQ(wire.call({"PING"}), "+PONG\r\n");
}

TEST_F(FrontAuthTest, AnAddressThatOthersReachNeedsTlsAndKeys) {
  start();
  RespOptions options;
  options.addresses = {{.host = "0.0.0.0"}};
  options.keys = {{.name = "operator", .role = command::Role::operator_role, .secret = kTestKey, .worker = {}}};
  const auto refused = [&] { return RespFront::start(*loop, *door, *metrics, options); };
  EXPECT_EQ(refused().code(), Code::invalid_argument);
  options.compat_flags.auth_optional = true;
  EXPECT_EQ(refused().code(), Code::invalid_argument);
  options.compat_flags.auth_optional = false;
  options.insecure = true;
  EXPECT_TRUE(refused().ok());
  options.insecure = false;
  options.addresses = {{.host = "127.0.0.1"}};
  options.keys.clear();
  EXPECT_EQ(refused().code(), Code::invalid_argument);
}

TEST(Gatekeeper, RefusesKeysThatCannotBeTold) {
  const Key key{.name = "a", .role = command::Role::operator_role, .secret = std::string(64, 'a'), .worker = {}};
  Key same = key;
  same.name = "b";
  same.secret = std::string(64, 'A');
  EXPECT_FALSE(Gatekeeper::validate({key, same}).ok());
  Key nameless = key;
  nameless.name.clear();
  EXPECT_FALSE(Gatekeeper::validate({nameless}).ok());
  Key empty = key;
  empty.secret.clear();
  EXPECT_FALSE(Gatekeeper::validate({empty}).ok());
  Key bound = key;
  bound.worker = WorkerId("w");
  EXPECT_FALSE(Gatekeeper::validate({bound}).ok());
  EXPECT_TRUE(Gatekeeper::validate({key}).ok());
}

}  // namespace
}  // namespace muster::resp
