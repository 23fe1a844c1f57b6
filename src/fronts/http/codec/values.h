// How plain values are read, written and drawn: names, times, durations, labels, contents, words. The functions that
// json/fields.h finds for the types of members. Reading latches errors in the JsonReader.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "command/jobs.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/reader.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"
#include "model/capability.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/schedule.h"
#include "model/worker.h"

namespace muster::http {

template <>
inline constexpr Range kUsualRange<std::uint32_t>{.least = 0};
template <>
inline constexpr Range kUsualRange<std::uint64_t>{.least = 0};
template <>
inline constexpr Range kUsualRange<Duration>{.least = 0};
template <>
inline constexpr Range kUsualRange<Fence>{.least = 0};
template <>
inline constexpr Range kUsualRange<SessionId>{.least = 0};

// `job id "x"` in a path or a query.
Result<JobId> parse_job_id(std::string_view text);

void read_value(JsonReader& in, std::string& out, const Range&);
void read_value(JsonReader& in, bool& out, const Range&);
void read_value(JsonReader& in, std::int32_t& out, const Range& range);
void read_value(JsonReader& in, std::int64_t& out, const Range& range);
void read_value(JsonReader& in, std::uint32_t& out, const Range& range);  // 0 to 2^32-1; the engine knows the real range
void read_value(JsonReader& in, std::uint64_t& out, const Range& range);
void read_value(JsonReader& in, double& out, const Range&);
void read_value(JsonReader& in, Duration& out, const Range& range);  // an integer of milliseconds, not negative
void read_value(JsonReader& in, Instant& out, const Range&);
void read_value(JsonReader& in, JobId& out, const Range&);
void read_value(JsonReader& in, Fence& out, const Range&);
void read_value(JsonReader& in, SessionId& out, const Range&);
void read_value(JsonReader& in, CapabilitySet& out, const Range&);
void read_value(JsonReader& in, Labels& out, const Range&);
void read_value(JsonReader& in, std::map<std::string, std::uint32_t>& out, const Range& range);
template <class Tag>
void read_value(JsonReader& in, Id<Tag>& out, const Range&) {
  out = Id<Tag>(in.read_string());
}

inline void write_value(JsonWriter& out, std::string_view text) { out.string(text); }
inline void write_value(JsonWriter& out, const std::string& text) { out.string(text); }
inline void write_value(JsonWriter& out, bool value) { out.boolean(value); }
inline void write_value(JsonWriter& out, std::int32_t value) { out.number(std::int64_t{value}); }
inline void write_value(JsonWriter& out, std::int64_t value) { out.number(value); }
inline void write_value(JsonWriter& out, std::uint32_t value) { out.number(std::uint64_t{value}); }
inline void write_value(JsonWriter& out, std::uint64_t value) { out.number(value); }
inline void write_value(JsonWriter& out, double value) { out.real(value); }
inline void write_value(JsonWriter& out, Duration length) { out.number(std::int64_t{length.count()}); }
inline void write_value(JsonWriter& out, Instant at) { out.instant(at); }
inline void write_value(JsonWriter& out, const JobId& id) { out.string(id.text()); }
inline void write_value(JsonWriter& out, const StepId& id) { out.string(id.text()); }
inline void write_value(JsonWriter& out, Fence fence) { out.number(to_number(fence)); }
inline void write_value(JsonWriter& out, SessionId session) { out.number(to_number(session)); }
void write_value(JsonWriter& out, const CapabilitySet& capabilities);
template <class Tag>
void write_value(JsonWriter& out, const Id<Tag>& id) {
  out.string(id.text());
}
template <class V>
void write_value(JsonWriter& out, const std::map<std::string, V>& values) {
  out.begin_object();
  for (const auto& [key, value] : values) {
    out.key(key);
    write_value(out, value);
  }
  out.end_object();
}

void draw_type(Schemas& out, std::string_view type, std::string_view format = {});
inline void draw_value(Schemas& out, Of<std::string>) { draw_type(out, "string"); }
inline void draw_value(Schemas& out, Of<bool>) { draw_type(out, "boolean"); }
inline void draw_value(Schemas& out, Of<std::int32_t>) { draw_type(out, "integer"); }
inline void draw_value(Schemas& out, Of<std::int64_t>) { draw_type(out, "integer"); }
inline void draw_value(Schemas& out, Of<std::uint32_t>) { draw_type(out, "integer"); }
inline void draw_value(Schemas& out, Of<std::uint64_t>) { draw_type(out, "integer"); }
inline void draw_value(Schemas& out, Of<double>) { draw_type(out, "number"); }
inline void draw_value(Schemas& out, Of<Duration>) { draw_type(out, "integer"); }
inline void draw_value(Schemas& out, Of<Instant>) { draw_type(out, "string", "date-time"); }
inline void draw_value(Schemas& out, Of<JobId>) { draw_type(out, "string", "uuid"); }
inline void draw_value(Schemas& out, Of<StepId>) { draw_type(out, "string", "uuid"); }
inline void draw_value(Schemas& out, Of<Fence>) { draw_type(out, "integer"); }
inline void draw_value(Schemas& out, Of<SessionId>) { draw_type(out, "integer"); }
inline void draw_value(Schemas& out, Of<CapabilitySet>) { draw_value(out, Of<std::vector<std::string>>{}); }
template <class Tag>
void draw_value(Schemas& out, Of<Id<Tag>>) {
  draw_type(out, "string");
}
template <class V>
void draw_value(Schemas& out, Of<std::map<std::string, V>>) {
  draw_type(out, "object");
  out.json.key("additionalProperties");
  out.json.begin_object();
  draw_value(out, Of<V>{});
  out.json.end_object();
}

// --- words ---------------------------------------------------------------------------------------------------------

// An enumeration's words in the order of its values.
template <class E>
inline constexpr std::span<const std::string_view> kWords{};

template <class E>
concept Worded = std::is_enum_v<E> && !kWords<E>.empty();

namespace words {
inline constexpr std::array<std::string_view, 6> kJobStates{"scheduled", "ready", "running", "completed", "dead", "cancelled"};
inline constexpr std::array<std::string_view, 3> kWorkerStates{"online", "draining", "offline"};
inline constexpr std::array<std::string_view, 2> kUniqueWhile{"waiting", "unfinished"};
inline constexpr std::array<std::string_view, 2> kOnDependencyFailure{"cancel", "run"};
inline constexpr std::array<std::string_view, 2> kOrders{"newest", "oldest"};
}  // namespace words
template <>
inline constexpr std::span<const std::string_view> kWords<JobState> = words::kJobStates;
template <>
inline constexpr std::span<const std::string_view> kWords<WorkerState> = words::kWorkerStates;
template <>
inline constexpr std::span<const std::string_view> kWords<UniqueWhile> = words::kUniqueWhile;
template <>
inline constexpr std::span<const std::string_view> kWords<OnDependencyFailure> = words::kOnDependencyFailure;
template <>
inline constexpr std::span<const std::string_view> kWords<store::Order> = words::kOrders;

// The place of the word that comes next; 0, and an error that names the words, when it is none of them.
std::size_t read_word(JsonReader& in, std::span<const std::string_view> words);
void draw_words(Schemas& out, std::span<const std::string_view> words);
void draw_job_state(Schemas& out);

template <Worded E>
void read_value(JsonReader& in, E& out, const Range&) {
  out = static_cast<E>(read_word(in, kWords<E>));
}
void read_value(JsonReader& in, JobState& out, const Range&);
template <Worded E>
void write_value(JsonWriter& out, E value) {
  out.string(kWords<E>[static_cast<std::size_t>(value)]);
}
template <Worded E>
void draw_value(Schemas& out, Of<E>) {
  draw_words(out, kWords<E>);
}
inline void draw_value(Schemas& out, Of<JobState>) { out.refer("JobState", draw_job_state); }

// Enumerations that the model itself has names for: how many values there are.
template <class E>
inline constexpr std::size_t kNamed = 0;
template <>
inline constexpr std::size_t kNamed<Dialect> = 5;
template <>
inline constexpr std::size_t kNamed<Health> = 4;
template <>
inline constexpr std::size_t kNamed<DrainOrigin> = 5;
template <>
inline constexpr std::size_t kNamed<StepKind> = 4;
template <>
inline constexpr std::size_t kNamed<StepState> = 4;

template <class E>
concept Named = std::is_enum_v<E> &&(kNamed<E> > 0);

template <Named E>
void write_value(JsonWriter& out, E value) {
  out.string(to_string(value));
}
template <Named E>
std::array<std::string_view, kNamed<E>> names_of() {
  std::array<std::string_view, kNamed<E>> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = to_string(static_cast<E>(i));
  return names;
}
template <Named E>
void read_value(JsonReader& in, E& out, const Range&) {
  out = static_cast<E>(read_word(in, names_of<E>()));
}
template <Named E>
void draw_value(Schemas& out, Of<E>) {
  draw_words(out, names_of<E>());
}
inline void write_value(JsonWriter& out, JobEvent event) { out.string(to_string(event)); }
inline void draw_value(Schemas& out, Of<JobEvent>) { draw_type(out, "string"); }

// --- contents: JSON in one field or bytes in the next, not both ----------------------------------------------------

void read_json_content(JsonReader& in, Content& out);
void read_bytes_content(JsonReader& in, Content& out);
inline const Content* content_of(const Content& content) { return &content; }
inline const Content* content_of(const std::optional<Content>& content) { return content ? &*content : nullptr; }
inline Content& place_of(Content& content) { return content; }
inline Content& place_of(std::optional<Content>& content) { return content.emplace(); }
void write_base64(JsonWriter& out, std::string_view name, std::string_view bytes);
void draw_bytes(Schemas& out);

template <auto... Path>
constexpr auto json_content(std::string_view name, std::string_view doc) {
  using T = Root<Path...>;
  return Field<T>{
      .name = name,
      .doc = doc,
      .read = [](JsonReader& in, T& out, const Range&) { read_json_content(in, place_of(reach<Path...>(out))); },
      .write =
          [](JsonWriter& out, std::string_view key, const T& value) {
            const Content* content = content_of(reach<Path...>(value));
            if (content == nullptr || content->encoding != Encoding::json || content->data.empty()) return;
            out.plain_key(key);
            out.raw(content->data);
          },
      .draw = [](Schemas&) {},
  };
}
template <auto... Path>
constexpr auto bytes_content(std::string_view name, std::string_view doc = "Bytes instead of JSON.") {
  using T = Root<Path...>;
  return Field<T>{
      .name = name,
      .doc = doc,
      .read = [](JsonReader& in, T& out, const Range&) { read_bytes_content(in, place_of(reach<Path...>(out))); },
      .write =
          [](JsonWriter& out, std::string_view key, const T& value) {
            const Content* content = content_of(reach<Path...>(value));
            if (content == nullptr || content->encoding != Encoding::bytes) return;
            write_base64(out, key, content->data);
          },
      .draw = draw_bytes,
      .alternative = true,
  };
}

// A JSON object that is kept as text; empty for none.
void read_json_object(JsonReader& in, std::string& out);
inline void draw_any_object(Schemas& out) { draw_type(out, "object"); }
template <auto... Path>
constexpr auto json_object(std::string_view name, std::string_view doc = {}) {
  using T = Root<Path...>;
  return Field<T>{
      .name = name,
      .doc = doc,
      .read = [](JsonReader& in, T& out, const Range&) { read_json_object(in, reach<Path...>(out)); },
      .write =
          [](JsonWriter& out, std::string_view key, const T& value) {
            const std::string& text = reach<Path...>(value);
            if (text.empty()) return;
            out.plain_key(key);
            out.raw(text);
          },
      .draw = draw_any_object,
  };
}

// --- objects that several requests and replies share ---------------------------------------------------------------

const Object<JobError>& object_of(Of<JobError>);
const Object<StepPolicy>& object_of(Of<StepPolicy>);
const Object<LeaseRef>& object_of(Of<LeaseRef>);

inline constexpr std::string_view kFenceDoc = "The fence of the grant; it grows with every grant.";
inline constexpr std::string_view kSessionDoc = "One registration of a worker.";

}  // namespace muster::http
