// An element that was taken out of a list and is on its way to a client. Whoever lets go of it before it is delivered gives it
// back to the end it came from, wherever on the way that happens.
#pragma once

#include <memory>

#include "command/delivery.h"

namespace muster::resp::keyspace {

// Movable between threads.
class ElementInTransit {
 public:
  // `taken_by`: the pop or move that got `answer`. An answer without an element has nothing to give back.
  ElementInTransit(command::Delivery delivery, store::KeyCommand taken_by, store::KeyAnswer answer);
  ElementInTransit(ElementInTransit&&) noexcept = default;
  ElementInTransit& operator=(ElementInTransit&&) = delete;
  ~ElementInTransit();

  store::KeyAnswer& answer() { return contents_->answer; }
  void delivered() { contents_.reset(); }

 private:
  struct Contents {
    command::Delivery delivery;
    store::KeyCommand taken_by;
    store::KeyAnswer answer;
  };
  std::unique_ptr<Contents> contents_;  // null: delivered or moved on
};

}  // namespace muster::resp::keyspace
