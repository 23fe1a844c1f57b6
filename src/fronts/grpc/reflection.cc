#include "fronts/grpc/reflection.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <array>
#include <set>
#include <utility>
#include <vector>

#include "fronts/grpc/catalogue.h"
#include "reflection_v1.pb.h"
#include "reflection_v1alpha.pb.h"

namespace muster::rpc {
namespace {

namespace proto = grpc::reflection::v1;  // v1alpha is the same on the wire
using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;

const DescriptorPool& pool() { return *DescriptorPool::generated_pool(); }

// A file is in the pool once its code is linked in; tools of the older version ask for their own.
void link_alpha() { static_cast<void>(grpc::reflection::v1alpha::ServerReflectionRequest::default_instance()); }

void add_file(const FileDescriptor& file, std::set<std::string>& seen, proto::FileDescriptorResponse& out) {
  if (!seen.insert(file.name()).second) return;
  google::protobuf::FileDescriptorProto description;
  file.CopyTo(&description);
  out.add_file_descriptor_proto(description.SerializeAsString());
  for (int i = 0; i < file.dependency_count(); ++i) add_file(*file.dependency(i), seen, out);
}

void say_missing(const std::string& what, proto::ServerReflectionResponse& out) {
  out.mutable_error_response()->set_error_code(static_cast<int>(WireCode::not_found));
  out.mutable_error_response()->set_error_message("not found: " + what);
}

// The file first, then everything it needs.
void answer_file(const FileDescriptor* file, const std::string& asked, proto::ServerReflectionResponse& out) {
  if (file == nullptr) return say_missing(asked, out);
  std::set<std::string> seen;
  add_file(*file, seen, *out.mutable_file_descriptor_response());
}

const FileDescriptor* extension_file(const proto::ExtensionRequest& request) {
  const auto* type = pool().FindMessageTypeByName(request.containing_type());
  const auto* extension = type == nullptr ? nullptr : pool().FindExtensionByNumber(type, request.extension_number());
  return extension == nullptr ? nullptr : extension->file();
}

void answer_extensions(const std::string& type_name, proto::ServerReflectionResponse& out) {
  const auto* type = pool().FindMessageTypeByName(type_name);
  if (type == nullptr) return say_missing(type_name, out);
  std::vector<const google::protobuf::FieldDescriptor*> extensions;
  pool().FindAllExtensions(type, &extensions);
  auto& response = *out.mutable_all_extension_numbers_response();
  response.set_base_type_name(type_name);
  for (const auto* extension : extensions) response.add_extension_number(extension->number());
}

// A response for every request.
class Reflection final : public StreamMethod {
 public:
  explicit Reflection(StreamCall& call) : call_(call) {}

  void received(std::string message) override {
    if (auto answer = reflect(message)) return call_.send(*std::move(answer));
    call_.refuse(wire_error(ErrorDialect::native, Status::invalid_argument("the message is not a ServerReflectionRequest")));
  }
  void half_closed() override { call_.finish(); }
  void stopping() override { call_.refuse(wire_error(ErrorDialect::native, Status::unavailable("the server is stopping"))); }

 private:
  StreamCall& call_;
};

constexpr Method reflection_of(std::string_view service) {
  return {.service = service, .name = "ServerReflectionInfo", .dialect = ErrorDialect::native, .open = [](StreamCall& call) {
            return std::unique_ptr<StreamMethod>(std::make_unique<Reflection>(call));
          }};
}
constexpr std::array kReflectionMethods{reflection_of(kReflectionService), reflection_of(kReflectionAlphaService)};

}  // namespace

std::optional<std::string> reflect(std::string_view request) {
  link_alpha();
  proto::ServerReflectionResponse response;
  proto::ServerReflectionRequest& asked = *response.mutable_original_request();
  if (!asked.ParseFromArray(request.data(), static_cast<int>(request.size()))) return std::nullopt;
  response.set_valid_host(asked.host());
  switch (asked.message_request_case()) {
    case proto::ServerReflectionRequest::kFileByFilename:
      answer_file(pool().FindFileByName(asked.file_by_filename()), asked.file_by_filename(), response);
      break;
    case proto::ServerReflectionRequest::kFileContainingSymbol:
      answer_file(pool().FindFileContainingSymbol(asked.file_containing_symbol()), asked.file_containing_symbol(), response);
      break;
    case proto::ServerReflectionRequest::kFileContainingExtension:
      answer_file(extension_file(asked.file_containing_extension()), asked.file_containing_extension().containing_type(),
                  response);
      break;
    case proto::ServerReflectionRequest::kAllExtensionNumbersOfType:
      answer_extensions(asked.all_extension_numbers_of_type(), response);
      break;
    case proto::ServerReflectionRequest::kListServices:
      for (const std::string& name : Catalogue::services())
        response.mutable_list_services_response()->add_service()->set_name(name);
      break;
    case proto::ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
      response.mutable_error_response()->set_error_code(static_cast<int>(WireCode::invalid_argument));
      response.mutable_error_response()->set_error_message("the request asks for nothing that is known here");
      break;
  }
  return response.SerializeAsString();
}

std::span<const Method> reflection_methods() { return kReflectionMethods; }

}  // namespace muster::rpc
