// Values that several requests share: names, times, durations, labels, contents. Reading latches errors in the JsonReader;
// writing leaves absent values out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "fronts/http/json/reader.h"
#include "fronts/http/json/writer.h"
#include "model/capability.h"
#include "model/ids.h"
#include "model/job.h"

namespace muster::http {

template <class Tag>
void read(JsonReader& in, Id<Tag>& out) {
  out = Id<Tag>(in.read_string());
}

Duration read_duration(JsonReader& in);  // an integer of milliseconds, not negative
Instant read_instant(JsonReader& in);
JobId read_job_id(JsonReader& in);
Fence read_fence(JsonReader& in);
SessionId read_session(JsonReader& in);
std::uint32_t read_count(JsonReader& in);  // 0 to 2^32-1; the engine knows the real range
Labels read_labels(JsonReader& in);
std::vector<std::string> read_texts(JsonReader& in);
std::vector<QueueName> read_queues(JsonReader& in);
JobError read_error(JsonReader& in);
std::string read_json_object(JsonReader& in);  // as text
std::string read_base64(JsonReader& in);

// A content comes as JSON in one field or as bytes in another, not both.
struct ContentInput {
  std::optional<Content> json;
  std::optional<Content> bytes;
};
void read_json_content(JsonReader& in, ContentInput& out);
void read_bytes_content(JsonReader& in, ContentInput& out);
// `name` and `name`_base64 are the two fields.
std::optional<Content> settle_content(JsonReader& in, ContentInput content, std::string_view name);

void write_content(JsonWriter& out, std::string_view name, const Content& content);
void write_labels(JsonWriter& out, std::string_view name, const Labels& labels);
void write_error(JsonWriter& out, const JobError& error);

template <class Texts>
void write_texts(JsonWriter& out, std::string_view name, const Texts& texts) {
  out.key(name);
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

// `job id "x"` in a path or a query.
Result<JobId> parse_job_id(std::string_view text);

}  // namespace muster::http
