#include "fronts/http/exchange.h"

#include <utility>

#include "base/log.h"
#include "fronts/http/core.h"
#include "fronts/http/gzip.h"
#include "fronts/http/problem.h"
#include "fronts/http/return_path.h"
#include "fronts/http/routes.h"
#include "fronts/http/rpc.h"

namespace muster::http {

Exchange::Exchange(std::shared_ptr<Core> core, std::weak_ptr<ReturnPath> session, std::uint64_t number, Request request)
    : core_(std::move(core)),
      session_(std::move(session)),
      number_(number),
      request_(std::move(request)),
      started_(core_->loop.clock().elapsed()) {
  if (const auto alive = session_.lock()) peer_address_ = alive->peer_address();
}

Exchange::~Exchange() {
  if (answered_ || session_.expired() || !core_->loop.running()) return;
  try {
    let_go();
  } catch (...) {
    const Incident incident(core_->incidents, name());
  }
}

// On any thread, and perhaps while an exception unwinds the stack: nothing is done here but to leave a message.
void Exchange::let_go() {
  Response response = problem(http_status(Code::internal), unanswered(core_->incidents, name()), target.path);
  core_->loop.post([core = core_, session = session_, number = number_, from = route,
                    took = core_->loop.clock().elapsed() - started_, head_only = request_.method == Method::head,
                    response = std::move(response)]() mutable {
    core->measure(from, response.status, took);
    if (const auto alive = session.lock())
      alive->answer(number, {.response = std::move(response), .grants = {}, .head_only = head_only, .gzip_allowed = false});
  });
}

std::string_view Exchange::name() const { return route == nullptr ? std::string_view("request") : route->pattern; }

Instant Exchange::now() const { return core_->door.clock().now(); }

void Exchange::answer(Response response, std::vector<Grant> grants) {
  core_->loop.assert_inside();
  answered_ = true;
  core_->measure(route, response.status, core_->loop.clock().elapsed() - started_);
  const auto session = session_.lock();
  if (!session) return core_->door.delivery().hand_back(grants);
  if (origin_accepted) {
    response.headers.emplace_back("Access-Control-Allow-Origin", request_.origin);
    response.headers.emplace_back("Vary", "Origin");
  }
  const bool encoded = response.encoded;
  session->answer(number_, {.response = std::move(response),
                            .grants = std::move(grants),
                            .head_only = request_.method == Method::head,
                            .gzip_allowed = !encoded && !is_rpc_path(target) && accepts_gzip(request_.accept_encoding)});
}

void Exchange::fail(const Status& status) { fail(http_status(status.code()), status); }

void Exchange::fail(unsigned http_status, const Status& status, std::vector<std::pair<std::string_view, std::string>> headers) {
  if (http_status >= 500 && status.code() != Code::unavailable)
    log::error("a request failed", {{"type", std::string(route == nullptr ? "" : route->pattern)},
                                    {"code", std::string(to_string(status.code()))},
                                    {"detail", status.message()}});
  Response response = problem(http_status, status, target.path);
  for (auto& header : headers) response.headers.push_back(std::move(header));
  answer(std::move(response));
}

void Exchange::upgrade(const UpgradeHandler& handler) {
  const auto session = session_.lock();
  net::Connection* const connection = session ? session->to_itself(number_) : nullptr;
  if (connection == nullptr)
    return fail(400, Status::invalid_argument("an upgrade is the only request of its connection, which speaks HTTP/1.1"));
  auto judged = handler(request_, *connection);
  if (auto* refusal = std::get_if<UpgradeRefusal>(&judged))
    return fail(refusal->status, refusal->why, std::move(refusal->headers));
  answered_ = true;
  core_->measure(route, 101, core_->loop.clock().elapsed() - started_);
  session->become(std::move(std::get<UpgradeTaken>(judged)));
}

void Exchange::stream(EventRequest request, std::uint64_t after) {
  answered_ = true;
  core_->measure(route, 200, core_->loop.clock().elapsed() - started_);
  const auto session = session_.lock();
  if (!session) return;
  Response response{.status = 200, .content_type = "text/event-stream", .body = {}, .headers = {{"Cache-Control", "no-store"}}};
  session->stream(number_, {.response = std::move(response),
                            .filter = std::move(request.filter),
                            .after = after,
                            .pace = request.pace,
                            .credential = credential,
                            .head_only = request_.method == Method::head});
}

void Exchange::stream(OpenStream open) {
  Response response{.status = 200, .content_type = "text/event-stream", .body = {}, .headers = {{"Cache-Control", "no-store"}}};
  if (request_.method == Method::head) return answer(std::move(response));
  const auto session = session_.lock();
  net::Connection* const connection = session ? session->to_stream_on(number_) : nullptr;
  if (connection == nullptr) return fail(Status::invalid_argument("a stream is the only request of its connection"));
  auto opened = open(*connection);
  if (!opened.ok()) return fail(opened.status());
  answered_ = true;
  core_->measure(route, response.status, core_->loop.clock().elapsed() - started_);
  if (origin_accepted) {
    response.headers.emplace_back("Access-Control-Allow-Origin", request_.origin);
    response.headers.emplace_back("Vary", "Origin");
  }
  session->become_stream(response, *std::move(opened));
}

void Exchange::when_room(UniqueFunction<void()> begin) {
  if (const auto session = session_.lock()) session->begin_long(number_, std::move(begin));
}

void Exchange::wait_with(std::function<void()> give_up) {
  if (const auto session = session_.lock()) return session->wait_with(number_, std::move(give_up), true);
  give_up();
}

void Exchange::cancel_with(std::function<void()> give_up) {
  if (const auto session = session_.lock()) return session->wait_with(number_, std::move(give_up), false);
  give_up();
}

bool Exchange::peer_gone() const {
  const auto session = session_.lock();
  return !session || session->peer_gone();
}

}  // namespace muster::http
