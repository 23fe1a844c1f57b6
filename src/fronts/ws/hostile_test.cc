// What peers do that workers would not: flood the front with sockets, never read, say everything twice, and speak in other
// people's names. What is malformed is front_test.cc's, and the decoder's.
#include "fronts/ws/front_testing.h"

namespace muster::ws {
namespace {

using namespace std::chrono_literals;

class HostileFront : public FrontTest {
 protected:
  static Json numbered(Json frame, std::uint64_t number) {
    frame["session_seq"] = number;
    return frame;
  }
  static Json result_of(const Json& dispatch, std::uint64_t number, const std::string& id) {
    Json frame = numbered(v2_frame("biz.exec.result",
                                   {{"run_id", dispatch["payload"]["run_id"]},
                                    {"task_id", dispatch["payload"]["task_id"]},
                                    {"status", "SUCCEEDED"},
                                    {"result", {{"by", id}}}},
                                   id),
                          number);
    frame["corr"] = dispatch["id"];
    return frame;
  }
  Json resumption(std::uint64_t last_seen) const {
    return v2_frame(
        "control.resume",
        {{"session_id", accepted["session_id"]}, {"session_token", accepted["session_token"]}, {"last_seen_seq", last_seen}},
        "control.resume-5");
  }
};

TEST_F(HostileFront, AFloodOfConnectsIsRefusedWith503AndTakesNothingFromThoseInside) {
  start({.limits = {.sockets_max = 3}});
  const auto inside = join_v2();
  auto second = std::make_unique<TestSocket>(loop, *front);
  const TestSocket third(loop, *front);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(connect().closed().first, 503);
  EXPECT_FALSE(inside->is_closed());
  const JobId id = submit();
  const Json dispatch = inside->hear("biz.exec.dispatch");
  inside->say(result_of(dispatch, 1, "biz.exec.result-1"));
  EXPECT_TRUE(ends(id, JobState::completed));
  second.reset();
  EXPECT_FALSE(connect().is_closed()) << "a place that became free is given away again";
}

TEST_F(HostileFront, WhoDoesNotReadIsToldGoodbyeAndThenCutOff) {
  start({.limits = {.unsent_bytes_max = 0}});
  auto socket = join_v2();
  socket->stop_reading();
  const JobId id = submit();
  EXPECT_EQ(socket->closed(), (std::pair(1008, std::string("messages are not read"))));
  EXPECT_FALSE(socket->heard("biz.exec.dispatch")) << "nothing is put behind what is not read";
  EXPECT_FALSE(socket->ended()) << "it has time to answer";
  pass(6s);
  EXPECT_TRUE(socket->ended());
  socket->cut();
  TestSocket again(loop, *front);
  again.say(resumption(0));
  const Json dispatch = again.hear("biz.exec.dispatch");
  again.say(result_of(dispatch, 1, "biz.exec.result-1"));
  EXPECT_TRUE(ends(id, JobState::completed)) << "the session is as it was";
}

TEST_F(HostileFront, AFrameThatIsSaidAgainIsAcknowledgedAgainAndHasNoEffect) {
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(result_of(dispatch, 1, "biz.exec.result-1"));
  EXPECT_EQ(socket->hear("control.ack")["payload"]["ack_seq"], 1);
  EXPECT_TRUE(ends(id, JobState::completed));
  socket->say(result_of(dispatch, 1, "biz.exec.result-1"));  // the same
  EXPECT_EQ(socket->hear("control.ack")["payload"]["ack_seq"], 1);
  socket->say(result_of(dispatch, 1, "biz.exec.result-9"));  // another one under its number
  EXPECT_EQ(socket->hear("control.ack")["payload"]["ack_seq"], 1);
  socket->say(result_of(dispatch, 2, "biz.exec.result-2"));  // and about a task that is over
  EXPECT_EQ(socket->hear("control.ack")["payload"]["ack_seq"], 2);
  EXPECT_EQ(job(id).result->data, R"({"by":"biz.exec.result-1"})") << "the first one counts";
}

TEST_F(HostileFront, NumbersFarOutsideTheWindowMoveNothing) {
  start();
  const auto socket = join_v2();
  for (const std::uint64_t number : {std::uint64_t{65}, std::uint64_t{70'000}, ~std::uint64_t{0}}) {
    socket->say(numbered(v2_frame("biz.exec.feedback", {{"run_id", "r"}, {"task_id", "t"}}, "biz.exec.feedback-1"), number));
    const Json ack = socket->hear("control.ack");
    EXPECT_EQ(ack["payload"]["ack_seq"], 0) << number;
    EXPECT_EQ(ack["payload"]["ack_bitmap"], 0) << number;
    EXPECT_FALSE(ack.contains("ack")) << number;
  }
  EXPECT_FALSE(socket->is_closed());
}

TEST_F(HostileFront, ATokenOfAnotherTenantOrWorkerIsDenied) {
  auth::Token elsewhere{.name = "e", .role = command::Role::worker, .secret = "elsewhere", .worker = {}};
  elsewhere.namespaces = {NamespaceName("other")};
  const auth::Token somebody{
      .name = "s", .role = command::Role::worker, .secret = "somebody", .worker = WorkerId("somebody-else")};
  start({.auth = {.tokens = {elsewhere, somebody}, .required = true}});
  for (const char* token : {"elsewhere", "somebody"}) {
    auto socket = connect();
    socket.say(v2_handshake(token));
    EXPECT_EQ(socket.hear()["payload"]["code"], "E.SESSION.DENIED") << token;
    EXPECT_EQ(socket.closed().first, 1011);
  }
}

TEST_F(HostileFront, ATokenThatAnotherSecretSignedResumesNothing) {
  start();
  const auto socket = join_v2();
  Json claims = Json::parse(R"({"exp":4102444800,"iat":1,"tenant":"default"})");
  claims["sid"] = accepted["session_id"];
  claims["wid"] = kInstance;
  for (const std::string& forged : {accepted["session_token"].get<std::string>().substr(0, 40) + ".", claims.dump() + ".AAAA",
                                    std::string("."), std::string()}) {
    TestSocket other(loop, *front);
    Json frame = resumption(0);
    frame["payload"]["session_token"] = forged;
    other.say(frame);
    if (forged.empty()) {
      EXPECT_EQ(other.closed().first, 1011) << "no token is no resume at all";
      continue;
    }
    EXPECT_EQ(other.hear()["payload"]["code"], "E.SESSION.INVALID_TOKEN") << forged;
    EXPECT_EQ(other.closed().first, 1011);
  }
  EXPECT_FALSE(socket->is_closed()) << "who is there stays";
}

}  // namespace
}  // namespace muster::ws
