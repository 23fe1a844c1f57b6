#include "worker/refusal.h"

#include <array>

namespace muster::worker {
namespace {

struct Phrase {
  std::string_view text;
  Refusal means;
};

constexpr std::array kPhrases{
    Phrase{"cannot update", Refusal::stale},
    Phrase{"Job not found", Refusal::stale},
    Phrase{"Invalid status transition", Refusal::stale},
    Phrase{"too late", Refusal::stale},
    Phrase{"lease", Refusal::stale},
    Phrase{"ot registered", Refusal::unregistered},
    Phrase{"NOAUTH", Refusal::unregistered},
    Phrase{"try again", Refusal::later},
    Phrase{"TRYAGAIN", Refusal::later},
    Phrase{"UNKNOWN it may", Refusal::later},
    Phrase{"Rate limit", Refusal::later},
    Phrase{"LOADING", Refusal::later},
    Phrase{"max number of clients", Refusal::later},
};

}  // namespace

Refusal read_refusal(std::string_view error) {
  for (const Phrase& phrase : kPhrases)
    if (error.find(phrase.text) != error.npos) return phrase.means;
  return Refusal::other;
}

}  // namespace muster::worker
