#include "fronts/http/codec/values.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/time_text.h"
#include "fronts/http/json/fields.h"

namespace muster::http {
namespace {

constexpr std::array kErrorFields{
    Field<JobError>{"kind", [](JsonReader& in, JobError& out) { out.kind = in.read_string(); }},
    Field<JobError>{"message", [](JsonReader& in, JobError& out) { out.message = in.read_string(); }},
};

constexpr std::size_t kShownBytes = 64;

}  // namespace

Duration read_duration(JsonReader& in) { return Duration(in.read_integer(0, limits::kDelayMax.count())); }

Instant read_instant(JsonReader& in) {
  const std::string text = in.read_string();
  if (!in.ok()) return {};
  const auto at = parse_rfc3339(text);
  if (!at) in.refuse(fmt::format("\"{}\" is not an RFC 3339 time such as 2026-11-15T09:00:00.000Z", text.substr(0, kShownBytes)));
  return at.value_or(Instant{});
}

Result<JobId> parse_job_id(std::string_view text) {
  // The RESP front shows a job as job_<32 digits>; whoever copies that from there is understood here.
  const auto id = JobId::parse(text.starts_with("job_") ? text.substr(4) : text);
  if (!id) return Status::invalid_argument(fmt::format("job id \"{}\" is not a UUID", text.substr(0, kShownBytes)));
  return *id;
}

JobId read_job_id(JsonReader& in) {
  const std::string text = in.read_string();
  if (!in.ok()) return {};
  const auto id = parse_job_id(text);
  if (!id.ok()) in.refuse(id.status().message());
  return id.ok() ? *id : JobId{};
}

Fence read_fence(JsonReader& in) { return Fence{in.read_unsigned()}; }
SessionId read_session(JsonReader& in) { return SessionId{in.read_unsigned()}; }
std::uint32_t read_count(JsonReader& in) {
  return static_cast<std::uint32_t>(in.read_unsigned(std::numeric_limits<std::uint32_t>::max()));
}

Labels read_labels(JsonReader& in) {
  Labels labels;
  if (!in.enter_object()) return labels;
  std::string key;
  while (in.next_member(key)) {
    const FieldScope scope(in, key);
    std::string value = in.read_string();
    if (in.ok() && !labels.emplace(key, std::move(value)).second) in.refuse("given twice");
  }
  return labels;
}

std::vector<std::string> read_texts(JsonReader& in) {
  std::vector<std::string> texts;
  read_array(in, [&](JsonReader& element) { texts.push_back(element.read_string()); });
  return texts;
}

std::vector<QueueName> read_queues(JsonReader& in) {
  std::vector<QueueName> queues;
  read_array(in, [&](JsonReader& element) { queues.emplace_back(element.read_string()); });
  return queues;
}

JobError read_error(JsonReader& in) {
  JobError error;
  read_object(in, kErrorFields, error);
  return error;
}

std::string read_json_object(JsonReader& in) {
  if (in.ok() && in.peek() != JsonKind::object) {
    in.refuse(fmt::format("an object is accepted, found {}", to_string(in.peek())));
    return {};
  }
  return std::string(in.read_raw());
}

std::string read_base64(JsonReader& in) {
  const std::string text = in.read_string();
  if (!in.ok()) return {};
  auto bytes = from_base64(text);
  if (!bytes) in.refuse("not base64 (RFC 4648, section 4, with padding)");
  return bytes ? *std::move(bytes) : std::string();
}

void read_json_content(JsonReader& in, ContentInput& out) { out.json = Content{std::string(in.read_raw()), Encoding::json}; }
void read_bytes_content(JsonReader& in, ContentInput& out) { out.bytes = Content{read_base64(in), Encoding::bytes}; }

std::optional<Content> settle_content(JsonReader& in, ContentInput content, std::string_view name) {
  if (content.json && content.bytes) {
    in.refuse(fmt::format("\"{}\" and \"{}_base64\" are given; one of them is accepted", name, name));
    return std::nullopt;
  }
  return content.json ? std::move(content.json) : std::move(content.bytes);
}

void write_content(JsonWriter& out, std::string_view name, const Content& content) {
  if (content.encoding == Encoding::bytes) return out.member(fmt::format("{}_base64", name), to_base64(content.data));
  if (content.data.empty()) return;
  out.key(name);
  out.raw(content.data);
}

void write_labels(JsonWriter& out, std::string_view name, const Labels& labels) {
  out.key(name);
  out.begin_object();
  for (const auto& [key, value] : labels) out.member(key, value);
  out.end_object();
}

void write_error(JsonWriter& out, const JobError& error) {
  out.key("error");
  out.begin_object();
  out.member("kind", error.kind);
  out.member("message", error.message);
  out.end_object();
}

}  // namespace muster::http
