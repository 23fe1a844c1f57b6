// The text of a job's description as most jobs that need something have it, workflow runs among them: written and read without a
// tree, which would be most of the work of starting and claiming a run. spec_text.h has the whole format; this is a part of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/job.h"

namespace muster::store {

// nullopt: the description says more than the usual, and spec_text.cc writes it.
std::optional<std::string> usual_spec_to_text(const JobSpec& spec);
// Fills in what the text names. False: it says more than the usual, or is none of ours, and `spec` is as it was.
bool usual_spec_from_text(std::string_view text, JobSpec& spec);

}  // namespace muster::store
