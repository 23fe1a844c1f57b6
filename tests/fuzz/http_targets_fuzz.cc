// Request targets: paths and queries of every kind of list.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fronts/http/codec/events.h"
#include "fronts/http/codec/job_query.h"
#include "fronts/http/codec/queues.h"
#include "fronts/http/codec/workers.h"
#include "fronts/http/target.h"

using namespace muster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto target = http::parse_target({reinterpret_cast<const char*>(data), size});
  if (!target.ok()) return 0;
  (void)http::decode_job_query(target->query).ok();
  (void)http::decode_worker_query(target->query).ok();
  (void)http::decode_unregister("w", target->query).ok();
  (void)http::decode_queue_list(target->query).ok();
  (void)http::decode_event_request(target->query, target->path).ok();
  return 0;
}
