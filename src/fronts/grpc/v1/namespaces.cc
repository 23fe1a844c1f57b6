#include <algorithm>

#include "command/namespaces.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/v1/shapes.h"
#include "model/limits.h"
#include "model/validate.h"

namespace muster::rpc::v1 {
namespace {

constexpr PageRule kNamespacePages{.usual = 20, .most = 100};

void refuse_namespace(const CallRef& call, const Status& status, const std::string& name) {
  V1::refuse(call, status, {.kind = "namespace", .id = name});
}

template <class Response>
Reply<NamespaceInfo> answer_namespace(const CallRef& call, std::string name) {
  return [call, name = std::move(name)](Result<NamespaceInfo> info) {
    if (!info.ok()) return refuse_namespace(call, info.status(), name);
    call->core.namespaces.add(info->name);
    Response response;
    put_namespace(*info, response.mutable_namespace_());
    V1::answer(call, response);
  };
}

Status check_texts(const std::string& display_name, const std::string& description) {
  if (Status name = validate_text("display_name", display_name, {.bytes_max = limits::kKeyBytesMax}); !name.ok()) return name;
  return validate_text("description", description, {.bytes_max = limits::kErrorBytesMax, .one_line = false});
}

template <class Request, class Response>
void switch_namespace(const CallRef& call, bool enabled) {
  const auto request = V1::parse<Request>(call);
  if (!request) return;
  if (Status all = required({{"namespace", &request->namespace_()}}); !all.ok()) return V1::refuse(call, all);
  NamespaceChange change;
  change.name = namespace_of(request->namespace_());
  change.enabled = enabled;
  ask(call, std::move(change), answer_namespace<Response>(call, request->namespace_()));
}

}  // namespace

void create_namespace(CallRef call) {
  const auto request = V1::parse<pb::CreateNamespaceRequest>(call);
  if (!request) return;
  if (Status all = required({{"namespace", &request->namespace_()}, {"display_name", &request->display_name()}}); !all.ok())
    return V1::refuse(call, all);
  if (Status texts = check_texts(request->display_name(), request->description()); !texts.ok()) return V1::refuse(call, texts);
  ask(call,
      command::NamespaceCreateRequest{.name = namespace_of(request->namespace_()),
                                      .description = request->description(),
                                      .display_name = request->display_name()},
      answer_namespace<pb::CreateNamespaceResponse>(call, request->namespace_()));
}

void get_namespace(CallRef call) {
  const auto request = V1::parse<pb::GetNamespaceRequest>(call);
  if (!request) return;
  if (Status all = required({{"namespace", &request->namespace_()}}); !all.ok()) return V1::refuse(call, all);
  ask(call, command::NamespaceListRequest{}, [call, wanted = request->namespace_()](Result<std::vector<NamespaceInfo>> all) {
    if (!all.ok()) return V1::refuse(call, all.status());
    const NamespaceName name = namespace_of(wanted);
    const auto it = std::find_if(all->begin(), all->end(), [&name](const NamespaceInfo& info) { return info.name == name; });
    if (it == all->end())
      return refuse_namespace(call, Status::not_found(fmt::format("namespace '{}' does not exist", wanted)), wanted);
    pb::GetNamespaceResponse response;
    put_namespace(*it, response.mutable_namespace_());
    V1::answer(call, response);
  });
}

void list_namespaces(CallRef call) {
  const auto request = V1::parse<pb::ListNamespacesRequest>(call);
  if (!request) return;
  const auto page = page_of(call, request->page(), kNamespacePages);
  if (!page) return;
  ask(call, command::NamespaceListRequest{}, [call, page = *page](Result<std::vector<NamespaceInfo>> all) {
    if (!all.ok()) return V1::refuse(call, all.status());
    std::sort(all->begin(), all->end(), [](const NamespaceInfo& a, const NamespaceInfo& b) { return a.name < b.name; });
    pb::ListNamespacesResponse response;
    std::string next;
    for (const NamespaceInfo& info : *all) {
      if (!page.cursor.empty() && info.name.text() <= page.cursor) continue;
      if (static_cast<std::size_t>(response.namespaces_size()) == page.limit) {
        next = encode_name(response.namespaces(response.namespaces_size() - 1).namespace_());
        break;
      }
      put_namespace(info, response.add_namespaces());
    }
    put_page(next, all->size(), response.mutable_page());
    V1::answer(call, response);
  });
}

void update_namespace(CallRef call) {
  const auto request = V1::parse<pb::UpdateNamespaceRequest>(call);
  if (!request) return;
  if (Status all = required({{"namespace", &request->namespace_()}}); !all.ok()) return V1::refuse(call, all);
  if (request->has_display_name() && request->display_name().empty())
    return V1::refuse(call, Status::invalid_argument("display_name is empty"));
  if (Status texts = check_texts(request->display_name(), request->description()); !texts.ok()) return V1::refuse(call, texts);
  NamespaceChange change;
  change.name = namespace_of(request->namespace_());
  if (request->has_display_name()) change.display_name = request->display_name();
  if (request->has_description()) change.description = request->description();
  ask(call, std::move(change), answer_namespace<pb::UpdateNamespaceResponse>(call, request->namespace_()));
}

void enable_namespace(CallRef call) { switch_namespace<pb::EnableNamespaceRequest, pb::EnableNamespaceResponse>(call, true); }

void disable_namespace(CallRef call) { switch_namespace<pb::DisableNamespaceRequest, pb::DisableNamespaceResponse>(call, false); }

}  // namespace muster::rpc::v1
