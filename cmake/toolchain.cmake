# Compiler, warnings, sanitizers and the third-party targets. Debian 12 packages only; ./dev setup installs them.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

set(MUSTER_SANITIZE "" CACHE STRING "address, thread, or empty")
option(MUSTER_FUZZ "build the libFuzzer targets (clang)" OFF)

add_library(muster_flags INTERFACE)
target_compile_options(muster_flags INTERFACE -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor
  # Designated initialisers leave defaults out on purpose; GCC 12's maybe-uninitialized is wrong about std::variant.
  -Wno-missing-field-initializers $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
target_include_directories(muster_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
if(MUSTER_SANITIZE STREQUAL "address")
  # The library's own checks find what neither sees: an empty optional that is read, an index beyond a vector's end.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
elseif(MUSTER_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  # GCC warns that TSan does not model std::atomic_thread_fence; Asio uses one in its header-only reactor.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  add_link_options(-fsanitize=thread)
endif()
if(MUSTER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()

find_program(MOLD mold)
if(MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_link_options(-fuse-ld=mold)
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(GTest QUIET)  # without it there are no tests, and the server is built all the same
find_package(Boost 1.81 REQUIRED)
find_package(date REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(re2 REQUIRED re2)
pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)

# Asio and Beast are header-only; exceptions of theirs are caught in the folders that use them.
add_library(muster_boost INTERFACE)
target_link_libraries(muster_boost INTERFACE Boost::headers Threads::Threads OpenSSL::SSL OpenSSL::Crypto)
target_compile_definitions(muster_boost INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)

# Without the flags its package asks for: -pthread on some sources only would keep them from the precompiled header.
add_library(muster_re2 INTERFACE)
target_link_libraries(muster_re2 INTERFACE ${re2_LINK_LIBRARIES} Threads::Threads)

# What the shipped programs allocate with (docs/decisions/0008). Sanitizers bring their own.
add_library(muster_allocator INTERFACE)
if(NOT MUSTER_SANITIZE AND NOT MUSTER_FUZZ)
  find_package(mimalloc REQUIRED)
  target_link_libraries(muster_allocator INTERFACE mimalloc)
endif()

# How much the optimiser does is most of what a compiler costs that has its headers precompiled. Tests run for milliseconds and are
# compiled far more often than they are slow: -O0 takes half the time of -O2. What people wait for more than the processor does
# (the command line, starting a server, running tools) takes -O1.
set(MUSTER_FOR_TESTS $<$<OR:$<CONFIG:Release>,$<NOT:$<STREQUAL:${MUSTER_SANITIZE},>>>:-O0>)
set(MUSTER_FOR_PEOPLE $<$<CONFIG:Release>:-O1>)

# The standard library and fmt, precompiled once for each way of optimising. ./dev headers compiles without it.
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/pch.cc CONTENT "")
function(muster_pch name)  # [OPTIONS…]
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/generated/pch.cc)
  target_link_libraries(${name} PRIVATE muster_flags fmt::fmt)
  target_compile_options(${name} PRIVATE ${ARGN})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <deque> <functional> <map> <memory> <mutex>
    <optional> <span> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
endfunction()
muster_pch(muster_pch)
muster_pch(muster_pch_people ${MUSTER_FOR_PEOPLE})
muster_pch(muster_pch_test ${MUSTER_FOR_TESTS})

# Compiles TARGET in one of the ways above: "", people or test.
function(muster_optimise target how)
  if(how STREQUAL "people")
    target_compile_options(${target} PRIVATE ${MUSTER_FOR_PEOPLE})
    target_precompile_headers(${target} REUSE_FROM muster_pch_people)
  elseif(how STREQUAL "test")
    target_compile_options(${target} PRIVATE ${MUSTER_FOR_TESTS})
    target_precompile_headers(${target} REUSE_FROM muster_pch_test)
  else()
    target_precompile_headers(${target} REUSE_FROM muster_pch)
  endif()
endfunction()
enable_testing()
include(GoogleTest)
