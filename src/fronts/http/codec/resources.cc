#include "fronts/http/codec/resources.h"

#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {

namespace words {
constexpr std::array<std::string_view, 2> kResourceStates{"active", "evicted"};
}
template <>
constexpr std::span<const std::string_view> kWords<ResourceState> = words::kResourceStates;

namespace {

constexpr std::array kResourceRequestFields{
    given<&Resource::ns>("namespace"),
    given<&Resource::type>("type", "What it is.").required(),
    given<&Resource::worker_name>("worker_name", "The worker that has it, as tasks name it.").required(),
    given<&Resource::worker>("worker", "Its instance; absent: whoever bears the name."),
    given<&Resource::scope>("scope"),
    given<&Resource::size_bytes>("size_bytes"),
    json_object<&Resource::metadata>("metadata"),
    given<&Resource::job>("job", "The job that made it."),
    given<&Resource::expires_at>("expires_at", "Seven days from now when absent."),
};
constexpr Object<Resource> kResourceRequest{"ResourceRequest", "", kResourceRequestFields};

constexpr std::array kResourceFields{
    shown<&Resource::id>("id"),
    shown<&Resource::ns>("namespace"),
    shown<&Resource::type>("type"),
    shown_unless_blank<&Resource::scope>("scope"),
    shown<&Resource::state>("state", "evicted: whoever had it is gone."),
    shown<&Resource::worker_name>("worker_name"),
    shown_unless_blank<&Resource::worker>("worker", "The instance that has it."),
    shown<&Resource::worker_live>("worker_live", "Whether that worker is there."),
    shown<&Resource::size_bytes>("size_bytes"),
    shown<&Resource::in_result>("inline", "Its value stands in the result of the job that made it."),
    json_object<&Resource::metadata>("metadata"),
    shown_unless_blank<&Resource::job>("job", "The job that made it."),
    shown<&Resource::created_at>("created_at"),
    shown<&Resource::expires_at>("expires_at"),
};
constexpr Object<Resource> kResource{
    "Resource", "", kResourceFields,
    R"({"id":"model-7","namespace":"default","type":"model","state":"active","worker_name":"gpu-a","worker":"w1","worker_live":true,"inline":false,"created_at":%at%,"expires_at":%at%})"};

}  // namespace

const Object<Resource>& object_of(Of<Resource>) { return kResource; }

namespace {

constexpr std::array kResourcePageFields{
    shown<&ResourcePage::resources>("resources"),
    shown_unless_blank<&ResourcePage::next>("next", "Cursor of the next page; absent at the end."),
};
constexpr Object<ResourcePage> kResourcePage{"ResourcePage", "", kResourcePageFields, R"({"resources":[%Resource%]})"};

constexpr std::array kResourceListParameters{
    parameter<&ResourceQuery::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&ResourceQuery::type>("type", "Of this type only."),
    parameter<&ResourceQuery::worker>("worker", "Of this worker only: its name, or its instance."),
    parameter<&ResourceQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&ResourceQuery::cursor>("cursor", kCursorDoc),
};
constexpr std::array kResourceGetParameters{parameter<&command::ResourceGetRequest::ns>("namespace", kDefaultNamespaceDoc)};
constexpr std::array kResourceDeleteParameters{parameter<&command::ResourceDeleteRequest::ns>("namespace", kDefaultNamespaceDoc)};

constexpr std::array kResourceOperations{
    Operation{.id = "resource_list", .parameters = draw_parameters<kResourceListParameters>, .answers = {ok<ResourcePage>()}},
    Operation{
        .id = "resource_put",
        .body = body<kResourceRequest>(R"({"type":"model","worker_name":"gpu-a","size_bytes":4096,"metadata":{"path":"m.bin"}})"),
        .answers = {ok<Resource>()}},
    Operation{.id = "resource_get", .parameters = draw_parameters<kResourceGetParameters>, .answers = {ok<Resource>()}},
    Operation{.id = "resource_delete", .parameters = draw_parameters<kResourceDeleteParameters>, .answers = {ok<Resource>()}},
};

// `id` comes from the path.
template <class T>
T about_resource(std::string id) {
  T out;
  out.name = std::move(id);
  return out;
}

}  // namespace

std::span<const Operation> resource_operations() { return kResourceOperations; }

const Object<ResourcePage>& object_of(Of<ResourcePage>) { return kResourcePage; }

Result<command::ResourcePutRequest> decode_resource_put(std::string id, std::string_view body) {
  Resource initial;
  initial.id = std::move(id);
  return read_body(body, kResourceRequest, std::move(initial));
}

Result<command::ResourceListRequest> decode_resource_list(const std::vector<QueryParameter>& query) {
  return read_query(query, kResourceListParameters);
}

Result<command::ResourceGetRequest> decode_resource_get(std::string id, const std::vector<QueryParameter>& query) {
  return read_query(query, kResourceGetParameters, about_resource<command::ResourceGetRequest>(std::move(id)));
}

Result<command::ResourceDeleteRequest> decode_resource_delete(std::string id, const std::vector<QueryParameter>& query) {
  return read_query(query, kResourceDeleteParameters, about_resource<command::ResourceDeleteRequest>(std::move(id)));
}

}  // namespace muster::http
