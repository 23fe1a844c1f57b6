# muster_proto: the messages of proto/*.proto, generated at build time; included as "kagzi_v1.pb.h". muster_proto_grpc: their client stubs,
# for the SDK, tests and benchmarks ("kagzi_v1.grpc.pb.h"); the server dispatches by path and needs none.
find_package(Protobuf REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(grpcpp REQUIRED IMPORTED_TARGET grpc++ absl_synchronization)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)

file(GLOB proto_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/proto/*.proto)
set(proto_out ${CMAKE_BINARY_DIR}/generated/proto)
file(MAKE_DIRECTORY ${proto_out})
foreach(file ${proto_files})
  get_filename_component(name ${file} NAME_WE)
  set(messages ${proto_out}/${name}.pb.cc ${proto_out}/${name}.pb.h)
  set(stubs ${proto_out}/${name}.grpc.pb.cc ${proto_out}/${name}.grpc.pb.h)
  add_custom_command(
    OUTPUT ${messages} ${stubs}
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR}/proto --cpp_out=${proto_out} --grpc_out=${proto_out}
      --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN} ${file}
    DEPENDS ${file}
    COMMENT "proto ${name}")
  list(APPEND message_sources ${messages})
  list(APPEND stub_sources ${stubs})
endforeach()

# Not our code: neither our warnings nor our precompiled header.
add_library(muster_proto STATIC ${message_sources})
target_include_directories(muster_proto SYSTEM PUBLIC ${proto_out})
target_link_libraries(muster_proto PUBLIC protobuf::libprotobuf)
add_library(muster_proto_grpc STATIC ${stub_sources})
target_link_libraries(muster_proto_grpc PUBLIC muster_proto PkgConfig::grpcpp)
