#include "fronts/http/rpc.h"

#include <algorithm>
#include <utility>

#include "base/header_text.h"
#include "fronts/http/core.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/grpc_web.h"

namespace muster::http {
namespace {

constexpr std::string_view kExposed = "grpc-status, grpc-message, grpc-status-details-bin";
constexpr std::string_view kAccepted = "authorization, content-type, x-grpc-web, x-user-agent, grpc-timeout, x-correlation-id";
constexpr std::size_t kAskedHeadersBytesMax = 1'024;

void expose_headers(const Exchange& exchange, Response& response) {
  if (exchange.origin_accepted) response.headers.emplace_back("Access-Control-Expose-Headers", std::string(kExposed));
}

std::string_view header(const Exchange& exchange, std::string_view name) {
  for (const auto& [key, value] : exchange.request().metadata)
    if (key == name) return value;
  return {};
}

void answer_call(Exchange& exchange, grpc_web::Form form, RpcAnswer answer) {
  grpc_web::Ending ending{.code = answer.code,
                          .message = std::move(answer.message),
                          .details = std::move(answer.details),
                          .metadata = std::move(answer.metadata)};
  Response response{.status = 200,
                    .content_type = grpc_web::content_type(form),
                    .body = grpc_web::write_body(form, answer.response, ending),
                    .headers = {}};
  // Errors stand in the headers too: some clients look there, others at the trailers.
  if (ending.code != 0) {
    response.headers.emplace_back("grpc-status", std::to_string(ending.code));
    response.headers.emplace_back("grpc-message", percent_encoded(ending.message));
    if (!ending.details.empty()) response.headers.emplace_back("grpc-status-details-bin", to_unpadded_base64(ending.details));
  }
  expose_headers(exchange, response);
  exchange.answer(std::move(response));
}

}  // namespace

bool is_rpc_path(const Target& target) {
  return target.segments.size() == 2 && target.segments.front().find('.') != std::string::npos;
}

void answer_rpc_preflight(Exchange& exchange) {
  Response response{.status = 204, .body = {}, .headers = {{"Allow", "POST, OPTIONS"}}};
  expose_headers(exchange, response);
  const std::string_view asked = header(exchange, "access-control-request-headers");
  const bool echo = !asked.empty() && asked.size() <= kAskedHeadersBytesMax;
  response.headers.emplace_back("Access-Control-Allow-Methods", "POST, OPTIONS");
  response.headers.emplace_back("Access-Control-Allow-Headers", std::string(echo ? asked : kAccepted));
  response.headers.emplace_back("Access-Control-Max-Age", "600");
  exchange.answer(std::move(response));
}

void serve_rpc(ExchangePtr exchange, Status authenticated) {
  const auto form = grpc_web::form_of(exchange->request().content_type);
  if (!form)
    return exchange->fail(
        415, Status::invalid_argument("calls are accepted as application/grpc-web, and over HTTP/2 as application/grpc"));
  RpcRequest request{.path = exchange->target.path,
                     .message = {},
                     .metadata = exchange->request().metadata,
                     .timeout = std::string(header(*exchange, "grpc-timeout")),
                     .caller = exchange->credential.caller,
                     .refused = std::move(authenticated)};
  if (request.refused.ok()) {
    auto message = grpc_web::read_message(*form, exchange->body());
    if (message.ok())
      request.message = *std::move(message);
    else
      request.refused = message.status();
  }
  Core& core = exchange->core();
  const std::shared_ptr<Exchange> shared = std::move(exchange);  // shared by the reply and this function
  auto cancel = std::make_shared<UniqueFunction<void()>>(core.rpc(std::move(request), [shared, form = *form](RpcAnswer answer) {
    on_loop(shared->core().loop,
            [shared, form, answer = std::move(answer)]() mutable { answer_call(*shared, form, std::move(answer)); });
  }));
  if (*cancel) shared->cancel_with([cancel] { (*cancel)(); });
}

}  // namespace muster::http
