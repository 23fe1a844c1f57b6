// Everything a program needs to be a worker over WebSocket.
#pragma once

#include "sdk/cpp/ws/resources.h"  // IWYU pragma: export
#include "sdk/cpp/ws/task.h"       // IWYU pragma: export
#include "sdk/cpp/ws/worker.h"     // IWYU pragma: export
