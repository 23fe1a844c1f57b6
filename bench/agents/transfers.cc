#include "bench/agents/transfers.h"

#include "bench/row.h"

namespace muster::bench::agents {
namespace {

constexpr int kWaitMs = 100;

}  // namespace

Transfers::~Transfers() {
  while (!open_.empty()) {
    loop_.remove(open_.begin()->first);
    open_.begin()->second->transfer.done = [](bool) {};
    ended(open_.begin()->first, CURLE_ABORTED_BY_CALLBACK);
  }
}

std::size_t Transfers::on_bytes(char* bytes, std::size_t size, std::size_t count, void* open) {
  auto& of = *static_cast<Open*>(open);
  of.enough = !of.transfer.heard(std::string_view(bytes, size * count));
  return of.enough ? 0 : size * count;
}

void Transfers::start(Transfer transfer) {
  CURL* const easy = ::curl_easy_init();
  auto open = std::make_unique<Open>(Open{.transfer = std::move(transfer)});
  ::curl_easy_setopt(easy, CURLOPT_URL, open->transfer.url.c_str());
  ::curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(easy, CURLOPT_PROXY, "");
  ::curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfers::on_bytes);
  ::curl_easy_setopt(easy, CURLOPT_WRITEDATA, open.get());
  if (!open->transfer.body.empty()) {
    open->headers = ::curl_slist_append(nullptr, "Content-Type: application/json");
    open->headers = ::curl_slist_append(open->headers, "Expect:");
    open->headers = ::curl_slist_append(open->headers, "x-api-key: none");
    ::curl_easy_setopt(easy, CURLOPT_HTTPHEADER, open->headers);
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDS, open->transfer.body.c_str());
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(open->transfer.body.size()));
  }
  open_[easy] = std::move(open);
  loop_.add(easy);
}

void Transfers::ended(CURL* easy, CURLcode code) {
  const auto found = open_.find(easy);
  const std::unique_ptr<Open> open = std::move(found->second);
  open_.erase(found);
  long status = 0;
  ::curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  ::curl_easy_cleanup(easy);
  ::curl_slist_free_all(open->headers);
  open->transfer.done((code == CURLE_OK || open->enough) && status / 100 == 2);
}

bool Transfers::run(double seconds_max) {
  const double until = seconds_now() + seconds_max;
  while (!open_.empty() && seconds_now() < until) loop_.run(kWaitMs, [this](CURL* easy, CURLcode code) { ended(easy, code); });
  return open_.empty();
}

}  // namespace muster::bench::agents
