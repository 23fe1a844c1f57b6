// How an answer comes back: a callback that is called exactly once.
//
// Verbs of the store, the engine and the commands are asynchronous: they return at once and call the Reply later, on a
// store thread or, when the answer is known, before they return. A Reply must not block and must not throw.
#pragma once

#include "base/status.h"
#include "base/unique_function.h"

namespace muster {

template <class T>
using Reply = UniqueFunction<void(Result<T>)>;

}  // namespace muster
