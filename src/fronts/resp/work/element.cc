#include "fronts/resp/work/element.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "fronts/resp/core.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/json_text.h"
#include "fronts/resp/plans/plan_cache.h"
#include "fronts/resp/work/action_times.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/top_level.h"
#include "fronts/resp/work/verify.h"
#include "fronts/resp/work/work_state.h"
#include "model/plan.h"

namespace muster::resp::work {
namespace {

// The pieces of one answer, filled in as the plans come.
struct Sheet {
  std::vector<Grant> grants;
  std::vector<std::string> elements;  // empty where it is not there yet, or failed
  std::vector<std::size_t> failed;    // places, in any order
  std::size_t missing = 0;
  Status why;
  UniqueFunction<void(Rendered)> then;

  void fill(std::size_t index, std::string element) {
    elements[index] = std::move(element);
    --missing;
  }

  // REQUIRES: inside a catch block.
  void fail(std::size_t index, const Core& core) {
    why = Incident(core.incidents, "hand-out", grants[index].id.text()).status();
    failed.push_back(index);
    --missing;
  }

  // Hands everything on when nothing is missing.
  void finish_if_complete() {
    if (missing > 0) return;
    std::sort(failed.begin(), failed.end(), std::greater<>());
    Rendered out;
    out.why = std::move(why);
    for (const std::size_t index : failed) {
      out.failed.push_back({grants[index].id, grants[index].fence});
      grants.erase(grants.begin() + static_cast<std::ptrdiff_t>(index));
      elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(index));
    }
    std::reverse(out.failed.begin(), out.failed.end());
    out.grants = std::move(grants);
    out.elements = std::move(elements);
    then(std::move(out));
  }
};

bool named_only(const Core& core, const Grant& grant, const Rendering& rendering) {
  if (!rendering.moves || core.options.compat_flags.pop_moves_document) return false;
  // An element is what its client pushed, unless that was a job's own document.
  return grant.type.text() != plans::kTypeElement || read_element(grant.payload.data).plan;
}

// The document of a plan's job: the plan and the time of its action come from memory when they can.
void show_planned(Core& core, const std::shared_ptr<Sheet>& sheet, std::size_t index, const std::string& plan,
                  const WorkerId& worker) {
  core.plan_cache->find(plan, [&core, sheet, index, worker](const std::shared_ptr<const plans::StoredPlan>& found) {
    const Grant& grant = sheet->grants[index];
    auto show = [&core, sheet, index, worker, found](std::optional<Instant> created_at) {
      try {
        plans::JobFacts facts = plans::facts_of(sheet->grants[index], worker.text());
        facts.created_at = created_at;
        std::string document = plans::job_document(facts, found.get());
        sheet->fill(index, std::move(document));
      } catch (...) {
        sheet->fail(index, core);
      }
      sheet->finish_if_complete();
    };
    const auto action = grant.labels.find(kLabelAction);
    if (action == grant.labels.end()) return show(std::nullopt);
    try {
      core.work_state->action_times().find(action->second, grant.id, std::move(show));
    } catch (...) {
      sheet->fail(index, core);
      sheet->finish_if_complete();
    }
  });
}

// nullopt: its plan has to be found first.
std::optional<std::string> shown_now(Core& core, const std::shared_ptr<Client>& client, const Grant& grant,
                                     const Rendering& rendering) {
  // Anybody may make a job of this type. Only one that asks a question is shown as one.
  if (grant.type.text() == kTypeVerify)
    if (auto question = core.work_state->verifications().question(client, grant)) return question;
  if (named_only(core, grant, rendering)) return plans::job_name(grant.id, grant.labels);
  if (grant.type.text() == plans::kTypeElement && grant.payload.encoding != Encoding::json) return grant.payload.data;
  if (!plans::plan_of(grant.labels).empty()) return std::nullopt;
  return plans::job_document(plans::facts_of(grant, rendering.worker.text()), nullptr);
}

}  // namespace

ElementFacts read_element(std::string_view text) {
  ElementFacts facts;
  const auto members = read_top_level(text);
  if (!members) return facts;
  facts.object = true;
  if (const Member* id = members->find("job_id"); id != nullptr && id->kind == Member::Kind::text && !id->text.empty())
    facts.job_id = std::string(id->text);
  const Member* plan = members->find("plan_id");
  facts.plan = plan != nullptr && plan->kind == Member::Kind::text;
  return facts;
}

void render(Core& core, const std::shared_ptr<Client>& client, std::vector<Grant> grants, Rendering rendering,
            UniqueFunction<void(Rendered)> then) {
  const std::size_t count = grants.size();
  Sheet now{.grants = std::move(grants),
            .elements = std::vector<std::string>(count),
            .failed = {},
            .missing = count,
            .why = {},
            .then = std::move(then)};
  std::vector<std::size_t> planned;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      if (auto element = shown_now(core, client, now.grants[i], rendering))
        now.fill(i, *std::move(element));
      else
        planned.push_back(i);
    } catch (...) {
      now.fail(i, core);
    }
  }
  if (planned.empty()) return now.finish_if_complete();
  const auto sheet = std::make_shared<Sheet>(std::move(now));  // shared by the plans that are on their way to it
  for (const std::size_t i : planned) {
    try {
      show_planned(core, sheet, i, plans::plan_of(sheet->grants[i].labels), rendering.worker);
    } catch (...) {
      sheet->fail(i, core);
      sheet->finish_if_complete();
    }
  }
}

}  // namespace muster::resp::work
