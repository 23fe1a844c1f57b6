// The worker that tests/blackbox/workflow_crash kills, and the client it asks with.
//
//   workflow_crash_worker worker  ADDRESS FOLDER NAME   runs workflows until it is ended
//   workflow_crash_worker start   ADDRESS               starts a run and prints its id
//   workflow_crash_worker state   ADDRESS RUN           prints its state
//   workflow_crash_worker result  ADDRESS RUN           waits for its result and prints it
//   workflow_crash_worker history ADDRESS RUN           prints `step attempt state worker` lines
//
// Each step writes its name into FOLDER/effects when it runs. At every point of interest the workflow leaves FOLDER/at-POINT and
// waits for FOLDER/go-POINT (or go-all), so that the test can kill somebody exactly there.
#include <muster/workflow.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace {

namespace workflow = muster::sdk::workflow;
using namespace std::chrono_literals;

std::string folder;

void hold(const std::string& point) {
  std::ofstream(folder + "/at-" + point) << "here\n";
  const auto may_go = [&] {
    return std::filesystem::exists(folder + "/go-" + point) || std::filesystem::exists(folder + "/go-all");
  };
  while (!may_go()) std::this_thread::sleep_for(5ms);
}

std::string effect(const std::string& step) {
  std::ofstream(folder + "/effects", std::ios::app) << step << "\n";
  hold("in-" + step);
  return step;
}

std::string three_steps(workflow::Context& context) {
  std::string trail;
  for (const std::string step : {"one", "two", "three"}) {
    trail += context.step(step, [&] { return effect(step); });
    hold("after-" + step);
    context.sleep("nap after " + step, step == "two" ? 2s : 100ms);  // the test kills the server during the long one
  }
  return trail;
}

int fail(const muster::sdk::Error& error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  return 1;
}

int work(const std::string& address, const std::string& name) {
  auto worker = workflow::Worker::builder(address, "crash").hostname(name).max_concurrent(4).build();
  if (!worker.ok()) return fail(worker.error());
  worker->register_workflow("three_steps", three_steps);
  const auto ended = worker->run();
  return ended.ok() ? 0 : fail(ended.error());
}

int ask(const std::string& what, const std::string& address, const std::string& id) {
  auto client = workflow::Client::open({.address = address}, "crash");
  if (!client.ok()) return fail(client.error());
  if (what == "start") {
    const auto run = client->start("three_steps", nullptr);
    if (!run.ok()) return fail(run.error());
    return std::printf("%s\n", run->run_id().c_str()) > 0 ? 0 : 1;
  }
  const workflow::Handle run = client->run(id);
  if (what == "state") {
    const auto info = run.describe();
    if (!info.ok()) return fail(info.error());
    return std::printf("%s\n", std::string(to_string(info->state)).c_str()) > 0 ? 0 : 1;
  }
  if (what == "history") {
    const auto steps = run.history();
    if (!steps.ok()) return fail(steps.error());
    for (const workflow::StepInfo& step : *steps)
      std::printf("%s|%d|%s|%s\n", step.name.c_str(), step.attempt, step.state.c_str(), step.worker_id.c_str());
    return 0;
  }
  const auto result = run.result<std::string>(60s);
  if (!result.ok()) return fail(result.error());
  return std::printf("%s\n", result->c_str()) > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "worker" && count == 5) {
    folder = words[3];
    return work(words[2], words[4]);
  }
  if (count == 3 || count == 4) return ask(what, words[2], count == 4 ? words[3] : "");
  std::fprintf(stderr, "usage: see the top of tests/programs/workflow_crash_main.cc\n");
  return 2;
}
