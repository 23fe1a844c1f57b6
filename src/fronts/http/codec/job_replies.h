// Jobs, grants and outcomes as JSON. Each function appends one value.
#pragma once

#include "command/jobs.h"
#include "fronts/http/json/writer.h"
#include "model/job.h"

namespace muster::http {

void write(JsonWriter& out, const Job& job);
// The members of an object that was begun: what a client asked for.
void write_spec(JsonWriter& out, const JobSpec& spec);
void write_step_policy(JsonWriter& out, std::string_view name, const StepPolicy& policy);
void write(JsonWriter& out, const Grant& grant);
void write(JsonWriter& out, const store::Enqueued& enqueued);
void write(JsonWriter& out, const store::ClaimReply& reply);
void write(JsonWriter& out, const store::Renewed& renewed);
void write(JsonWriter& out, const store::Settled& settled);
void write(JsonWriter& out, const store::Cancelled& cancelled);
void write(JsonWriter& out, const store::JobPage& page);
void write(JsonWriter& out, const store::Redriven& redriven);
void write(JsonWriter& out, const command::JobSettleReply& reply);
void write(JsonWriter& out, const command::JobWhyReply& why);

// The answer of an element, or {"error":{"code","detail"}}.
template <class T>
void write_each(JsonWriter& out, std::string_view name, const store::Each<T>& answers);

extern template void write_each(JsonWriter&, std::string_view, const store::Each<store::Settled>&);
extern template void write_each(JsonWriter&, std::string_view, const store::Each<store::Cancelled>&);
extern template void write_each(JsonWriter&, std::string_view, const store::Each<store::StepAnswer>&);

}  // namespace muster::http
