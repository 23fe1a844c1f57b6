#include "fronts/resp/front_testing.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "fronts/resp/clients.h"

namespace muster::resp {
namespace {

constexpr int kKernelKeeps = 256 * 1024;  // bytes that came and nobody has read

constexpr Duration kTickEvery{2};

// Where the reply that begins at `from` ends; npos: not all of it is here yet.
std::size_t end_of_reply(std::string_view bytes, std::size_t from) {
  const std::size_t line = bytes.find("\r\n", from);
  if (line == std::string_view::npos) return line;
  const std::string_view head = bytes.substr(from + 1, line - from - 1);
  const char type = bytes[from];
  long long count = 0;
  std::from_chars(head.data(), head.data() + head.size(), count);
  std::size_t at = line + 2;
  if (type == '$' || type == '=' || type == '!') {
    if (count < 0) return at;
    at += static_cast<std::size_t>(count) + 2;
    return at <= bytes.size() ? at : std::string_view::npos;
  }
  if (type != '*' && type != '%' && type != '~' && type != '>') return at;
  for (long long i = 0; i < (type == '%' ? 2 * count : count); ++i) {
    if (at >= bytes.size()) return std::string_view::npos;
    at = end_of_reply(bytes, at);
    if (at == std::string_view::npos) return at;
  }
  return at;
}

}  // namespace

std::string frame(const std::vector<std::string>& words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) out += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  return out;
}

Wire::Wire(std::uint16_t port, const std::string& from) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // Left alone, some kernels take tens of megabytes for a peer that does not read, and the server would never hold any.
  const int kept = kKernelKeeps;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &kept, sizeof kept);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, from.c_str(), &address.sin_addr);
  EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connect_to(&address, sizeof address);
}

Wire::Wire(const std::string& unix_path) {
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, unix_path.c_str(), sizeof address.sun_path - 1);
  connect_to(&address, sizeof address);
}

Wire::Wire(Wire&& other) noexcept { *this = std::move(other); }

Wire& Wire::operator=(Wire&& other) noexcept {
  if (this == &other) return *this;
  close();
  socket_ = std::exchange(other.socket_, -1);
  connected_ = other.connected_;
  ended_ = other.ended_;
  input_ = std::move(other.input_);
  return *this;
}

Wire::~Wire() { close(); }

void Wire::connect_to(const void* address, std::size_t size) {
  const timeval limit = socket_patience();
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  connected_ = ::connect(socket_, static_cast<const sockaddr*>(address), static_cast<socklen_t>(size)) == 0;
}

void Wire::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t taken = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (taken <= 0) return;  // the server closed; the test sees it by what it reads
    bytes.remove_prefix(static_cast<std::size_t>(taken));
  }
}

bool Wire::fill() {
  if (ended_) return false;
  std::array<char, 16 * 1024> chunk{};
  const ssize_t got = ::recv(socket_, chunk.data(), chunk.size(), 0);
  if (got <= 0) {
    ended_ = got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    return false;
  }
  input_.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

std::string Wire::read(std::size_t bytes) {
  while (input_.size() < bytes && fill()) {
  }
  const std::size_t got = std::min(bytes, input_.size());
  std::string out = input_.substr(0, got);
  input_.erase(0, got);
  return out;
}

std::string Wire::read_reply() {
  for (;;) {
    const std::size_t end = input_.empty() ? std::string::npos : end_of_reply(input_, 0);
    if (end != std::string::npos) return read(end);
    if (!fill()) return std::exchange(input_, {});
  }
}

std::string Wire::read_to_end() {
  while (fill()) {
  }
  return std::exchange(input_, {});
}

bool Wire::closed() { return input_.empty() && !fill() && ended_; }

bool Wire::answered() const {
  if (!input_.empty()) return true;
  pollfd arrived{.fd = socket_, .events = POLLIN, .revents = 0};
  return ::poll(&arrived, 1, 0) != 0;
}

void Wire::finish_sending() { ::shutdown(socket_, SHUT_WR); }

void Wire::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void Wire::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

std::string Wire::call(const std::vector<std::string>& words) { return call_bytes(frame(words)); }

std::string Wire::call_bytes(std::string_view bytes) {
  send(bytes);
  return read_reply();
}

FrontTest::FrontTest() {
  std::string pattern = (std::filesystem::temp_directory_path() / "muster-resp-XXXXXX").string();
  folder = ::mkdtemp(pattern.data());
}

void FrontTest::start(RespOptions options) {
  if (options.addresses.empty()) options.addresses.push_back({.host = "127.0.0.1"});
  options.keys.insert(options.keys.begin(),
                      {.name = "operator", .role = command::Role::operator_role, .secret = kTestKey, .worker = {}});
  options_ = options;
  metrics = std::make_unique<Metrics>();
  auto opened = store::sqlite::SqliteStore::open(
      {.path = folder + "/muster.db", .durability = store::sqlite::Durability::normal, .seed = 1}, clock, *metrics);
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  store = *std::move(opened);
  throwing = std::make_unique<store::ThrowingStore>(*store);
  engine = std::make_unique<engine::Engine>(*throwing, clock, *metrics, engine_options);
  door = std::make_unique<command::Door>(*engine, facts, *metrics);
  loop = std::make_unique<net::IoLoop>(clock);
  auto started = RespFront::start(*loop, *door, *metrics, std::move(options));
  ASSERT_TRUE(started.ok()) << started.status().text();
  front = *std::move(started);
  loop->start();
  ticking_ = true;
  ticker_ = std::thread([this] { tick_until_stopped(); });
}

void FrontTest::tick_until_stopped() {
  while (ticking_) {
    engine->tick();
    std::this_thread::sleep_for(kTickEvery);
  }
}

void FrontTest::restart() {
  stop_all();
  RespOptions options = std::move(options_);
  options.keys.erase(options.keys.begin());
  start(std::move(options));
}

void FrontTest::stop_all() {
  if (front) front->stop(Duration(0));
  if (engine) engine->stop();
  ticking_ = false;
  if (ticker_.joinable()) ticker_.join();
  if (loop) loop->stop();
  if (store) {
    EXPECT_TRUE(store->close().ok());
  }
  front.reset();
  loop.reset();
  door.reset();
  engine.reset();
  throwing.reset();
  store.reset();
  metrics.reset();
}

void FrontTest::TearDown() {
  stop_all();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

std::uint16_t FrontTest::port() const {
  const std::string address = front->addresses().front();
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

Wire FrontTest::authenticate(const std::vector<std::string>& arguments) {
  Wire wire = connect();
  std::vector<std::string> words{"AUTH"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  EXPECT_EQ(wire.call(words), "+OK\r\n");
  return wire;
}

Wire FrontTest::operate() { return authenticate({kTestKey}); }

bool FrontTest::waits(std::size_t count) {
  return eventually([&] {
    std::size_t waiting = 0;
    on_loop([&] { waiting = core().clients->waiting(); });
    return waiting == count;
  });
}

void FrontTest::on_loop(UniqueFunction<void()> work) {
  std::promise<void> done;
  loop->post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace muster::resp
