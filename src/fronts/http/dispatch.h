// From a request to its endpoint: where it goes, whether it may, whether its body can be one.
#pragma once

#include "fronts/http/exchange.h"

namespace muster::http {

// Answers the exchange or hands it to an endpoint. On the loop's thread.
void dispatch(ExchangePtr exchange);

}  // namespace muster::http
