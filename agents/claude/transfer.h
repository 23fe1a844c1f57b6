// One try of one call: a request on its way over a handle of libcurl, and what its answer means. On the client's thread.
#pragma once

#include <curl/curl.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "agents/claude/client.h"
#include "agents/claude/receiver.h"
#include "agents/claude/retry.h"
#include "base/clock.h"
#include "base/incident.h"
#include "base/status.h"

namespace muster::claude {

struct Request {
  bool post = false;
  std::string path;  // from "/v1"
  std::string body;
  std::string betas;     // names with commas
  bool creates = false;  // doing it twice leaves two of something: when it may have been done it is not done again
};

// How a try ended.
struct Outcome {
  Status status;
  bool retryable = false;
  std::optional<Duration> after;  // the API asks to wait so long
  long http_status = 0;           // 0: no answer came
};

class Transfer {
 public:
  // All outlive it; `request` and `easy` are not touched by others meanwhile.
  Transfer(const Config& config, const Clock& clock, const Incidents& incidents, const Request& request, Receiver& receiver,
           CURL* easy);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  CURL* easy() const { return easy_; }
  Ticks began_at() const { return began_at_; }
  // Goes on, if it waits because the receiver had no room and there is some now.
  void go_on();
  // When a byte has last gone or come, as far as it is known at `now`; while it waits for room nothing is missed.
  Ticks last_byte_at(Ticks now);

  // What it came to when curl says that it has ended.
  Outcome outcome(CURLcode code);
  // What it came to when it is given up, for `why`.
  Outcome given_up(std::string_view why);

 private:
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
  bool take_body(std::string_view bytes);
  void take_header(std::string_view line);
  void set_options();
  void set_headers();
  Outcome answered();
  Outcome lost(CURLcode code);
  Outcome failed(Code code, std::string_view what, bool retryable);
  bool may_have_arrived() const;

  const Config& config_;
  const Clock& clock_;
  const Incidents& incidents_;
  const Request& request_;
  Receiver& receiver_;
  CURL* easy_;
  curl_slist* headers_ = nullptr;
  Ticks began_at_;
  Ticks last_byte_at_;
  curl_off_t bytes_sent_ = 0;
  long status_ = 0;
  RetryHints hints_;
  std::string content_type_;
  std::string request_id_;
  std::string error_body_;  // of an answer that is not what was asked for
  bool refused_ = false;    // by its type
  bool paused_ = false;     // the receiver has no room
  Status failure_;          // of the receiver
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace muster::claude
