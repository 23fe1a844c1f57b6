#include "fronts/resp/work/pop_request.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "fronts/resp/work/names.h"
#include "model/validate.h"

namespace muster::resp::work {
namespace {

// Seconds, also with a fraction, as Redis takes them.
Result<Duration> read_timeout(const std::string& command, const std::string& text) {
  const auto bad = [&] { return Status::invalid_argument(fmt::format("{} timeout must be a non-negative integer", command)); };
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(seconds) || std::signbit(seconds)) return bad();
  if (seconds > std::chrono::duration<double>(kPopWaitMax).count()) return bad();
  // Whatever is more than nothing must not become "for ever".
  return Duration(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

Result<std::size_t> read_count(const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count > kPopCountMax)
    return Status::invalid_argument(fmt::format("value is out of range, must be from 0 to {}", kPopCountMax));
  return count;
}

Status check_destination(const std::string& key) {
  if (key == kProcessing || (key.starts_with(kQueuePrefix) && key.ends_with(kProcessingSuffix))) return {};
  return Status::invalid_argument(fmt::format("jobs taken from a queue move to {}, not to '{}'", kProcessing, key));
}

bool is_end(const std::string& text) { return same_in_any_case(text, "LEFT") || same_in_any_case(text, "RIGHT"); }

Status add_queue(PopRequest& pop, const std::string& key) {
  auto queue = read_queue(key);
  if (!queue.ok()) return queue.status();
  pop.queues.push_back(*std::move(queue));
  return {};
}

Status read_wait(PopRequest& pop, const Args& args) {
  const auto wait = read_timeout(args[0], args.back());
  if (!wait.ok()) return wait.status();
  pop.waits = true;
  pop.wait = *wait;
  return {};
}

Status read_keys_and_wait(PopRequest& pop, const Args& args) {
  if (args.size() - 2 > limits::kQueuesPerClaimMax)
    return Status::invalid_argument(
        fmt::format("{} queues; at most {} are accepted", args.size() - 2, limits::kQueuesPerClaimMax));
  for (std::size_t i = 1; i + 1 < args.size(); ++i)
    if (Status status = add_queue(pop, args[i]); !status.ok()) return status;
  pop.names = true;
  return read_wait(pop, args);
}

Status read_move(PopRequest& pop, const Args& args) {
  if (Status status = add_queue(pop, args[1]); !status.ok()) return status;
  if (Status status = check_destination(args[2]); !status.ok()) return status;
  pop.moves = true;
  return {};
}

Status read_by_name(PopRequest& pop, const Args& args) {
  const std::string& name = args[0];
  if (name == "BRPOP" || name == "BLPOP")
    return args.size() < 3 ? Status::invalid_argument("syntax error") : read_keys_and_wait(pop, args);
  if (name == "RPOP" || name == "LPOP") {
    if (args.size() < 2 || args.size() > 3) return Status::invalid_argument("syntax error");
    if (Status status = add_queue(pop, args[1]); !status.ok() || args.size() == 2) return status;
    const auto count = read_count(args[2]);
    if (!count.ok()) return count.status();
    pop.count = *count;
    return {};
  }
  const bool move = name == "LMOVE" || name == "BLMOVE";
  const bool waits = name == "BRPOPLPUSH" || name == "BLMOVE";
  if (!move && name != "RPOPLPUSH" && name != "BRPOPLPUSH")
    return Status::invalid_argument(fmt::format("{} does not work on queues", name));
  if (args.size() != 3U + (move ? 2 : 0) + (waits ? 1 : 0)) return Status::invalid_argument("syntax error");
  if (move && (!is_end(args[3]) || !is_end(args[4]))) return Status::invalid_argument("syntax error");
  if (Status status = read_move(pop, args); !status.ok() || !waits) return status;
  return read_wait(pop, args);
}

}  // namespace

Result<QueueName> read_queue(const std::string& key) {
  if (!key.starts_with(kQueuePrefix))
    return Status::invalid_argument(fmt::format("'{}' is no queue; queues and plain lists cannot be used together", key));
  if (key == kProcessing || key == kScheduled)
    return Status::invalid_argument(fmt::format("'{}' is a view of all queues and holds no jobs of its own", key));
  std::string name = key.substr(kQueuePrefix.size());
  if (Status status = validate_name("queue", name); !status.ok()) return status;
  return QueueName(std::move(name));
}

Result<PopRequest> read_pop(const Args& args) {
  PopRequest pop;
  if (Status status = read_by_name(pop, args); !status.ok()) return status;
  return pop;
}

}  // namespace muster::resp::work
