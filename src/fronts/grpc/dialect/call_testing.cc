#include "fronts/grpc/dialect/call_testing.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace muster::rpc {
namespace {

constexpr Duration kTickEvery{2};

const Method* method_of(std::string_view service, std::string_view name) {
  for (const auto& list : {k0_methods(), v1_methods()})
    for (const Method& method : list)
      if (method.service == service && method.name == name) return &method;
  return nullptr;
}

}  // namespace

FakeCall::FakeCall(Core& core_in, std::string bytes, std::map<std::string, std::string> metadata)
    : Call(core_in), metadata_(metadata.begin(), metadata.end()) {
  request = std::move(bytes);
  correlation = "test-correlation";
}

std::string_view FakeCall::metadata(std::string_view name) const {
  const auto it = metadata_.find(name);
  return it == metadata_.end() ? std::string_view() : std::string_view(it->second);
}

void FakeCall::add_metadata(std::string name, std::string value) {
  const std::lock_guard lock(mutex_);
  trailing_[std::move(name)] = std::move(value);
}

void FakeCall::finish(std::unique_lock<std::mutex>& lock) {
  EXPECT_FALSE(answered_) << "a call is answered once";
  answered_ = true;
  UniqueFunction<void()> dropped = std::move(then_);
  lock.unlock();
  changed_.notify_all();
}

void FakeCall::answer(std::string response) {
  std::unique_lock lock(mutex_);
  response_ = std::move(response);
  finish(lock);
}

void FakeCall::refuse(WireError error) {
  std::unique_lock lock(mutex_);
  error_ = std::move(error);
  finish(lock);
}

void FakeCall::on_cancel(UniqueFunction<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
    if (!cancelled_) {
      then_ = std::move(then);
      return;
    }
  }
  then();
}

bool FakeCall::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

void FakeCall::cancel() {
  UniqueFunction<void()> then;
  {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
    cancelled_ = true;
    then = std::move(then_);
  }
  if (then) then();
}

bool FakeCall::answered() const {
  const std::lock_guard lock(mutex_);
  return answered_;
}

bool FakeCall::wait() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience(), [this] { return answered_; });
}

std::string FakeCall::trailing(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto it = trailing_.find(name);
  return it == trailing_.end() ? std::string() : it->second;
}

MethodTest::MethodTest() {
  std::string pattern = (std::filesystem::temp_directory_path() / "muster-grpc-XXXXXX").string();
  folder = ::mkdtemp(pattern.data());
  options.compat_flags.refused_poll_hold = Duration(0);
}

void MethodTest::start() {
  metrics = std::make_unique<Metrics>();
  auto opened = store::sqlite::SqliteStore::open(
      {.path = folder + "/muster.db", .durability = store::sqlite::Durability::normal, .seed = 1}, clock, *metrics);
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  store = *std::move(opened);
  engine = std::make_unique<engine::Engine>(*store, clock, *metrics, engine_options);
  door = std::make_unique<command::Door>(
      *engine, command::ServerFacts{.version = "0.1.0", .started_at = clock.now(), .node = "node-1", .agents = agents}, *metrics);
  loop = std::make_unique<net::IoLoop>(clock, metrics.get());
  loop->start();
  core = std::make_unique<Core>(*loop, *door, *metrics, options);
  ticking_ = true;
  ticker_ = std::thread([this] {
    while (ticking_) {
      engine->tick();
      std::this_thread::sleep_for(kTickEvery);
    }
  });
}

void MethodTest::stop() {
  if (engine) engine->stop();
  ticking_ = false;
  if (ticker_.joinable()) ticker_.join();
  if (store) {
    EXPECT_TRUE(store->close().ok());
  }
  core.reset();
  loop.reset();
  door.reset();
  engine.reset();
  store.reset();
  metrics.reset();
}

void MethodTest::restart() {
  stop();
  start();
}

void MethodTest::TearDown() {
  stop();
  for (const auto& [method, call] : made_) EXPECT_TRUE(call.expired()) << method << " holds its call for ever";
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

std::shared_ptr<FakeCall> MethodTest::begin(std::string_view service, std::string_view method, std::string bytes,
                                            std::map<std::string, std::string> metadata) {
  auto call = std::make_shared<FakeCall>(*core, std::move(bytes), std::move(metadata));
  call->caller = caller;
  call->connection = connection;
  made_.emplace_back(method, call);
  const Method* found = method_of(service, method);
  if (found == nullptr) {
    ADD_FAILURE() << "no method " << service << "/" << method;
    call->refuse({});
    return call;
  }
  call->method = found->run;
  found->run(call);
  return call;
}

}  // namespace muster::rpc
