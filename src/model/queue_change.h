// What a change does to a queue's settings: the same rule for every store.
#pragma once

#include "model/queue.h"

namespace muster {

void apply(QueueSettings& settings, const QueueChange& change);

}  // namespace muster
