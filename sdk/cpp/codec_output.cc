// Output and feedback: what types_output.h describes.
#include "sdk/cpp/fields.h"

namespace muster::sdk {
namespace fields {
namespace {

void read_data(const Json& object, const char*, OutputChunk& out) {
  if (const Json* coded = find(object, "data_base64"))
    out.data = from_base64(coded->get<std::string>()).value_or("");
  else if (const Json* text = find(object, "text"))
    out.data = text->get<std::string>();
}
bool is_text(const std::string& data) {
  try {
    static_cast<void>(Json(data).dump());  // the library refuses what is not UTF-8
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}
void write_data(Writing& out, const char*, const OutputChunk& chunk) {
  if (is_text(chunk.data))
    out.json["text"] = chunk.data;
  else
    out.json["data_base64"] = to_base64(chunk.data);
}

// A JSON object that is kept as text.
template <auto kMember>
constexpr auto json_text(const char* name) {
  using T = ObjectOf<kMember>;
  return Field<T>{.name = name,
                  .read =
                      [](const Json& object, const char* key, T& out) {
                        if (const Json* value = find(object, key)) out.*kMember = text_of(*value);
                      },
                  .write =
                      [](Writing& out, const char* key, const T& value) {
                        if ((value.*kMember).empty()) return;
                        Json tree = Json::parse(value.*kMember, nullptr, false);
                        if (!tree.is_object()) return out.fail(fmt::format("{} is no JSON object", key));
                        out.json[key] = std::move(tree);
                      }};
}

}  // namespace

template <>
constexpr auto kFields<OutputChunk> = std::array{
    Field<OutputChunk>{.name = "number", .read = read_member<&OutputChunk::number>},
    field<&OutputChunk::channel>("channel"),
    Field<OutputChunk>{.name = "text", .read = read_data, .write = write_data},
    field<&OutputChunk::index>("index"),
    field<&OutputChunk::mime_type>("mime_type"),
    json_text<&OutputChunk::metadata>("metadata"),
    field<&OutputChunk::terminal>("terminal"),
    Field<OutputChunk>{.name = "fence", .read = read_member<&OutputChunk::fence>},
    Field<OutputChunk>{.name = "at", .read = read_member<&OutputChunk::at>},
    document<&OutputChunk::document>(),
};
template <>
constexpr auto kFields<OutputGap> = std::array{
    field<&OutputGap::channel>("channel"),
    field<&OutputGap::chunks>("chunks"),
    field<&OutputGap::bytes>("bytes"),
    field<&OutputGap::until>("until"),
};
template <>
constexpr auto kFields<JobOutput> = std::array{
    field<&JobOutput::id>("id").must(),  field<&JobOutput::state>("state"),      field<&JobOutput::stage>("stage"),
    field<&JobOutput::chunks>("chunks"), field<&JobOutput::next>("next").must(), field<&JobOutput::more>("more"),
    field<&JobOutput::gaps>("gaps"),     document<&JobOutput::document>(),
};
template <>
constexpr auto kFields<Feedback> = std::array{
    field<&Feedback::fraction>("fraction"),   field<&Feedback::message>("message"),     field<&Feedback::stage>("stage"),
    json_text<&Feedback::metrics>("metrics"), json_text<&Feedback::results>("results"), field<&Feedback::chunks>("chunks"),
};

}  // namespace fields

using namespace fields;

Result<std::string> encode_feedback(const LeaseRef& lease, const Feedback& feedback) {
  Writing out;
  out.json["fence"] = lease.fence;
  write_fields(out, Fields<Feedback>(kFields<Feedback>), feedback);
  if (out.error) return *std::move(out.error);
  return text_of(out.json);
}

Result<JobOutput> decode_output(std::string_view body) { return decoded<JobOutput>(body); }

}  // namespace muster::sdk
