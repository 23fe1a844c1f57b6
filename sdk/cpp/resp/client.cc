#include "sdk/cpp/resp/client.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace muster::sdk::resp {
namespace {

Deadline in(std::chrono::milliseconds wait) { return std::chrono::steady_clock::now() + wait; }

bool ends_connection(const Error& error) { return error.code != Code::unavailable && error.code != Code::interrupted; }

}  // namespace

Client::Client(ClientOptions options) : options_(std::move(options)), wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Client::~Client() {
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

void Client::close() {
  stream_.reset();
  parser_ = Parser();
  resp3_ = false;
}

void Client::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_fd_, &one, sizeof one);  // full means: already awake
}

Result<Nothing> Client::connect() {
  if (connected()) return Nothing{};
  close();
  auto stream = Stream::open(options_.address, options_.tls, in(options_.connect_timeout));
  if (!stream.ok()) return stream.error();
  stream_ = std::move(*stream);
  auto greeted = greet();
  if (!greeted.ok()) close();
  return greeted;
}

Result<Nothing> Client::greet() {
  if (!options_.key.empty()) {
    const bool named = !options_.user.empty();
    auto reply =
        exchange(named ? Words{"AUTH", options_.user, options_.key} : Words{"AUTH", options_.key}, options_.call_timeout);
    // A server of the older kind knows only keys.
    if (named && reply.ok() && reply->is_error() && reply->text.find("exactly one argument") != std::string::npos)
      reply = exchange({"AUTH", options_.key}, options_.call_timeout);
    if (!reply.ok()) return reply.error();
    if (!reply->is_ok()) return Error{.code = Code::unauthenticated, .detail = reply->text};
  }
  if (options_.resp3) {
    const auto reply = exchange({"HELLO", "3"}, options_.call_timeout);
    if (!reply.ok()) return reply.error();
    resp3_ = !reply->is_error();
  }
  return Nothing{};
}

Result<Value> Client::exchange(const Words& words, std::chrono::milliseconds wait) {
  if (auto sent = send(words); !sent.ok()) return sent.error();
  const Deadline deadline = in(wait);
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    auto reply = receive(std::max(left, std::chrono::milliseconds(0)));
    if (!reply.ok() && reply.error().code == Code::interrupted) continue;  // a wake-up is for waits, not for answers that are due
    if (!reply.ok() && reply.error().code == Code::unavailable) {
      close();  // the answer may still come; nothing else can be read before it
      return Error{.code = Code::outcome_unknown,
                   .detail = fmt::format("no answer to {} within {} ms", words.front(), wait.count())};
    }
    return reply;
  }
}

Result<Value> Client::call(const Words& words) {
  if (auto open = connect(); !open.ok()) return open.error();
  return exchange(words, options_.call_timeout);
}

Result<Nothing> Client::send(const Words& words) {
  if (!connected()) return Error{.code = Code::unreachable, .detail = "not connected"};
  std::string frame;
  append_command(frame, words);
  auto sent = stream_->write(frame, in(options_.call_timeout));
  if (!sent.ok()) close();
  return sent;
}

Result<Value> Client::receive(std::chrono::milliseconds wait) {
  const Deadline deadline = in(wait);
  while (true) {
    if (!connected()) return Error{.code = Code::outcome_unknown, .detail = "the connection is closed"};
    auto value = parser_.next();
    if (!value.ok()) {
      close();
      return value.error();
    }
    if (value->has_value() && (*value)->kind == Value::Kind::push) {
      if (push_) push_(std::move(**value));
      continue;
    }
    if (value->has_value()) return std::move(**value);
    std::string bytes;
    if (auto got = stream_->read(bytes, deadline, wake_fd_); !got.ok()) {
      if (ends_connection(got.error())) close();
      if (got.error().code == Code::interrupted) {
        std::uint64_t count = 0;
        [[maybe_unused]] const ssize_t drained = ::read(wake_fd_, &count, sizeof count);
      }
      return got.error();
    }
    parser_.feed(bytes);
  }
}

Result<Nothing> Client::read_pushes() {
  if (!connected()) return Error{.code = Code::unreachable, .detail = "not connected"};
  const auto value = receive(std::chrono::milliseconds(0));
  if (value.ok()) {
    close();
    return Error{.code = Code::bad_reply, .detail = "an answer that nobody asked for"};
  }
  if (ends_connection(value.error())) return value.error();
  return Nothing{};
}

}  // namespace muster::sdk::resp
