#include "tests/claude/journal.h"

#include <algorithm>
#include <utility>

#include "base/sha256.h"

namespace muster::stand_in {

void Journal::add(Seen seen) {
  seen.sha256 = sha256_hex(seen.body);
  if (seen.path == "/v1/messages/batches" && seen.method == "POST") {
    const Json body = Json::parse(seen.body, nullptr, false);
    if (body.is_object() && body.contains("requests") && body.at("requests").is_array())
      for (const Json& request : body.at("requests"))
        if (request.is_object() && request.contains("custom_id") && request.at("custom_id").is_string())
          seen.custom_ids.push_back(request.at("custom_id").get<std::string>());
  }
  if (!keep_bodies_) seen.body.clear();
  const std::lock_guard lock(mutex_);
  seen.number = seen_.size() + 1;
  seen_.push_back(std::move(seen));
}

void Journal::forget() {
  const std::lock_guard lock(mutex_);
  seen_.clear();
}

std::vector<Seen> Journal::all() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

std::size_t Journal::count(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(seen_.begin(), seen_.end(), [&](const Seen& each) { return each.path == path; }));
}

std::string Journal::lines() const {
  std::string out;
  for (const Seen& each : all()) {
    Json line{{"number", each.number}, {"method", each.method}, {"path", each.path}, {"sha256", each.sha256}};
    line["custom_ids"] = each.custom_ids;
    line["headers"] = each.headers;
    if (!each.body.empty()) {
      Json body = Json::parse(each.body, nullptr, false);
      line["body"] = body.is_discarded() ? Json(each.body) : std::move(body);
    }
    out += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return out;
}

}  // namespace muster::stand_in
