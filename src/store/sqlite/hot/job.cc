#include "store/sqlite/hot/job.h"

namespace muster::store::sqlite {

std::unique_ptr<RunMemo> memo_of(RunSpec spec) {
  auto out = std::make_unique<RunMemo>();
  out->spec.steps = std::move(spec.steps);
  out->spec.backoff = spec.backoff;
  out->spec.parent = std::move(spec.parent);
  return out;
}

}  // namespace muster::store::sqlite
