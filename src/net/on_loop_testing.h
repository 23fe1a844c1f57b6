// Work on the loop's thread, for tests that go on when it is done.
#pragma once

#include <future>

#include "net/io_loop.h"

namespace muster::net {

inline void run_on(IoLoop& loop, UniqueFunction<void()> work) {
  std::promise<void> done;
  loop.post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace muster::net
