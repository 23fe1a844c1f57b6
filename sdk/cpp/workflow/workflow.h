// Everything a program needs for durable workflows: installed as <muster/workflow.h>.
#pragma once

#include "sdk/cpp/workflow/client.h"   // IWYU pragma: export
#include "sdk/cpp/workflow/context.h"  // IWYU pragma: export
#include "sdk/cpp/workflow/errors.h"   // IWYU pragma: export
#include "sdk/cpp/workflow/task.h"     // IWYU pragma: export
#include "sdk/cpp/workflow/worker.h"   // IWYU pragma: export
