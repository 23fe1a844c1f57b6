// Resources and extension frames over real sockets, on the real store.
#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using nlohmann::json;
using ResourcesFront = FrontTest;

TEST_F(ResourcesFront, AreToldShownListedAndForgotten) {
  start();
  register_worker("w1");
  const json told = call_json("PUT", "/api/v1/resources/model%207",
                              R"({"type":"model","worker_name":"gpu-a","worker":"w1","scope":"run","size_bytes":9,"job":"j",
                                  "metadata":{"path":"m"},"expires_at":"2033-01-01T00:00:00Z"})");
  check_members("Resource", told);
  EXPECT_EQ(told["id"], "model 7");
  EXPECT_EQ(told["state"], "active");
  EXPECT_EQ(told["worker_live"], true);
  EXPECT_EQ(told["metadata"], (json{{"path", "m"}}));
  EXPECT_EQ(call_json("GET", "/api/v1/resources/model%207"), told);
  const json page = call_json("GET", "/api/v1/resources?worker=gpu-a&type=model");
  check_members("ResourcePage", page);
  EXPECT_EQ(page["resources"], json::array({told}));
  EXPECT_TRUE(call_json("GET", "/api/v1/resources?worker=other")["resources"].empty());
  EXPECT_EQ(call_json("DELETE", "/api/v1/resources/model%207"), told);
  refused("GET", "/api/v1/resources/model%207", "", 404);
}

TEST_F(ResourcesFront, RefuseWhatIsNoResource) {
  start();
  EXPECT_NE(refused("PUT", "/api/v1/resources/r", R"({"worker_name":"w"})", 400), "");
  EXPECT_NE(refused("PUT", "/api/v1/resources/r", R"({"type":"t","worker_name":"w","expires_at":"2001-01-01T00:00:00Z"})", 400),
            "");
  EXPECT_NE(refused("GET", "/api/v1/resources?limit=1001", "", 400), "");
}

TEST_F(ResourcesFront, AFrameForAWorkerIsRefusedIfItsWireHasNone) {
  start();
  register_worker("w1");
  EXPECT_EQ(refused("POST", "/api/v1/workers/w1/send", R"({"type":"ext.vendor.x"})", 409),
            "worker 'w1' speaks http, which has no extension frames");
  refused("POST", "/api/v1/workers/w2/send", R"({"type":"ext.vendor.x","payload":{"a":1}})", 404);
  refused("POST", "/api/v1/workers/w1/send", R"({"type":"control.reset"})", 400);
}

TEST_F(ResourcesFront, ExtensionFramesAreEventsOfTheirOwnKind) {
  start();
  const std::uint64_t before = engine->events().newest();
  command::ExtensionTold told{.ns = NamespaceName("default"),
                              .worker = WorkerId("w1"),
                              .way = command::ExtensionTold::Way::from_worker,
                              .type = "ext.vendor.x",
                              .payload = std::make_shared<const std::string>(R"({"a":1})"),
                              .payload_bytes = 7,
                              .at = clock.now()};
  engine->events().publish(told);
  register_worker("w1");
  Client client = connect();
  client.send(request_text("GET", "/events?kinds=extension&last_event_id=" + std::to_string(before)));
  client.read_until("\r\n\r\n");
  const std::string text = client.read_until("\n\n");
  EXPECT_NE(text.find("event: extension\n"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("direction":"from_worker","type":"ext.vendor.x","payload_bytes":7,"payload":{"a":1}})"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("event: worker"), std::string::npos) << text;
}

}  // namespace
}  // namespace muster::http
