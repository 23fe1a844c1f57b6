// Every noun of the HTTP API as a plain value; the headers split them by who uses them.
#pragma once

#include "sdk/cpp/types_agent.h"      // IWYU pragma: export
#include "sdk/cpp/types_agent_run.h"  // IWYU pragma: export
#include "sdk/cpp/types_job.h"        // IWYU pragma: export
#include "sdk/cpp/types_output.h"     // IWYU pragma: export
#include "sdk/cpp/types_package.h"    // IWYU pragma: export
#include "sdk/cpp/types_plan.h"       // IWYU pragma: export
#include "sdk/cpp/types_resource.h"   // IWYU pragma: export
#include "sdk/cpp/types_run.h"        // IWYU pragma: export
#include "sdk/cpp/types_schedule.h"   // IWYU pragma: export
#include "sdk/cpp/types_server.h"     // IWYU pragma: export
#include "sdk/cpp/types_worker.h"     // IWYU pragma: export
