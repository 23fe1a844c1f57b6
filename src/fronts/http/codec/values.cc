#include "fronts/http/codec/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/base64.h"
#include "base/time_text.h"

namespace muster::http {
namespace {

constexpr std::size_t kValueShownBytes = 64;

constexpr std::array kErrorFields{
    field<&JobError::kind>("kind", "For programs."),
    field<&JobError::message>("message", "For people."),
};
constexpr Object<JobError> kError{"Error", "Why an attempt did not complete.", kErrorFields};

constexpr std::array kPolicyFields{
    field_unless_blank<&StepPolicy::attempts_max>("attempts_max", "Counting the first; -1: no limit.")
        .within(-1, limits::kAttemptsMax),
    field_unless_blank<&StepPolicy::first_delay>("first_delay_ms", "After the first attempt."),
    field_unless_blank<&StepPolicy::factor>("factor", "Of each delay to the one before.").judged(0),
    field_unless_blank<&StepPolicy::delay_max>("delay_max_ms", "No delay is longer."),
    field_unless_blank<&StepPolicy::non_retryable>("non_retryable", "Beginnings of error messages."),
};
constexpr Object<StepPolicy> kPolicy{"StepPolicy", "How a step that failed is tried again; what is absent is not said.",
                                     kPolicyFields};

constexpr std::array kLeaseFields{
    field<&LeaseRef::job>("id", "The job.").required(),
    field<&LeaseRef::fence>("fence", kFenceDoc).required(),
};
constexpr Object<LeaseRef> kLease{"Lease", "", kLeaseFields};

// Bounds that are only judged further in are those of the type here.
template <class T>
std::int64_t read_within(JsonReader& in, const Range& range) {
  if (range.enforced) return in.read_integer(static_cast<std::int64_t>(range.least), static_cast<std::int64_t>(range.most));
  constexpr auto kMost = std::min<std::uint64_t>(std::numeric_limits<T>::max(), std::numeric_limits<std::int64_t>::max());
  return in.read_integer(std::numeric_limits<T>::min(), static_cast<std::int64_t>(kMost));
}

std::string not_a_state(std::string_view word, std::span<const std::string_view> accepted) {
  return fmt::format("\"{}\" is not a state; {} or {} is accepted", word, fmt::join(accepted.first(accepted.size() - 1), ", "),
                     accepted.back());
}

}  // namespace

const Object<JobError>& object_of(Of<JobError>) { return kError; }
const Object<StepPolicy>& object_of(Of<StepPolicy>) { return kPolicy; }
const Object<LeaseRef>& object_of(Of<LeaseRef>) { return kLease; }

Result<JobId> parse_job_id(std::string_view text) {
  // The RESP front shows a job as job_<32 digits>; whoever copies that from there is understood here.
  const auto id = JobId::parse(text.starts_with("job_") ? text.substr(4) : text);
  if (!id) return Status::invalid_argument(fmt::format("job id \"{}\" is not a UUID", text.substr(0, kValueShownBytes)));
  return *id;
}

void read_value(JsonReader& in, std::string& out, const Range&) { out = in.read_string(); }
void read_value(JsonReader& in, bool& out, const Range&) { out = in.read_bool(); }
void read_value(JsonReader& in, double& out, const Range&) { out = in.read_double(); }
void read_value(JsonReader& in, Fence& out, const Range&) { out = Fence{in.read_unsigned()}; }
void read_value(JsonReader& in, SessionId& out, const Range&) { out = SessionId{in.read_unsigned()}; }

void read_value(JsonReader& in, std::int32_t& out, const Range& range) {
  out = static_cast<std::int32_t>(read_within<std::int32_t>(in, range));
}
void read_value(JsonReader& in, std::int64_t& out, const Range& range) { out = read_within<std::int64_t>(in, range); }
void read_value(JsonReader& in, std::uint64_t& out, const Range& range) {
  out = static_cast<std::uint64_t>(read_within<std::uint64_t>(in, range));
}
void read_value(JsonReader& in, std::uint32_t& out, const Range& range) {
  out = static_cast<std::uint32_t>(read_within<std::uint32_t>(in, range));
}

void read_value(JsonReader& in, Duration& out, const Range& range) {
  out = Duration(in.read_integer(0, range.enforced ? static_cast<std::int64_t>(range.most) : limits::kDelayMax.count()));
}

void read_value(JsonReader& in, Instant& out, const Range&) {
  const std::string text = in.read_string();
  if (!in.ok()) return;
  const auto at = parse_rfc3339(text);
  if (!at)
    in.refuse(fmt::format("\"{}\" is not an RFC 3339 time such as 2026-11-15T09:00:00.000Z", text.substr(0, kValueShownBytes)));
  out = at.value_or(Instant{});
}

void read_value(JsonReader& in, JobId& out, const Range&) {
  const std::string text = in.read_string();
  if (!in.ok()) return;
  const auto id = parse_job_id(text);
  if (!id.ok()) return in.refuse(id.status().message());
  out = *id;
}

void read_value(JsonReader& in, CapabilitySet& out, const Range& range) {
  std::vector<std::string> names;
  read_value(in, names, range);
  out = CapabilitySet(std::move(names));
}

namespace {

template <class V>
void read_map(JsonReader& in, std::map<std::string, V>& out, const Range& range) {
  out.clear();
  if (!in.enter_object()) return;
  std::string key;
  while (in.next_member(key)) {
    const FieldScope scope(in, key);
    V value{};
    read_value(in, value, range);
    if (in.ok() && !out.emplace(key, std::move(value)).second) in.refuse("given twice");
  }
}

}  // namespace

void read_value(JsonReader& in, Labels& out, const Range& range) { read_map(in, out, range); }
void read_value(JsonReader& in, std::map<std::string, std::uint32_t>& out, const Range& range) { read_map(in, out, range); }

void read_value(JsonReader& in, JobState& out, const Range&) {
  const std::string name = in.read_string();
  const auto state = parse_job_state(name);
  if (!state) return in.refuse(not_a_state(name, kWords<JobState>));
  out = *state;
}

std::size_t read_word(JsonReader& in, std::span<const std::string_view> words) {
  const std::string word = in.read_string();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::vector<std::string> quoted;
  for (const std::string_view each : words) quoted.push_back(fmt::format("\"{}\"", each));
  in.refuse(fmt::format("\"{}\" is not accepted; {} or {} is", word, fmt::join(std::span(quoted).first(quoted.size() - 1), ", "),
                        quoted.back()));
  return 0;
}

void read_json_object(JsonReader& in, std::string& out) {
  if (in.ok() && in.peek() != JsonKind::object)
    return in.refuse(fmt::format("an object is accepted, found {}", to_string(in.peek())));
  out = std::string(in.read_raw());
}

void read_json_content(JsonReader& in, Content& out) { out = Content{std::string(in.read_raw()), Encoding::json}; }

void read_bytes_content(JsonReader& in, Content& out) {
  const std::string text = in.read_string();
  if (!in.ok()) return;
  auto bytes = from_base64(text);
  if (!bytes) return in.refuse("not base64 (RFC 4648, section 4, with padding)");
  out = Content{*std::move(bytes), Encoding::bytes};
}

void write_base64(JsonWriter& out, std::string_view name, std::string_view bytes) {
  out.plain_key(name);
  out.string(to_base64(bytes));
}

void write_value(JsonWriter& out, const CapabilitySet& capabilities) {
  out.begin_array();
  for (const std::string& name : capabilities.names()) out.string(name);
  out.end_array();
}

void draw_type(Schemas& out, std::string_view type, std::string_view format) {
  out.json.member("type", type);
  if (!format.empty()) out.json.member("format", format);
}

void draw_words(Schemas& out, std::span<const std::string_view> words) {
  draw_type(out, "string");
  out.json.key("enum");
  out.json.begin_array();
  for (const std::string_view word : words) out.json.string(word);
  out.json.end_array();
}

void draw_job_state(Schemas& out) {
  draw_words(out, kWords<JobState>);
  out.json.member("description", "Where a job is in its life.");
}

void draw_bytes(Schemas& out) {
  draw_type(out, "string");
  out.json.member("contentEncoding", "base64");
}

}  // namespace muster::http
