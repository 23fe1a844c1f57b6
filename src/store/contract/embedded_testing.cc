#include "store/contract/embedded_testing.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <future>

#include <fmt/format.h>

#include "base/check.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/temp_folder_testing.h"

namespace muster::store::contract {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "muster.db";
constexpr Duration kNoteEvery{100};
// Fixed per process, and another one for each store: ids and jitter come from it.
std::uint64_t next_seed() {
  static std::atomic<std::uint64_t> seed = 0;
  return ++seed;
}

class EmbeddedHarness final : public Harness {
 public:
  EmbeddedHarness(sqlite::Threading threading, const ManualClock* shared_clock)
      : threading_(threading), shared_clock_(shared_clock) {}

  Status open() { return open_in(fresh_folder() / kFileName); }
  Status open_in(const fs::path& file) {
    file_ = file;
    sqlite::Options options;
    options.path = file.string();
    options.durability = sqlite::Durability::normal;
    options.threading = threading_;
    options.seed = seed_;
    options.listening = shared_clock_ != nullptr ? nullptr : &listening_;
    auto opened = sqlite::SqliteStore::open(std::move(options), clock(), metrics_);
    if (!opened.ok()) return opened.status();
    store_ = std::move(*opened);
    store_->set_listener(listener_);
    return {};
  }

  Store& store() override { return *store_; }
  Instant now() const override { return clock().now(); }
  // Once there was a pause somebody notes that the process listens, as the server does.
  void advance(Duration by) override {
    if (!notes_) return clock_.advance(by);
    await_writer();  // a jump while it commits would look like a disk that is stuck
    for (; by > Duration(0); by -= kNoteEvery) {
      clock_.advance(std::min(by, kNoteEvery));
      listening_.note();
    }
  }
  void pause(Duration by) override {
    await_writer();
    notes_ = true;
    listening_.note();
    clock_.advance(by);
    listening_.note();
  }

  Status restart() override {
    const Status closed = store_->close();
    store_.reset();
    if (!closed.ok()) return closed;
    return open_in(file_);
  }

  // A killed process leaves the files as they are at that instant. They are copied elsewhere, since the abandoned store
  // still lives here and would tidy up; the shared-memory file is left out as after a power cut, where it does not exist.
  Status crash() override {
    await_writer();
    const fs::path next = fresh_folder();
    for (const auto& entry : fs::directory_iterator(file_.parent_path()))
      if (entry.is_regular_file() && !entry.path().string().ends_with("-shm"))
        fs::copy(entry.path(), next / entry.path().filename());
    store_.reset();
    return open_in(next / file_.filename());
  }

  bool pump() override { return threading_ == sqlite::Threading::manual && store_->pump(); }
  bool threaded() const override { return threading_ == sqlite::Threading::own; }
  void listen(Listener* listener) override {
    listener_ = listener;
    store_->set_listener(listener);
  }
  std::string scratch_path(std::string_view name) const override { return folder_.path(name); }

  Result<std::unique_ptr<Harness>> open_backup(const std::string& path) override {
    auto copy = std::make_unique<EmbeddedHarness>(threading_, &clock_);
    const Status opened = copy->open_in(path);
    if (!opened.ok()) return opened;
    return std::unique_ptr<Harness>(std::move(copy));
  }

 private:
  const Clock& clock() const { return shared_clock_ != nullptr ? *shared_clock_ : clock_; }

  fs::path fresh_folder() {
    const fs::path path = folder_.path(fmt::format("data{}", generation_++));
    fs::create_directory(path);
    return path;
  }

  // Claims are answered before their commit; a verb that moves nothing comes after it.
  void await_writer() {
    if (!threaded()) {
      while (store_->pump()) continue;
      return;
    }
    auto done = std::make_shared<std::promise<void>>();
    store_->promote_due(0, [done](Result<SweepReport>) { done->set_value(); });
    done->get_future().wait();
  }

  const sqlite::Threading threading_;
  const ManualClock* const shared_clock_;
  const std::uint64_t seed_ = next_seed();
  TempFolder folder_;
  ManualClock clock_;
  ListeningClock listening_{clock_};
  bool notes_ = false;
  Metrics metrics_;
  Listener* listener_ = nullptr;
  fs::path file_;
  std::size_t generation_ = 0;
  std::unique_ptr<sqlite::SqliteStore> store_;
};

}  // namespace

HarnessMaker embedded_store(sqlite::Threading threading) {
  return [threading]() -> Result<std::unique_ptr<Harness>> {
    log::set_level(log::Level::warn);  // crashes are on purpose here
    auto harness = std::make_unique<EmbeddedHarness>(threading, nullptr);
    const Status opened = harness->open();
    if (!opened.ok()) return opened;
    return std::unique_ptr<Harness>(std::move(harness));
  };
}

}  // namespace muster::store::contract
