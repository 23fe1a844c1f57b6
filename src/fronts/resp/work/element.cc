#include "fronts/resp/work/element.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "fronts/resp/core.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/json_text.h"
#include "fronts/resp/plans/shelf.h"
#include "fronts/resp/work/action_times.h"
#include "fronts/resp/work/desk.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/top_level.h"
#include "fronts/resp/work/verify.h"
#include "model/plan.h"

namespace muster::resp::work {
namespace {

// The pieces of one answer, filled in as the plans come.
struct Sheet {
  std::vector<Grant> grants;
  std::vector<std::string> elements;
  std::size_t missing = 0;
  UniqueFunction<void(std::vector<Grant>, std::vector<std::string>)> then;

  void fill(std::size_t index, std::string element) {
    elements[index] = std::move(element);
    if (--missing == 0) then(std::move(grants), std::move(elements));
  }
};

bool named_only(const Core& core, const Grant& grant, const Rendering& rendering) {
  if (!rendering.moves || core.options.habits.pop_moves_document) return false;
  // An element is what its client pushed, unless that was a job's own document.
  return grant.type.text() != plans::kTypeElement || read_element(grant.payload.data).plan;
}

// The document of a plan's job: the plan and the time of its action come from memory when they can.
void show_planned(Core& core, const std::shared_ptr<Sheet>& sheet, std::size_t index, const std::string& plan,
                  const WorkerId& worker) {
  core.shelf->find(plan, [&core, sheet, index, worker](const std::shared_ptr<const plans::StoredPlan>& found) {
    const Grant& grant = sheet->grants[index];
    auto show = [sheet, index, worker, found](std::optional<Instant> created_at) {
      plans::JobFacts facts = plans::facts_of(sheet->grants[index], worker.text());
      facts.created_at = created_at;
      sheet->fill(index, plans::job_document(facts, found.get()));
    };
    const auto action = grant.labels.find(kLabelAction);
    if (action == grant.labels.end()) return show(std::nullopt);
    core.desk->action_times().find(action->second, grant.id, std::move(show));
  });
}

}  // namespace

ElementFacts read_element(std::string_view text) {
  ElementFacts facts;
  const auto members = read_top_level(text);
  if (!members) return facts;
  facts.object = true;
  if (const Member* id = members->find("job_id"); id != nullptr && id->kind == Member::Kind::text && !id->text.empty())
    facts.job_id = id->text;
  const Member* plan = members->find("plan_id");
  facts.plan = plan != nullptr && plan->kind == Member::Kind::text;
  return facts;
}

void render(Core& core, const std::shared_ptr<Client>& client, std::vector<Grant> grants, Rendering rendering,
            UniqueFunction<void(std::vector<Grant>, std::vector<std::string>)> then) {
  const auto sheet = std::make_shared<Sheet>();
  sheet->grants = std::move(grants);
  sheet->elements.resize(sheet->grants.size());
  sheet->missing = sheet->grants.size();
  sheet->then = std::move(then);
  const std::size_t count = sheet->grants.size();
  // Filling the last one hands the grants on, so nothing is read from the sheet after it.
  for (std::size_t i = 0; i < count; ++i) {
    const Grant& grant = sheet->grants[i];
    if (grant.type.text() == kTypeVerify) {
      sheet->fill(i, core.desk->verifications().question(client, grant));
    } else if (named_only(core, grant, rendering)) {
      sheet->fill(i, plans::job_name(grant.id, grant.labels));
    } else if (grant.type.text() == plans::kTypeElement && grant.payload.encoding != Encoding::json) {
      sheet->fill(i, grant.payload.data);
    } else if (std::string plan = plans::plan_of(grant.labels); !plan.empty()) {
      show_planned(core, sheet, i, plan, rendering.worker);
    } else {
      sheet->fill(i, plans::job_document(plans::facts_of(grant, rendering.worker.text()), nullptr));
    }
  }
}

}  // namespace muster::resp::work
