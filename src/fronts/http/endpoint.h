// How a row of the route table is made from a decoder and an encoder: decode, hand to the command, encode on the loop's thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/reply.h"
#include "command/door.h"
#include "fronts/http/codec/values.h"
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
  using Encoded = typename EncodedOf<decltype(kEncode)>::type;
  return Reply<Encoded>([exchange = std::move(exchange)](Result<Encoded> answer) mutable {
    net::IoLoop& loop = exchange->core().loop;
    on_loop(loop, [exchange = std::move(exchange), answer = std::move(answer)]() mutable {
      guarded(exchange, [&] {
        if (!answer.ok()) return exchange->fail(answer.status());
        exchange->answer(kEncode(*answer, *exchange));
      });
    });
  });
}

// What a decoder takes: the job or the name of the path, then the body or the query; or the whole exchange.
template <class T>
Result<T> decode(const Exchange& exchange, Result<T> (*read)(std::string_view)) {
  return read(exchange.body());
}
template <class T>
Result<T> decode(const Exchange& exchange, Result<T> (*read)(const std::vector<QueryParameter>&)) {
  return read(exchange.query());
}
template <class T>
Result<T> decode(const Exchange& exchange, Result<T> (*read)(std::string, std::string_view)) {
  return read(exchange.parameters.front(), exchange.body());
}
template <class T>
Result<T> decode(const Exchange& exchange, Result<T> (*read)(std::string, const std::vector<QueryParameter>&)) {
  return read(exchange.parameters.front(), exchange.query());
}
template <class T>
Result<T> decode(const Exchange& exchange, Result<T> (*read)(JobId, std::string_view)) {
  const auto job = parse_job_id(exchange.parameters.front());
  if (!job.ok()) return job.status();
  return read(*job, exchange.body());
}
template <class T>
Result<T> decode(const Exchange& exchange, Result<T> (*read)(JobId, const std::vector<QueryParameter>&)) {
  const auto job = parse_job_id(exchange.parameters.front());
  if (!job.ok()) return job.status();
  return read(*job, exchange.query());
}
template <class T>
Result<T> decode(const Exchange& exchange, Result<T> (*read)(const Exchange&)) {
  return read(exchange);
}

template <class T>
struct ValueOf;
template <class T>
struct ValueOf<Result<T>> {
  using type = T;
};
template <auto kDecode>
using Decoded = typename ValueOf<decltype(decode(std::declval<const Exchange&>(), kDecode))>::type;

// kDecode: one of the above. kEncode: Response(Answer&, const Exchange&).
template <auto kDecode, auto kEncode>
void serve(ExchangePtr exchange) {
  const Exchange& asked = *exchange;  // lives as long as the reply, which is not called before the request is read
  command::Door& door = exchange->core().door;
  door.run_read<Decoded<kDecode>>(
      asked.credential.caller, [&asked] { return decode(asked, kDecode); }, reply_to<kEncode>(std::move(exchange)));
}

// A request that is nothing but the job of the path.
template <class T>
Result<T> of_job(const Exchange& exchange) {
  const auto job = parse_job_id(exchange.parameters.front());
  if (!job.ok()) return job.status();
  return T{*job};
}

template <class T>
Response json(const T& value, unsigned status = 200) {
  Response response{.status = status, .body = {}, .headers = {}};
  JsonWriter out(response.body);
  write(out, value);
  return response;
}

template <class T>
Response as_json(T& value, const Exchange&) {
  return json(value);
}

template <class T>
Response as_created(T& value, const Exchange&) {
  return json(value, 201);
}

// Of something that may have been there already.
template <class T>
Response as_made(T& value, const Exchange&) {
  return json(value, value.existed ? 200 : 201);
}

// {"name": [...]}
template <class T>
Response json_list(std::string_view name, const std::vector<T>& values, unsigned status = 200) {
  Response response{.status = status, .body = {}, .headers = {}};
  JsonWriter out(response.body);
  out.begin_object();
  out.key(name);
  out.begin_array();
  for (const T& value : values) write(out, value);
  out.end_array();
  out.end_object();
  return response;
}

}  // namespace muster::http
