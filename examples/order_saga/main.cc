// An order in three steps. When the last one fails for good, what the others did is undone, the newest first.
#include <muster/workflow.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace workflow = muster::sdk::workflow;
using namespace std::chrono_literals;

struct Order {
  std::string id;
  int cents = 0;
  bool address_exists = true;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, id, cents, address_exists)

struct Receipt {
  bool shipped = false;
  std::vector<std::string> done;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Receipt, shipped, done)

// What is to be done when a later step fails.
class Saga {
 public:
  explicit Saga(workflow::Context& context) : context_(context) {}
  void undo_by(std::string step, std::function<std::string()> undo) { undos_.emplace_back(std::move(step), std::move(undo)); }
  std::vector<std::string> compensate() {
    std::vector<std::string> done;
    for (; !undos_.empty(); undos_.pop_back()) done.push_back(context_.step(undos_.back().first, undos_.back().second));
    return done;
  }

 private:
  workflow::Context& context_;
  std::vector<std::pair<std::string, std::function<std::string()>>> undos_;
};

Receipt place_order(workflow::Context& context, Order order) {
  Saga saga(context);
  Receipt receipt;
  try {
    receipt.done.push_back(context.step("reserve", [&] { return "reserved " + order.id; }));
    saga.undo_by("release", [&] { return "released " + order.id; });
    receipt.done.push_back(context.step("charge", [&] { return "charged " + std::to_string(order.cents); }));
    saga.undo_by("refund", [&] { return "refunded " + std::to_string(order.cents); });
    const workflow::StepOptions patient{.retry = {.attempts_max = 2, .first_delay = 20ms}};
    receipt.done.push_back(context.step("ship", patient, [&]() -> std::string {
      if (!order.address_exists) throw std::runtime_error("no such address");
      return "shipped " + order.id;
    }));
    receipt.shipped = true;
  } catch (const workflow::StepFailed& failure) {
    context.log(std::string("step ") + failure.step() + " failed: " + failure.what());
    for (std::string& undone : saga.compensate()) receipt.done.push_back(std::move(undone));
  }
  return receipt;
}

int main() {
  const char* configured = std::getenv("MUSTER_ADDRESS");
  const std::string address = configured != nullptr ? configured : "127.0.0.1:50051";

  auto worker = workflow::Worker::builder(address, "orders").version("1.0").build();
  if (!worker.ok()) return std::fprintf(stderr, "%s\n", worker.error().text().c_str()), 1;
  worker->register_workflow("place_order", place_order);
  if (auto begun = worker->start(); !begun.ok()) return std::fprintf(stderr, "%s\n", begun.error().text().c_str()), 1;

  auto client = workflow::Client::open({.address = address}, "orders");
  if (!client.ok()) return std::fprintf(stderr, "%s\n", client.error().text().c_str()), 1;
  const auto place = [&](const Order& order) -> muster::sdk::Result<Receipt> {
    auto run = client->start("place_order", order);
    if (!run.ok()) return run.error();
    return run->result<Receipt>(30s);
  };
  const auto good = place({.id = "A1", .cents = 1999});
  const auto bad = place({.id = "B2", .cents = 500, .address_exists = false});
  if (!good.ok() || !bad.ok()) {
    std::fprintf(stderr, "%s\n", (good.ok() ? bad : good).error().text().c_str());
    return 1;
  }
  for (const auto& line : good->done) std::printf("A1: %s\n", line.c_str());
  for (const auto& line : bad->done) std::printf("B2: %s\n", line.c_str());
  const std::vector<std::string> undone{"reserved B2", "charged 500", "refunded 500", "released B2"};
  return good->shipped && good->done.size() == 3 && !bad->shipped && bad->done == undone ? 0 : 1;
}
