// A schedule that starts a workflow every second, looked at, triggered by hand, paused and deleted.
#include <muster/workflow.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace workflow = muster::sdk::workflow;
using namespace std::chrono_literals;

std::mutex mutex;
std::condition_variable ticked;
int ticks = 0;

void tick(workflow::Context& context, std::string place) {
  context.step("tick", [&] {
    const std::lock_guard lock(mutex);
    std::printf("tick %d at the %s\n", ++ticks, place.c_str());
    ticked.notify_all();
  });
}

bool wait_for_ticks(int count) {
  std::unique_lock lock(mutex);
  return ticked.wait_for(lock, 20s, [&] { return ticks >= count; });
}

int main() {
  const char* configured = std::getenv("MUSTER_ADDRESS");
  const std::string address = configured != nullptr ? configured : "127.0.0.1:50051";

  auto worker = workflow::Worker::builder(address, "clocks").build();
  if (!worker.ok()) return std::fprintf(stderr, "%s\n", worker.error().text().c_str()), 1;
  worker->register_workflow("tick", tick);
  if (auto begun = worker->start(); !begun.ok()) return std::fprintf(stderr, "%s\n", begun.error().text().c_str()), 1;

  auto client = workflow::Client::open({.address = address}, "clocks");
  if (!client.ok()) return std::fprintf(stderr, "%s\n", client.error().text().c_str()), 1;
  auto made = client->create_schedule({.timing = "* * * * * *",
                                       .zone = "Europe/Berlin",
                                       .overlap = "skip",
                                       .note = "an example",
                                       .type = "tick",
                                       .input = "tower"});
  if (!made.ok()) return std::fprintf(stderr, "%s\n", made.error().text().c_str()), 1;
  const std::string id = made->spec.id;
  const auto next = client->preview_schedule(id, 3);
  if (!next.ok()) return std::fprintf(stderr, "%s\n", next.error().text().c_str()), 1;
  for (const auto fire : *next) std::printf("next %s\n", muster::sdk::format_instant(fire).c_str());

  const bool fired = wait_for_ticks(2);
  const auto paused = client->pause_schedule(id);
  int before = 0;
  {
    const std::lock_guard lock(mutex);
    before = ticks;
  }
  auto triggered = client->trigger_schedule(id);
  const bool by_hand = triggered.ok() && triggered->result<>(20s).ok() && wait_for_ticks(before + 1);
  const auto gone = client->delete_schedule(id);
  const bool good = next->size() == 3 && fired && paused.ok() && !paused->spec.enabled.value_or(true) && by_hand && gone.ok() &&
                    !client->schedule(id).ok();
  return good ? 0 : 1;
}
