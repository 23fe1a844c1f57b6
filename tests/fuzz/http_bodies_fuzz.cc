// Every JSON body the HTTP front reads. The first byte chooses the request, the rest is the body.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fronts/http/codec/job_query.h"
#include "fronts/http/codec/job_requests.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/queues.h"
#include "fronts/http/codec/runs.h"
#include "fronts/http/codec/schedules.h"
#include "fronts/http/codec/workers.h"

using namespace muster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data + 1), size - 1);
  const JobId job{Uuid{1, 2}};
  switch (data[0] % 31) {
    case 0: (void)http::decode_submit(body).ok(); break;
    case 1: (void)http::decode_submit_bulk(body).ok(); break;
    case 2: (void)http::decode_claim(body).ok(); break;
    case 3: (void)http::decode_renewal(job, body).ok(); break;
    case 4: (void)http::decode_progress(job, body).ok(); break;
    case 5: (void)http::decode_completion(job, body).ok(); break;
    case 6: (void)http::decode_failure(job, body).ok(); break;
    case 7: (void)http::decode_snooze(job, body).ok(); break;
    case 8: (void)http::decode_release(job, body).ok(); break;
    case 9: (void)http::decode_settle(body).ok(); break;
    case 10: (void)http::decode_cancel(job, body).ok(); break;
    case 11: (void)http::decode_cancel_bulk(body).ok(); break;
    case 12: (void)http::decode_job_search(body).ok(); break;
    case 13: (void)http::decode_redrive(body).ok(); break;
    case 14: (void)http::decode_registration(body).ok(); break;
    case 15: (void)http::decode_beat("w", body).ok(); break;
    case 16: (void)http::decode_drain("w", body).ok(); break;
    case 17: (void)http::decode_queue_limit("q", body).ok(); break;
    case 18: (void)http::decode_namespace_create(body).ok(); break;
    case 19: (void)http::decode_backup_create(body).ok(); break;
    case 20: (void)http::decode_run_start(body).ok(); break;
    case 21: (void)http::decode_run_step(job, body).ok(); break;
    case 22: (void)http::decode_run_signal(job, body).ok(); break;
    case 23: (void)http::decode_run_cancel(job, body).ok(); break;
    case 24: (void)http::decode_run_retry(job, body).ok(); break;
    case 25: (void)http::decode_schedule_create(body).ok(); break;
    case 26: (void)http::decode_schedule_update("s", body).ok(); break;
    case 27: (void)http::decode_schedule_pause("s", body).ok(); break;
    case 28: (void)http::decode_schedule_resume("s", body).ok(); break;
    case 29: (void)http::decode_schedule_trigger("s", body).ok(); break;
    default: (void)http::decode_schedule_backfill("s", body).ok(); break;
  }
  return 0;
}
