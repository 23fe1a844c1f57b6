#include "fronts/http/codec/feedback.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {

namespace words {
constexpr std::array<std::string_view, kOutputChannels> kOutputChannelWords{"stdout", "stderr", "log", "llm", "metric", "custom"};
}
template <>
constexpr std::span<const std::string_view> kWords<OutputChannel> = words::kOutputChannelWords;

namespace {

// Text in one field, or any bytes in the next.
constexpr Field<OutputChunk> kTextField{
    .name = "text",
    .doc = "What it says.",
    .read = [](JsonReader& in, OutputChunk& out, const Range&) { out.data = in.read_string(); },
    .write =
        [](JsonWriter& out, std::string_view name, const OutputChunk& chunk) {
          if (chunk.text) out.member(name, chunk.data);
        },
    .draw = [](Schemas& out) { draw_type(out, "string"); },
};
constexpr Field<OutputChunk> kBytesField{
    .name = "data_base64",
    .doc = "Bytes instead of text.",
    .read =
        [](JsonReader& in, OutputChunk& out, const Range&) {
          Content content;
          read_bytes_content(in, content);
          out.data = std::move(content.data);
          out.text = false;
        },
    .write =
        [](JsonWriter& out, std::string_view name, const OutputChunk& chunk) {
          if (!chunk.text) write_base64(out, name, chunk.data);
        },
    .draw = draw_bytes,
    .alternative = true,
};

constexpr std::array kChunkFields{
    shown<&OutputChunk::number>("number", "Its place in the output of the job, from 1."),
    field<&OutputChunk::channel>("channel").required(),
    kTextField,
    kBytesField,
    field<&OutputChunk::index>("index", "As the worker counts."),
    field_unless_blank<&OutputChunk::mime_type>("mime_type", "text/plain when absent."),
    json_object<&OutputChunk::metadata>("metadata"),
    field_unless_blank<&OutputChunk::terminal>("terminal", "The last of its channel."),
    shown<&OutputChunk::fence>("fence", "Of the lease it came under: tells attempts apart."),
    shown<&OutputChunk::at>("at", "When it came."),
};
constexpr Object<OutputChunk> kChunk{"OutputChunk", "", kChunkFields,
                                     R"({"number":1,"channel":"stdout","text":"line\n","index":0,"fence":42,"at":%at%})"};

void read_json_array(JsonReader& in, std::string& out) {
  if (in.ok() && in.peek() != JsonKind::array)
    return in.refuse(fmt::format("an array is accepted, found {}", to_string(in.peek())));
  out = std::string(in.read_raw());
}

constexpr Field<OutcomeFacts> kArtifactsField{
    .name = "artifacts",
    .doc = "What was made, as the worker describes it.",
    .read = [](JsonReader& in, OutcomeFacts& out, const Range&) { read_json_array(in, out.artifacts); },
    .write =
        [](JsonWriter& out, std::string_view name, const OutcomeFacts& facts) {
          if (facts.artifacts.empty()) return;
          out.plain_key(name);
          out.raw(facts.artifacts);
        },
    .draw =
        [](Schemas& out) {
          draw_type(out, "array");
          out.json.key("items");
          out.json.begin_object();
          draw_any_object(out);
          out.json.end_object();
        },
};
constexpr std::array kOutcomeFields{
    field_unless_blank<&OutcomeFacts::status>("status", "In the worker's words."),
    field<&OutcomeFacts::duration>("duration_ms", "How long it took, says the worker."),
    json_object<&OutcomeFacts::metadata>("metadata"),
    kArtifactsField,
};
constexpr Object<OutcomeFacts> kOutcome{"Outcome", "What a worker says of a result beside the result.", kOutcomeFields,
                                        R"({"status":"SUCCEEDED","duration_ms":120,"artifacts":[{"resource_id":"r1"}]})"};

constexpr std::array kLossFields{
    shown<&command::OutputGap::channel>("channel"),
    shown<&command::OutputGap::lost, &OutputLoss::chunks>("chunks", "That are gone."),
    shown<&command::OutputGap::lost, &OutputLoss::bytes>("bytes", "Of them."),
    shown<&command::OutputGap::lost, &OutputLoss::until>("until", "The number of the newest of them."),
};
constexpr Object<command::OutputGap> kGap{"OutputGap", "", kLossFields,
                                          R"({"channel":"stdout","chunks":3,"bytes":4096,"until":12})"};

constexpr std::array kPlaceFields{
    given<&command::FeedbackPlace::stream>("stream", "A name of the sender's own.").required(),
    given<&command::FeedbackPlace::number>("number", "Grows with each report.").required(),
};
constexpr Object<command::FeedbackPlace> kPlace{"", "", kPlaceFields};

}  // namespace

const Object<OutputChunk>& object_of(Of<OutputChunk>) { return kChunk; }
static const Object<OutcomeFacts>& object_of(Of<OutcomeFacts>) { return kOutcome; }
static const Object<command::OutputGap>& object_of(Of<command::OutputGap>) { return kGap; }
static const Object<command::FeedbackPlace>& object_of(Of<command::FeedbackPlace>) { return kPlace; }

namespace {

using Report = command::JobFeedbackRequest;

constexpr std::array kReportFields{
    given<&Report::lease, &LeaseRef::fence>("fence", kFenceDoc).required(),
    given<&Report::fraction>("fraction", "How much is done.").judged(0, 1),
    given<&Report::message>("message"),
    given<&Report::stage>("stage", "What it is doing."),
    json_object<&Report::metrics>("metrics", "Numbers by name; they replace those before."),
    json_object<&Report::results>("results", "Merged into the partial result; null removes."),
    given<&Report::chunks>("chunks", "Output, in order."),
    given<&Report::outcome>("outcome", "Of the result that follows."),
    given<&Report::place>("place", "A report that is not behind the last one of its stream was kept already."),
};
constexpr Object<Report> kReport{"FeedbackRequest", "", kReportFields};

constexpr std::array kOutputFields{
    shown<&command::JobOutput::job>("id", "The job."),
    shown<&command::JobOutput::ns>("namespace"),
    shown<&command::JobOutput::state>("state"),
    shown_unless_blank<&command::JobOutput::stage>("stage", "What it was doing, says its worker."),
    json_object<&command::JobOutput::metrics>("metrics", "The latest."),
    shown<&command::JobOutput::chunks>("chunks", "In the order in which they came."),
    shown<&command::JobOutput::next>("next", "Pass it as `after` to read on."),
    shown<&command::JobOutput::more>("more", "There is more to read at once."),
    shown_unless_blank<&command::JobOutput::gaps>("gaps", "What of these channels is gone behind `after`."),
    shown<&command::JobOutput::outcome>("outcome"),
};
constexpr Object<command::JobOutput> kOutput{
    "JobOutput", "", kOutputFields,
    R"({"id":%id%,"namespace":"default","state":"running","stage":"streaming","chunks":[%OutputChunk%],"next":1,"more":false})"};

constexpr std::array kOutputParameters{
    Parameter<command::JobOutputRequest>{.text = {.name = "channel",
                                                  .doc = "Only this one.",
                                                  .draw = [](Schemas& out) { draw_words(out, words::kOutputChannelWords); }},
                                         .read =
                                             [](QueryReader& in, const ParameterText& text, command::JobOutputRequest& out) {
                                               const auto name = in.text(text.name);
                                               if (!name || name->empty()) return;
                                               out.channel = parse_output_channel(*name);
                                               if (!out.channel)
                                                 in.refuse(text.name, fmt::format("\"{}\" is not accepted; {} are", *name,
                                                                                  fmt::join(words::kOutputChannelWords, ", ")));
                                             }},
    Parameter<command::JobOutputRequest>{.text = {.name = "after",
                                                  .doc = "Chunks behind this number; 0 by default.",
                                                  .draw = draw_of<std::uint64_t>,
                                                  .range = {0, 9007199254740992.0, true}},
                                         .read = [](QueryReader& in, const ParameterText& text,
                                                    command::JobOutputRequest& out) { read_parameter(in, text, out.after); }},
    Parameter<command::JobOutputRequest>{.text = {.name = "limit",
                                                  .doc = "Chunks of one answer; 1000 by default.",
                                                  .draw = draw_of<std::uint64_t>,
                                                  .range = {1, limits::kOutputPageMax, true}},
                                         .read =
                                             [](QueryReader& in, const ParameterText& text, command::JobOutputRequest& out) {
                                               std::uint64_t limit = out.limit;
                                               read_parameter(in, text, limit);
                                               out.limit = limit;
                                             }},
    Parameter<command::JobOutputRequest>{.text = {.name = "wait_ms",
                                                  .doc = "Long poll: for something to read, while the job is unfinished.",
                                                  .draw = draw_of<std::uint64_t>,
                                                  .range = {0, static_cast<double>(command::kOutputWaitMax.count()), true}},
                                         .read =
                                             [](QueryReader& in, const ParameterText& text, command::JobOutputRequest& out) {
                                               std::uint64_t wait = 0;
                                               read_parameter(in, text, wait);
                                               out.wait = Duration(wait);
                                             }},
};

constexpr std::array kFeedbackOperations{
    Operation{
        .id = "job_feedback",
        .body = body<kReport>(
            R"({"fence":42,"fraction":0.5,"stage":"streaming","chunks":[{"channel":"stdout","text":"line\n","index":0}],"results":{"pages":3}})"),
        .answers = {ok<store::Renewed>()}},
    Operation{.id = "job_output", .parameters = draw_parameters<kOutputParameters>, .answers = {ok<command::JobOutput>()}},
};

}  // namespace

std::span<const Operation> feedback_operations() { return kFeedbackOperations; }

const Object<command::JobOutput>& object_of(Of<command::JobOutput>) { return kOutput; }

Result<command::JobFeedbackRequest> decode_feedback(JobId job, std::string_view body) {
  command::JobFeedbackRequest initial;
  initial.lease.job = job;
  return read_body(body, kReport, std::move(initial));
}

Result<command::JobOutputRequest> decode_output_query(JobId job, const std::vector<QueryParameter>& query) {
  command::JobOutputRequest initial;
  initial.job = job;
  return read_query(query, kOutputParameters, initial);
}

}  // namespace muster::http
