#include "worker/fake_server_testing.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "base/patience_testing.h"
#include "sdk/cpp/resp/parser.h"

namespace muster::worker {
namespace {

using namespace std::chrono_literals;

constexpr int kStepMs = 5;

bool readable(int fd) {
  pollfd polled{fd, POLLIN, 0};
  return ::poll(&polled, 1, kStepMs) > 0;
}

Words words_of(const sdk::resp::Value& value) {
  Words words;
  for (const auto& item : value.items) words.push_back(item.text);
  return words;
}

}  // namespace

std::string bulk(const std::string& text) { return fmt::format("${}\r\n{}\r\n", text.size(), text); }

FakeServer::FakeServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof to;
  EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&to), size), 0);
  EXPECT_EQ(::listen(listener_, 16), 0);
  EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&to), &size), 0);
  address_ = {.host = "127.0.0.1", .port = ntohs(to.sin_port)};
  acceptor_ = std::thread([this] { accept_forever(); });
}

FakeServer::~FakeServer() {
  stopping_ = true;
  acceptor_.join();
  close_connections();
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  ::close(listener_);
}

void FakeServer::accept_forever() {
  while (!stopping_) {
    if (!readable(listener_)) continue;
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    if (!accepting_) {
      ::close(fd);
      continue;
    }
    ++connections_;
    const std::lock_guard lock(mutex_);
    open_[fd] = false;
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void FakeServer::close_connections() {
  const std::lock_guard lock(mutex_);
  for (const auto& [fd, resp3] : open_) ::shutdown(fd, SHUT_RDWR);
}

void FakeServer::push(std::string element) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(element));
}

void FakeServer::answer(const std::string& name, std::function<std::string(const Words&)> with) {
  const std::lock_guard lock(mutex_);
  answers_[name] = std::move(with);
}

void FakeServer::send_push(std::string frame) {
  const std::lock_guard lock(mutex_);
  push_ = std::move(frame);
}

std::vector<Words> FakeServer::said(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  std::vector<Words> out;
  for (const Words& words : log_)
    if (words.front() == name) out.push_back(words);
  return out;
}

std::vector<std::string> FakeServer::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const Words& words : log_) out.push_back(words.front());
  return out;
}

bool FakeServer::wait_for(const std::function<bool()>& condition) const {
  const auto deadline = std::chrono::steady_clock::now() + patience();
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(kStepMs));
  }
  return true;
}

bool FakeServer::wait_said(const std::string& name, std::size_t times) const {
  return wait_for([&] { return said(name).size() >= times; });
}

void FakeServer::serve(int fd) {
  sdk::resp::Parser parser;
  Unread unread;
  while (!stopping_) {
    parser.feed(unread.bytes);
    unread.bytes.clear();
    auto value = parser.next();
    if (!value.ok()) break;
    if (value->has_value()) {
      const Words words = words_of(**value);
      {
        const std::lock_guard lock(mutex_);
        log_.push_back(words);
      }
      changed_.notify_all();
      unread.behind = !parser.empty();
      const std::string reply = reply_to(words, fd, unread);
      if (reply.empty() || ::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) break;
      continue;
    }
    if (!readable(fd)) continue;
    std::array<char, 65536> chunk{};
    const ssize_t got = ::recv(fd, chunk.data(), chunk.size(), 0);
    if (got <= 0) break;
    unread.bytes.append(chunk.data(), static_cast<std::size_t>(got));
  }
  const std::lock_guard lock(mutex_);
  open_.erase(fd);
  ::close(fd);
}

std::string FakeServer::reply_to(const Words& words, int fd, Unread& unread) {
  const std::string& name = words.front();
  {
    std::unique_lock lock(mutex_);
    if (const auto found = answers_.find(name); found != answers_.end()) {
      const auto with = found->second;
      lock.unlock();
      return with(words);
    }
    if (name == "HELLO") open_[fd] = true;
  }
  if (name == "HELLO") return "%0\r\n";
  if (name == "WORKER.REGISTER") return "+OK worker_id=w heartbeat_interval=30\r\n";
  if (name == "JOBS.SEARCH") return "-ERR unknown command 'JOBS.SEARCH'\r\n";
  if (name == "LRANGE") return "*0\r\n";
  if (name == "GET") return "$-1\r\n";
  if (name == "BRPOP") return pop(words, fd, unread);
  return "+OK\r\n";
}

std::string FakeServer::pop(const Words& words, int fd, Unread& unread) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(std::stoi(words.back()));
  while (!stopping_ && (endless_pops_ || std::chrono::steady_clock::now() < deadline)) {
    {
      const std::lock_guard lock(mutex_);
      if (!push_.empty() && open_[fd]) {
        ::send(fd, push_.data(), push_.size(), MSG_NOSIGNAL);
        push_.clear();
      }
      if (!queue_.empty()) {
        const std::string element = queue_.front();
        queue_.pop_front();
        return open_[fd] ? "*2\r\n" + bulk(words[1]) + bulk(element) : bulk(element);
      }
    }
    if (unread.behind) return "$-1\r\n";
    if (!readable(fd)) continue;
    // Something behind a blocked pop: the client no longer waits for it, or is gone.
    std::array<char, 4096> chunk{};
    const ssize_t got = ::recv(fd, chunk.data(), chunk.size(), 0);
    if (got <= 0) return "";
    unread.bytes.append(chunk.data(), static_cast<std::size_t>(got));
    return "$-1\r\n";
  }
  return "$-1\r\n";
}

}  // namespace muster::worker
