// How a row of the route table is made from a decoder and an encoder: decode, hand to the command, encode on the loop's thread.
#pragma once

#include <type_traits>
#include <utility>

#include "base/reply.h"
#include "command/context.h"
#include "command/scope.h"
#include "fronts/http/core.h"
#include "fronts/http/exchange.h"
#include "fronts/http/json/writer.h"

namespace muster::http {

// Runs `work` now when this is the loop's thread, else there. Encoding belongs to the loop: store threads are for the store.
template <class Work>
void on_loop(net::IoLoop& loop, Work work) {
  if (loop.inside()) return work();
  loop.post(std::move(work));
}

// On the loop's thread: what `work` throws ends here, and an exchange that it left unanswered is answered.
template <class Work>
void guarded(ExchangePtr& exchange, Work work) {
  try {
    work();
  } catch (...) {
    const Incident incident(exchange->core().incidents, exchange->name());
    exchange.reset();
  }
}

template <class Encode>
struct EncodedOf;
template <class T>
struct EncodedOf<Response (*)(T&, const Exchange&)> {
  using type = T;
};

template <auto kEncode>
auto reply_to(ExchangePtr exchange) {
  using Answer = typename EncodedOf<decltype(kEncode)>::type;
  return Reply<Answer>([exchange = std::move(exchange)](Result<Answer> answer) mutable {
    net::IoLoop& loop = exchange->core().loop;
    on_loop(loop, [exchange = std::move(exchange), answer = std::move(answer)]() mutable {
      guarded(exchange, [&] {
        if (!answer.ok()) return exchange->fail(answer.status());
        exchange->answer(kEncode(*answer, *exchange));
      });
    });
  });
}

// kDecode: Result<Request>(const Exchange&). kEncode: Response(Answer&, const Exchange&).
template <auto kDecode, auto kEncode>
void serve(ExchangePtr exchange) {
  auto request = kDecode(*exchange);
  if (!request.ok()) return exchange->fail(request.status());
  if (Status allowed = command::confine(exchange->credential.caller, *request); !allowed.ok()) return exchange->fail(allowed);
  // A context of its own: the exchange goes to the reply, which may be called, and gone, before handle() returns.
  command::Context context = exchange->context();
  handle(context, *std::move(request), reply_to<kEncode>(std::move(exchange)));
}

template <class T>
Response json(const T& value, unsigned status = 200) {
  Response response{.status = status, .body = {}, .headers = {}};
  JsonWriter out(response.body);
  write(out, value);
  return response;
}

}  // namespace muster::http
