// Which commands of the keyspace only look. Rights and locks both hang on it, so that it is said once.
#pragma once

#include "store/keys.h"

namespace muster::store {

bool writes(const KeyCommand& command);
bool writes(const KeyBatch& batch);
// Some command of it removes every key.
bool clears(const KeyBatch& batch);

}  // namespace muster::store
