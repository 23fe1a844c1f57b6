#include "store/codec/usual_spec_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/json_text.h"

namespace muster::store {
namespace {

bool is_usual(const RunSpec& run) {
  static const RunSpec kDefault;
  return run.context.empty() && run.steps == kDefault.steps && !run.parent && run.schedule.empty() && run.metadata.empty() &&
         json::is_plain(run.external_id) && json::is_plain(run.version);
}

bool is_usual(const JobSpec& spec) {
  static const JobSpec kDefault;
  if (!spec.selector.empty() || !spec.labels.empty() || spec.run_at || spec.delay.count() != 0 || spec.expires_in ||
      spec.lease_ttl || spec.concurrency || spec.fairness || !spec.after.empty() || spec.deadline)
    return false;
  if (spec.retry != kDefault.retry || spec.affinity != kDefault.affinity ||
      spec.on_dependency_failure != kDefault.on_dependency_failure)
    return false;
  const auto needs = spec.needs.names();
  return json::is_plain(spec.correlation) && json::is_plain(spec.idempotency_key) &&
         std::all_of(needs.begin(), needs.end(), json::is_plain) && (!spec.unique || json::is_plain(spec.unique->key)) &&
         (!spec.run || is_usual(*spec.run));
}

// An object that is being written, its members in the order of their names as a tree writes them.
class Writing {
 public:
  explicit Writing(std::string& out) : out_(out) { out_.push_back('{'); }
  void end() { out_.push_back('}'); }

  void name(std::string_view name) {
    if (out_.back() != '{') out_.push_back(',');
    out_.append("\"").append(name).append("\":");
  }
  void text(std::string_view called, std::string_view value) {
    name(called);
    quoted(value);
  }
  void number(std::string_view called, std::int64_t value) {
    name(called);
    std::array<char, std::numeric_limits<std::int64_t>::digits10 + 2> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    out_.append(digits.data(), end);
  }
  void quoted(std::string_view value) { out_.append("\"").append(value).append("\""); }

 private:
  std::string& out_;
};

void write_run(const RunSpec& run, std::string& out) {
  static const RunSpec kDefault;
  Writing members(out);
  if (run.backoff != kDefault.backoff) members.number("backoff", static_cast<int>(run.backoff));
  if (!run.external_id.empty()) members.text("external", run.external_id);
  if (run.version != kDefault.version) members.text("version", run.version);
  members.end();
}

bool read_text(std::string_view value, std::string& into) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return false;
  const std::string_view inside = value.substr(1, value.size() - 2);
  if (!json::is_plain(inside)) return false;
  into = inside;
  return true;
}

template <class T>
bool read_natural(std::string_view value, T& into) {
  const auto number = json::natural_value(value);
  if (!number || *number > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return false;
  into = static_cast<T>(*number);
  return true;
}

template <class T>
bool read_enum(std::string_view value, T& into) {
  int number = 0;
  if (!read_natural(value, number)) return false;
  into = static_cast<T>(number);
  return true;
}

// As it was written, without a blank.
bool read_names(std::string_view value, std::vector<std::string>& into) {
  if (value.size() < 2 || value.front() != '[' || value.back() != ']') return false;
  value = value.substr(1, value.size() - 2);
  while (!value.empty()) {
    const std::size_t end = value.find('"', 1);
    if (end == std::string_view::npos || !read_text(value.substr(0, end + 1), into.emplace_back())) return false;
    value.remove_prefix(end + 1);
    if (value.empty()) return true;
    if (value.front() != ',' || value.size() == 1) return false;
    value.remove_prefix(1);
  }
  return true;
}

// Every member is known and of its kind. `read(name, value)`, the name in its quotes.
template <class Read>
bool read_all(std::string_view object, Read read) {
  json::MemberScan scan(object);
  while (const auto member = scan.next())
    if (!read(member->name, member->value)) return false;
  return scan.is_complete();
}

bool read_run(std::string_view object, RunSpec& run) {
  return read_all(object, [&run](std::string_view name, std::string_view value) {
    if (name == R"("external")") return read_text(value, run.external_id);
    if (name == R"("version")") return read_text(value, run.version);
    return name == R"("backoff")" && read_enum(value, run.backoff);
  });
}

bool read_unique(std::string_view object, UniqueKey& unique) {
  return read_all(object, [&unique](std::string_view name, std::string_view value) {
    if (name == R"("key")") return read_text(value, unique.key);
    return name == R"("while")" && read_enum(value, unique.during);
  });
}

// What a text names of a description.
struct Named {
  std::optional<std::string> correlation;
  std::optional<std::string> idempotency_key;
  std::optional<std::vector<std::string>> needs;
  std::optional<std::uint32_t> rescues;
  std::optional<RunSpec> run;
  std::optional<std::int64_t> timeout;
  std::optional<UniqueKey> unique;

  bool read(std::string_view name, std::string_view value) {
    if (name == R"("correlation")") return read_text(value, correlation.emplace());
    if (name == R"("idempotency")") return read_text(value, idempotency_key.emplace());
    if (name == R"("needs")") return read_names(value, needs.emplace());
    if (name == R"("rescues")") return read_natural(value, rescues.emplace());
    if (name == R"("run")") return read_run(value, run.emplace());
    if (name == R"("timeout")") return read_natural(value, timeout.emplace());
    return name == R"("unique")" && read_unique(value, unique.emplace());
  }
};

}  // namespace

std::optional<std::string> usual_spec_to_text(const JobSpec& spec) {
  static const JobSpec kDefault;
  constexpr std::size_t kUsualBytes = 256;
  if (!is_usual(spec)) return std::nullopt;
  std::string out;
  out.reserve(kUsualBytes);
  Writing members(out);
  if (!spec.correlation.empty()) members.text("correlation", spec.correlation);
  if (!spec.idempotency_key.empty()) members.text("idempotency", spec.idempotency_key);
  if (!spec.needs.empty()) {
    members.name("needs");
    char before = '[';
    for (const std::string& name : spec.needs.names()) {
      out.push_back(std::exchange(before, ','));
      members.quoted(name);
    }
    out.push_back(']');
  }
  if (spec.rescues_max != kDefault.rescues_max) members.number("rescues", spec.rescues_max);
  if (spec.run) {
    members.name("run");
    write_run(*spec.run, out);
  }
  if (spec.timeout) members.number("timeout", spec.timeout->count());
  if (spec.unique) {
    members.name("unique");
    Writing unique(out);
    unique.text("key", spec.unique->key);
    unique.number("while", static_cast<int>(spec.unique->during));
    unique.end();
  }
  members.end();
  return out;
}

bool usual_spec_from_text(std::string_view text, JobSpec& spec) {
  Named named;
  if (!read_all(text, [&named](std::string_view name, std::string_view value) { return named.read(name, value); })) return false;
  if (named.correlation) spec.correlation = *std::move(named.correlation);
  if (named.idempotency_key) spec.idempotency_key = *std::move(named.idempotency_key);
  if (named.needs) spec.needs = CapabilitySet(*std::move(named.needs));
  if (named.rescues) spec.rescues_max = *named.rescues;
  if (named.run) spec.run = std::move(named.run);
  if (named.timeout) spec.timeout = Duration(*named.timeout);
  if (named.unique) spec.unique = std::move(named.unique);
  return true;
}

}  // namespace muster::store
