// The names of the nouns. A job's id is a 128-bit value that its store derives from an integer key; the others are text.
#pragma once

#include <cstdint>

#include "base/id.h"
#include "base/uuid.h"

namespace muster {

using NamespaceName = Id<struct NamespaceTag>;
using QueueName = Id<struct QueueTag>;
using JobType = Id<struct JobTypeTag>;
using WorkerId = Id<struct WorkerTag>;

inline constexpr const char* kDefaultNamespace = "default";
inline constexpr const char* kDefaultQueue = "default";

struct JobId {
  Uuid value;
  friend auto operator<=>(const JobId&, const JobId&) = default;
  std::string text() const { return value.text(); }
  static std::optional<JobId> parse(std::string_view text) {
    const auto uuid = Uuid::parse(text);
    if (!uuid) return std::nullopt;
    return JobId{*uuid};
  }
};

// Grows with every grant, across restarts and nodes. A write that names an old one is refused.
enum class Fence : std::uint64_t {};
inline std::uint64_t to_number(Fence fence) { return static_cast<std::uint64_t>(fence); }

// One registration of a worker. A new registration of the same name ends the session before it.
enum class SessionId : std::uint64_t {};
inline std::uint64_t to_number(SessionId session) { return static_cast<std::uint64_t>(session); }

}  // namespace muster

template <>
struct std::hash<muster::JobId> {
  std::size_t operator()(const muster::JobId& id) const noexcept { return std::hash<muster::Uuid>()(id.value); }
};
