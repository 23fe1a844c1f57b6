// Cron fields in words, for people who are typing them: "at 09:00, Monday to Friday". Pure.
#pragma once

#include <string>

#include "base/clock.h"
#include "cron/fields.h"

namespace muster::cron {

std::string explained(const Fields& fields);
std::string explained(Duration interval);

}  // namespace muster::cron
