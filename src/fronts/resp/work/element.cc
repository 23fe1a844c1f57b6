#include "fronts/resp/work/element.h"

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
  std::vector<std::optional<std::string>> elements;  // nullopt: not there yet, or it failed
  std::size_t missing = 0;
  Status why;
  UniqueFunction<void(Rendered)> then;

  void fill(std::size_t index, std::string element) {
    elements[index] = std::move(element);
    if (--missing == 0) finish();
  }

  // REQUIRES: inside a catch block.
  void fail(std::size_t index, const Core& core) {
    why = Incident(core.incidents, "hand-out", grants[index].id.text()).status();
    if (--missing == 0) finish();
  }

 private:
  void finish() {
    Rendered out;
    out.why = std::move(why);
    for (std::size_t i = 0; i < grants.size(); ++i) {
      if (!elements[i]) {
        out.failed.push_back({grants[i].id, grants[i].fence});
        continue;
      }
      out.elements.push_back(*std::move(elements[i]));
      out.grants.push_back(std::move(grants[i]));
    }
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
      std::string document;
      try {
        plans::JobFacts facts = plans::facts_of(sheet->grants[index], worker.text());
        facts.created_at = created_at;
        document = plans::job_document(facts, found.get());
      } catch (...) {
        return sheet->fail(index, core);
      }
      sheet->fill(index, std::move(document));
    };
    const auto action = grant.labels.find(kLabelAction);
    if (action == grant.labels.end()) return show(std::nullopt);
    try {
      core.work_state->action_times().find(action->second, grant.id, std::move(show));
    } catch (...) {
      sheet->fail(index, core);
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
  const auto sheet = std::make_shared<Sheet>();
  const std::size_t count = grants.size();
  sheet->elements.resize(count);
  sheet->missing = count;
  sheet->grants = std::move(grants);
  sheet->then = std::move(then);
  // Filling the last one hands the grants on, so nothing is read from the sheet after it.
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<std::string> element;
    try {
      element = shown_now(core, client, sheet->grants[i], rendering);
      if (!element) show_planned(core, sheet, i, plans::plan_of(sheet->grants[i].labels), rendering.worker);
    } catch (...) {
      sheet->fail(i, core);
      continue;
    }
    if (element) sheet->fill(i, *std::move(element));
  }
}

}  // namespace muster::resp::work
