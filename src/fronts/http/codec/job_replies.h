// Jobs, grants and outcomes as JSON: the objects that write() of json/fields.h writes.
#pragma once

#include "command/jobs.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"
#include "model/job.h"

namespace muster::http {

const Object<Job>& object_of(Of<Job>);
const Object<store::Enqueued>& object_of(Of<store::Enqueued>);
const Object<store::ClaimReply>& object_of(Of<store::ClaimReply>);
const Object<store::Renewed>& object_of(Of<store::Renewed>);
const Object<store::Settled>& object_of(Of<store::Settled>);
const Object<store::Cancelled>& object_of(Of<store::Cancelled>);
const Object<store::JobPage>& object_of(Of<store::JobPage>);
const Object<store::Redriven>& object_of(Of<store::Redriven>);
const Object<command::JobSettleReply>& object_of(Of<command::JobSettleReply>);
const Object<command::JobWhyReply>& object_of(Of<command::JobWhyReply>);

// The answer of an element, or {"error":{"code","detail"}}.
template <class T>
void write_each(JsonWriter& out, std::string_view name, const store::Each<T>& answers);

extern template void write_each(JsonWriter&, std::string_view, const store::Each<store::Settled>&);
extern template void write_each(JsonWriter&, std::string_view, const store::Each<store::Cancelled>&);
extern template void write_each(JsonWriter&, std::string_view, const store::Each<store::StepAnswer>&);

}  // namespace muster::http
