#include "fronts/resp/keyspace/element_in_transit.h"

#include <utility>

namespace muster::resp::keyspace {

ElementInTransit::ElementInTransit(command::Delivery delivery, store::KeyCommand taken_by, store::KeyAnswer answer)
    : contents_(std::make_unique<Contents>(Contents{delivery, std::move(taken_by), std::move(answer)})) {}

ElementInTransit::~ElementInTransit() {
  if (contents_) contents_->delivery.put_back(contents_->taken_by, std::move(contents_->answer));
}

}  // namespace muster::resp::keyspace
