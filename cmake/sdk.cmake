# The C++ SDK as others get it: muster::sdk and muster::testkit by find_package(muster) or pkg-config, headers as <muster/…>.
#
# In the tree headers are included by their path from the root ("sdk/cpp/workflow/worker.h"); installed they are "muster/workflow/worker.h".
# The copies are made when the build is configured, and the examples are built from them in the tree too.

muster_folder(workflow sdk/cpp/workflow LINK muster_sdk nlohmann_json::nlohmann_json PRIVATE muster_proto_grpc)
muster_folder(testkit sdk/cpp/testkit LINK muster_workflow PRIVATE muster_front_grpc muster_store_sqlite)

set(sdk_include ${CMAKE_BINARY_DIR}/sdk/include)
file(GLOB sdk_headers RELATIVE ${CMAKE_SOURCE_DIR}/sdk/cpp CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sdk/cpp/*.h)
list(FILTER sdk_headers EXCLUDE REGEX "^(fields|transport|url|worker_tasks|signal_watch|client_state)\\.h$")
file(GLOB workflow_headers RELATIVE ${CMAKE_SOURCE_DIR}/sdk/cpp CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/sdk/cpp/workflow/*.h ${CMAKE_SOURCE_DIR}/sdk/cpp/testkit/*.h)
# Those that gRPC or the server's headers would leak from, and those of tests, stay at home.
list(FILTER workflow_headers EXCLUDE REGEX "/(wire|grpc_port|worker_state|client_state|skipping_clock|time_skipper|local_server)\\.h$")
list(FILTER workflow_headers EXCLUDE REGEX "_testing\\.h$")
# Of the worker over WebSocket only what programs include; the rest is made of the server's own folders.
file(GLOB agents_headers RELATIVE ${CMAKE_SOURCE_DIR}/sdk/cpp CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sdk/cpp/agents/*.h)
set(ws_headers ws/ws.h ws/worker.h ws/task.h ws/resources.h)
foreach(header ${sdk_headers} ${workflow_headers} ${agents_headers} ${ws_headers})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sdk/cpp/${header})
  file(READ ${CMAKE_SOURCE_DIR}/sdk/cpp/${header} text)
  string(REPLACE "#include \"sdk/cpp/" "#include \"muster/" text "${text}")
  file(CONFIGURE OUTPUT ${sdk_include}/muster/${header} CONTENT "${text}" @ONLY)
endforeach()
file(CONFIGURE OUTPUT ${sdk_include}/muster/workflow.h
  CONTENT "// Everything a program needs for durable workflows.\n#pragma once\n\n#include \"muster/workflow/workflow.h\"  // IWYU pragma: export\n" @ONLY)
file(CONFIGURE OUTPUT ${sdk_include}/muster/ws.h
  CONTENT "// Everything a program needs to be a worker over WebSocket.\n#pragma once\n\n#include \"muster/ws/ws.h\"  // IWYU pragma: export\n" @ONLY)
file(CONFIGURE OUTPUT ${sdk_include}/muster/agents.h
  CONTENT "// Everything a program needs to define agents and tools, and to run them.\n#pragma once\n\n#include \"muster/agents/agents.h\"  // IWYU pragma: export\n" @ONLY)
file(CONFIGURE OUTPUT ${sdk_include}/muster/testkit.h
  CONTENT "// A server in the test's own process.\n#pragma once\n\n#include \"muster/testkit/test_server.h\"  // IWYU pragma: export\n" @ONLY)

# What the installed package calls muster::sdk and muster::testkit.
add_library(muster_sdk_installed INTERFACE)
target_link_libraries(muster_sdk_installed INTERFACE muster_workflow muster_ws_worker muster_sdk Threads::Threads)
target_include_directories(muster_sdk_installed INTERFACE ${sdk_include})
add_library(muster::sdk ALIAS muster_sdk_installed)
add_library(muster_testkit_installed INTERFACE)
target_link_libraries(muster_testkit_installed INTERFACE muster_testkit muster_sdk_installed)
add_library(muster::testkit ALIAS muster_testkit_installed)

# Our own static libraries that a target is made of, itself included.
function(muster_parts target out)
  set(found ${${out}})
  if(NOT target IN_LIST found)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND found ${target})
      get_target_property(links ${target} LINK_LIBRARIES)
      foreach(link ${links})
        if(link MATCHES "^muster_" AND TARGET ${link})
          muster_parts(${link} found)
        endif()
      endforeach()
    endif()
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
set(sdk_parts)
muster_parts(muster_workflow sdk_parts)
muster_parts(muster_ws_worker sdk_parts)
set(testkit_parts)
muster_parts(muster_testkit testkit_parts)
set(installed_parts ${testkit_parts} ${sdk_parts})
list(REMOVE_DUPLICATES installed_parts)
install(TARGETS ${installed_parts} ARCHIVE DESTINATION lib COMPONENT sdk)
install(DIRECTORY ${sdk_include}/muster DESTINATION include COMPONENT sdk)

include(CMakePackageConfigHelpers)
set(libdir lib)
set(includedir include)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/muster-config.cmake.in ${CMAKE_BINARY_DIR}/sdk/muster-config.cmake
  INSTALL_DESTINATION lib/cmake/muster PATH_VARS libdir includedir)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sdk/muster-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sdk/muster-config.cmake ${CMAKE_BINARY_DIR}/sdk/muster-config-version.cmake
  DESTINATION lib/cmake/muster COMPONENT sdk)
list(TRANSFORM sdk_parts PREPEND -l OUTPUT_VARIABLE sdk_link_flags)
list(JOIN sdk_link_flags " " sdk_link_flags)
configure_file(${CMAKE_SOURCE_DIR}/cmake/muster.pc.in ${CMAKE_BINARY_DIR}/sdk/muster.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/sdk/muster.pc DESTINATION lib/pkgconfig COMPONENT sdk)

# Each example is its own small program; the tests run them against the shipped binary.
file(GLOB example_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*/main.cc)
foreach(source ${example_sources})
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE muster::sdk muster_flags)
  set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
endforeach()
# The worker that tests/blackbox/workflow_crash kills.
add_executable(workflow_crash_worker ${CMAKE_SOURCE_DIR}/tests/programs/workflow_crash_main.cc)
target_link_libraries(workflow_crash_worker PRIVATE muster::sdk muster_flags)
set_target_properties(workflow_crash_worker PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# Reference pages, where Doxygen is installed: ninja sdk_docs.
find_program(DOXYGEN doxygen)
if(DOXYGEN)
  add_custom_target(sdk_docs COMMAND ${DOXYGEN} docs/Doxyfile WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endif()
