// The batches of the stand-in: created, polled until they have ended, cancelled, read. On the server's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/claude/script.h"

namespace muster::stand_in {

class Batches {
 public:
  explicit Batches(Script& script) : script_(script) {}

  // `rest` is what follows /v1/messages/batches in the path. Nothing: it is no path of batches.
  std::optional<Plan> answer(std::string_view method, std::string_view rest, const Json& body, const std::string& host);

 private:
  struct Batch {
    std::string id;
    std::vector<std::pair<std::string, Json>> requests;  // custom_id → params
    std::vector<std::string> lines;                      // once it has ended
    std::uint32_t polls = 0;
    bool canceling = false;
    bool ended = false;
  };

  Plan create(const Json& body, const std::string& host);
  void poll(Batch& batch);
  Plan results(const Batch& batch);
  static Json describe(const Batch& batch, const std::string& host);
  Batch* find(std::string_view id);

  Script& script_;
  std::vector<Batch> batches_;
};

}  // namespace muster::stand_in
