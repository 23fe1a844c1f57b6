// Bytes under way: what was read and is not answered yet, and answers that their peer has not taken. Every connection has a share
// of one budget; above its own part it reads and begins nothing more, and above the node's those with much under way wait.
//
// Nothing is refused and nobody waits for ever: a connection with at most kFreeBytesMax goes on even when the node is full, and
// of the others one at a time is let through, until the peers that do not read are closed. Lives on the loop's thread; server/
// makes one for all fronts.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "base/unique_function.h"
#include "net/io_loop.h"

namespace muster::net {

inline constexpr std::size_t kConnectionBytesDefault = 32 * 1024 * 1024;
inline constexpr std::size_t kNodeBytesDefault = 512 * 1024 * 1024;
inline constexpr std::size_t kFreeBytesMax = 64 * 1024;  // of one connection, which the node always has

struct BudgetBounds {
  std::size_t connection_bytes = kConnectionBytesDefault;
  std::size_t node_bytes = kNodeBytesDefault;
};

// Shared by the fronts' listeners and their connections.
class ByteBudget : public std::enable_shared_from_this<ByteBudget> {
 public:
  ByteBudget(IoLoop& loop, BudgetBounds bounds) : loop_(loop), bounds_(bounds) {}

  std::size_t used() const { return used_; }

  // A connection's part. Goes with its connection.
  class Share {
   public:
    // `room` is called in a later turn of the loop after the node's bytes kept this share waiting.
    Share(std::shared_ptr<ByteBudget> budget, UniqueFunction<void()> room);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    void set(std::size_t bytes);
    void end();  // nothing is under way any more, and nobody waits
    std::size_t bytes() const { return bytes_; }
    bool within_own() const { return bytes_ < budget_->bounds_.connection_bytes; }
    // False: `room` will tell when to ask again.
    bool within_node();

   private:
    friend class ByteBudget;
    std::shared_ptr<ByteBudget> budget_;
    UniqueFunction<void()> room_;
    std::size_t bytes_ = 0;
    bool waiting_ = false;
  };

 private:
  bool full() const { return used_ >= bounds_.node_bytes; }
  void let_go(Share& share);
  void wake();
  void wake_all();

  IoLoop& loop_;
  const BudgetBounds bounds_;
  std::size_t used_ = 0;
  Share* let_through_ = nullptr;  // the one that goes on although the node is full
  std::deque<Share*> waiting_;
  bool wake_posted_ = false;
};

}  // namespace muster::net
