// Frames of vendors, both ways.
#include "fronts/ws/extensions.h"

#include <mutex>

#include "command/workers.h"
#include "fronts/ws/front_testing.h"
#include "fronts/ws/registration.h"

namespace muster::ws {
namespace {

class Extensions : public FrontTest {
 protected:
  Result<command::WorkerSendReply> send(const std::string& type, const std::string& payload) {
    const command::WorkerSendRequest request{NamespaceName("default"), WorkerId(kInstance), type, payload};
    return ask<command::WorkerSendReply>([&](auto reply) { door->run(command::itself(), request, std::move(reply)); });
  }
  static Json vendor_frame(std::uint64_t number) {
    Json frame = v2_frame("ext.vendor.acme.note", {{"n", number}}, "ext-" + std::to_string(number));
    frame["session_seq"] = number;
    return frame;
  }
};

TEST_F(Extensions, AFrameOfAWorkerIsAcknowledgedAndToldAsAnEvent) {  // 45
  start();
  const auto socket = join_v2();
  const std::uint64_t before = door->events().newest();
  socket->say(vendor_frame(1));
  EXPECT_EQ(socket->hear("control.ack")["payload"]["ack_seq"], 1);
  std::vector<command::ExtensionTold> told;
  for (const command::Event& event : door->events().read(before, 100).events)
    if (const auto* extension = std::get_if<command::ExtensionTold>(&event.what)) told.push_back(*extension);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].ns, NamespaceName("default"));
  EXPECT_EQ(told[0].worker, WorkerId(kInstance));
  EXPECT_EQ(told[0].way, command::ExtensionTold::Way::from_worker);
  EXPECT_EQ(told[0].type, "ext.vendor.acme.note");
  EXPECT_EQ(*told[0].payload, R"({"n":1})");
}

TEST_F(Extensions, AHookGetsEachOnce) {
  class Hook final : public ExtensionHook {
   public:
    void received(const ExtensionFrame& frame) override {
      const std::lock_guard lock(mutex);
      got.push_back(frame.worker.instance + " " + frame.type + " " + json::dump(frame.payload.tree()));
    }
    std::mutex mutex;
    std::vector<std::string> got;
  };
  const auto hook = std::make_shared<Hook>();  // shared with the front's options
  WsOptions options;
  options.extension_hook = hook;
  start(options);
  const auto socket = join_v2();
  socket->say(vendor_frame(1));
  socket->say(vendor_frame(1));
  socket->say(vendor_frame(2));
  EXPECT_TRUE(eventually([&] { return socket->hear("control.ack")["payload"]["ack_seq"] == 2; }));
  const std::lock_guard lock(hook->mutex);
  const std::string head = std::string(kInstance) + " ext.vendor.acme.note ";
  EXPECT_EQ(hook->got, (std::vector<std::string>{head + R"({"n":1})", head + R"({"n":2})"}));
}

TEST_F(Extensions, WhatIsSentToAWorkerReachesItInOrder) {
  start();
  const auto socket = join_v2();
  ASSERT_TRUE(send("ext.vendor.acme.a", R"({"n":1})").ok());
  ASSERT_TRUE(send("ext.vendor.acme.b", "").ok());
  const Json first = socket->hear("ext.vendor.acme.a");
  EXPECT_EQ(first["payload"], (Json{{"n", 1}}));
  EXPECT_EQ(first["session_seq"], 1);
  const Json second = socket->hear("ext.vendor.acme.b");
  EXPECT_EQ(second["payload"], Json::object());
  EXPECT_EQ(second["session_seq"], 2);
}

TEST_F(Extensions, WhatIsSentWhileAWorkerIsAwayWaitsForIt) {
  start();
  auto socket = join_v2();
  socket->cut();
  ASSERT_TRUE(send("ext.vendor.acme.a", R"({"n":1})").ok());
  const auto back = join_v2();
  EXPECT_EQ(back->hear("ext.vendor.acme.a")["payload"], (Json{{"n", 1}}));
}

TEST_F(Extensions, NothingOfTheKindIsSentToAWorkerOfProtocol1) {
  start();
  const auto socket = join_v1();
  const command::WorkerSendRequest request{NamespaceName("default"), WorkerId("worker-local"), "ext.vendor.x", "{}"};
  EXPECT_EQ(ask<command::WorkerSendReply>([&](auto reply) { door->run(command::itself(), request, std::move(reply)); }).code(),
            Code::conflict);
}

}  // namespace
}  // namespace muster::ws
