#include "tests/claude/stand_in.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <mutex>
#include <thread>
#include <utility>

#include "base/ascii.h"
#include "tests/claude/batches.h"
#include "tests/claude/journal.h"

namespace muster::stand_in {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Error = boost::system::error_code;

constexpr std::size_t kRequestBytesMax = 512 * 1024 * 1024;
constexpr std::size_t kBufferBytes = 4 * 1024;  // of each connection
constexpr std::string_view kBatchesPath = "/v1/messages/batches";

std::string head_of(const Plan& plan) {
  std::string head = fmt::format("HTTP/1.1 {} Scripted\r\nContent-Type: {}\r\n", plan.status, plan.content_type);
  for (const auto& [name, value] : plan.headers) head += name + ": " + value + "\r\n";
  if (plan.events != nullptr) return head + "Transfer-Encoding: chunked\r\n\r\n";
  return head + fmt::format("Content-Length: {}\r\n\r\n", plan.body.size());
}

std::string chunk_of(std::string_view bytes) { return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes); }

}  // namespace

class StandIn::Server {
 public:
  explicit Server(Options options) : options_(std::move(options)), journal_(options_.keep_bodies) {}
  ~Server() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status start() {
    if (auto wrong = script_.load(options_.script.empty() ? Script::demo() : options_.script))
      return Status::invalid_argument("not a script: " + *wrong);
    try {
      const tcp::endpoint at(asio::ip::make_address(options_.host), options_.port);
      acceptor_.open(at.protocol());
      acceptor_.set_option(tcp::acceptor::reuse_address(true));
      acceptor_.bind(at);
      acceptor_.listen(4'096);
      port = acceptor_.local_endpoint().port();
    } catch (const std::exception& error) {
      return Status::unavailable(error.what());
    }
    asio::co_spawn(io_, accept(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
    return Status();
  }

  const Journal& journal() const { return journal_; }
  std::string address() const { return fmt::format("{}:{}", options_.host, port); }

  std::uint16_t port = 0;
  std::atomic<std::size_t> accepted = 0;
  std::atomic<std::size_t> open = 0;

 private:
  using Request = http::request<http::string_body>;

  asio::awaitable<void> accept() {
    for (;;) {
      tcp::socket socket = co_await acceptor_.async_accept(asio::use_awaitable);
      ++accepted;
      ++open;
      socket.set_option(tcp::no_delay(true));
      asio::co_spawn(io_, serve(std::move(socket)), [this](std::exception_ptr) { --open; });
    }
  }

  // What throws here is the connection's end.
  asio::awaitable<void> serve(tcp::socket socket) {
    boost::beast::flat_buffer buffer;
    for (;;) {
      buffer.reserve(kBufferBytes);
      std::optional<http::request_parser<http::string_body>> parser(std::in_place);
      parser->body_limit(kRequestBytesMax);
      co_await http::async_read(socket, buffer, *parser, asio::use_awaitable);
      const bool keeps = parser->get().keep_alive();
      const Plan plan = answer(parser->release());
      parser.reset();
      buffer.consume(buffer.size());
      if (!co_await send(socket, plan) || !keeps) co_return;
    }
  }

  Plan answer(Request request) {
    try {
      return answer_or_throw(std::move(request));
    } catch (const std::exception& error) {
      return error_plan(400, "invalid_request_error", error.what());
    }
  }

  Plan answer_or_throw(Request request) {
    const std::string path(request.target());
    if (path == "/journal") {
      if (request.method() == http::verb::delete_) journal_.forget();
      return {.content_type = "application/x-jsonl", .body = journal_.lines()};
    }
    Seen seen{.method = std::string(request.method_string()), .path = path, .body = request.body()};
    for (const auto& field : request) {
      const std::string name = lower(std::string_view(field.name_string().data(), field.name_string().size()));
      (name == "x-api-key" ? seen.key : seen.headers[name]) = std::string(field.value());
    }
    const bool let_in = !seen.key.empty() && (options_.key.empty() || seen.key == options_.key);
    const std::string method = seen.method;
    journal_.add(std::move(seen));
    if (!let_in) return error_plan(401, "authentication_error", "invalid x-api-key");
    const Json body = request.body().empty() ? Json::object() : Json::parse(request.body());
    if (method == "POST" && path == "/v1/messages") return script_.answer_message(body);
    if (method == "POST" && path == "/v1/messages/count_tokens") return script_.count_tokens(body, request.body().size());
    if (path.starts_with(kBatchesPath))
      if (auto plan = batches_.answer(method, std::string_view(path).substr(kBatchesPath.size()), body, address()))
        return *std::move(plan);
    return error_plan(404, "not_found_error", "no such path");
  }

  asio::awaitable<void> pause(Milliseconds time) {
    asio::steady_timer timer(io_, time);
    co_await timer.async_wait(asio::use_awaitable);
  }

  asio::awaitable<void> write(tcp::socket& socket, std::string bytes, std::size_t piece_bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = piece_bytes == 0 ? bytes.size() : std::min(piece_bytes, bytes.size() - at);
      co_await asio::async_write(socket, asio::buffer(bytes.data() + at, piece), asio::use_awaitable);
      at += piece;
    }
  }

  // False: the connection is over.
  asio::awaitable<bool> send(tcp::socket& socket, const Plan& plan) {
    if (plan.delay.count() > 0) co_await pause(plan.delay);
    if (plan.ending == Ending::dropped && plan.events_max == 0) co_return false;
    if (plan.ending == Ending::dropped && plan.events == nullptr) co_return false;
    if (plan.events == nullptr) {
      co_await write(socket, head_of(plan) + plan.body, plan.piece_bytes);
      co_return true;
    }
    co_await send_events(socket, plan);
    if (plan.ending == Ending::dropped) co_return false;
    if (plan.ending == Ending::silent) {
      char byte = 0;  // the other side hangs up one day
      co_await socket.async_read_some(asio::buffer(&byte, 1), asio::use_awaitable);
      co_return false;
    }
    co_return true;
  }

  asio::awaitable<void> send_events(tcp::socket& socket, const Plan& plan) {
    const std::size_t count = std::min(plan.events->size(), plan.events_max);
    std::string bytes = head_of(plan);
    for (std::size_t i = 0; i < count; ++i) {
      if (plan.between.count() > 0) {
        co_await write(socket, std::exchange(bytes, {}), plan.piece_bytes);
        co_await pause(plan.between);
      }
      bytes += chunk_of((*plan.events)[i]);
    }
    if (plan.ending == Ending::whole || plan.ending == Ending::truncated) bytes += "0\r\n\r\n";
    co_await write(socket, std::move(bytes), plan.piece_bytes);
  }

  const Options options_;
  Script script_;
  Journal journal_;
  Batches batches_{script_};
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  std::thread thread_;
};

StandIn::StandIn(std::unique_ptr<Server> server) : server_(std::move(server)) {}
StandIn::~StandIn() = default;

Result<std::unique_ptr<StandIn>> StandIn::start(Options options) {
  auto server = std::make_unique<Server>(std::move(options));
  if (Status started = server->start(); !started.ok()) return started;
  return std::unique_ptr<StandIn>(new StandIn(std::move(server)));
}

std::uint16_t StandIn::port() const { return server_->port; }
std::string StandIn::url() const { return "http://" + server_->address(); }
std::vector<Seen> StandIn::seen() const { return server_->journal().all(); }
std::size_t StandIn::seen(std::string_view path) const { return server_->journal().count(path); }
std::size_t StandIn::connections() const { return server_->accepted; }
std::size_t StandIn::open_connections() const { return server_->open; }

}  // namespace muster::stand_in
