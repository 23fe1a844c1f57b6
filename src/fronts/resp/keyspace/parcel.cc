#include "fronts/resp/keyspace/parcel.h"

#include <utility>

namespace muster::resp::keyspace {

Parcel::Parcel(command::Delivery delivery, store::KeyCommand taken_by, store::KeyAnswer answer)
    : contents_(std::make_unique<Contents>(Contents{delivery, std::move(taken_by), std::move(answer)})) {}

Parcel::~Parcel() {
  if (contents_) contents_->delivery.put_back(contents_->taken_by, std::move(contents_->answer));
}

}  // namespace muster::resp::keyspace
