// Settling the job of a run or of a poll, for as long as the store cannot take it. On the agenda.
//
// A job that nobody settles stays this node's for good, since every beat renews its lease. So what may have failed for a moment
// is asked again as it was, which its fence makes safe; after kWritesMax tries the job is let go of, and is handed back because
// the beats of this node no longer name it (engine/lost_grants.h).
#pragma once

#include <memory>
#include <utility>

#include "agents/base.h"

namespace muster::agents {

inline constexpr Duration kWriteAgainAfter{1'000};
inline constexpr std::uint32_t kWritesMax = 120;  // of what the store does not take; then it is given up

inline bool may_be_taken_later(Code code) {
  return code == Code::unavailable || code == Code::exhausted || code == Code::outcome_unknown || code == Code::internal;
}

// `next` gets the last answer, unless the owner is over by then.
template <class Request, class Owner, class Next>
void settle_job(const BasePtr& base, std::weak_ptr<Owner> owner, Request request, Next next, std::uint32_t tries = 0) {
  using Answer = command::AnswerTo<Request>;
  auto settled = [base, owner, request, next = std::move(next), tries](Owner& self, Result<Answer> answer) mutable {
    if (self.is_over()) return;
    if (!may_be_taken_later(answer.code()) || tries >= kWritesMax) return next(self, std::move(answer));
    base->agenda->after(kWriteAgainAfter, [base, owner, request = std::move(request), next = std::move(next), tries]() mutable {
      if (const auto again = owner.lock(); again && !again->is_over())
        settle_job(base, owner, std::move(request), std::move(next), tries + 1);
    });
  };
  base->door.run(command::itself(), std::move(request), onto<Answer>(base, owner, std::move(settled)));
}

}  // namespace muster::agents
