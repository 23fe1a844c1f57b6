#include "command/speaker.h"

#include "base/check.h"

namespace muster::command {

Standing standing_of(const Speaker& speaker, const Holder& holder) {
  if (speaker.fence) return *speaker.fence == holder.fence ? Standing::holder : Standing::late;
  switch (speaker.acts_as) {
    case ActsAs::holder: return Standing::holder;
    case ActsAs::others: return Standing::late;
    case ActsAs::nobody: return holder.connected ? Standing::stranger : Standing::stand_in;
  }
  unreachable();
}

}  // namespace muster::command
