// What a pop answers with for a job: its document, its id, or the element that its client pushed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/unique_function.h"
#include "fronts/resp/client.h"
#include "model/job.h"

namespace muster::resp {
struct Core;
}

namespace muster::resp::work {

struct Rendering {
  WorkerId worker;     // who took them
  bool moves = false;  // BRPOPLPUSH and its kin: a job is named, not shown
};

struct Rendered {
  std::vector<Grant> grants;
  std::vector<std::string> elements;  // one for each of them, in their order
  std::vector<LeaseRef> failed;       // those that could not be written, which are not among them
  Status why;                         // of the last of these
};

// On the loop's thread; before it returns when all plans are at hand. A job that cannot be written keeps no other from its
// worker. `then` must not throw.
void render(Core& core, const std::shared_ptr<Client>& client, std::vector<Grant> grants, Rendering rendering,
            UniqueFunction<void(Rendered)> then);

// A JSON object's own members, by name: strings as they are, everything else by its kind only.
struct ElementFacts {
  bool object = false;                // it is a JSON object
  std::optional<std::string> job_id;  // its own, when that is a string
  bool plan = false;                  // it names a plan: a job in the sense of the dialect
};
ElementFacts read_element(std::string_view text);

}  // namespace muster::resp::work
