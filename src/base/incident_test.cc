#include "base/incident.h"

#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <stdexcept>

namespace muster {
namespace {

class IncidentTest : public ::testing::Test {
 protected:
  std::uint64_t count() { return metrics.counter("muster_internal_errors_total", "", {{"where", "wire"}}).value(); }
  template <class Throw>
  Status caught(Throw throws) {
    ::testing::internal::CaptureStderr();
    Status told;
    try {
      throws();
    } catch (...) {
      told = Incident(incidents, "BRPOP", "0af3").status();
    }
    log = ::testing::internal::GetCapturedStderr();
    return told;
  }
  static std::string id_in(const Status& status) { return status.message().substr(status.message().rfind(' ') + 1); }

  Metrics metrics;
  Incidents incidents{metrics, "wire"};
  std::string log;
};

// A request that answers when it is let go of.
struct Request {
  ~Request() { *told = unanswered(*at, "GET"); }
  const Incidents* at;
  Status* told;
};

TEST_F(IncidentTest, TheAnswerIsInternalAndItsIdStandsInTheLog) {
  const Status told = caught([] { throw std::out_of_range("map::at"); });
  EXPECT_EQ(told.code(), Code::internal);
  EXPECT_EQ(id_in(told).size(), 12u);
  EXPECT_NE(log.find("\"incident\":\"" + id_in(told) + '"'), std::string::npos) << log;
  EXPECT_NE(log.find("map::at"), std::string::npos) << log;
  EXPECT_NE(log.find("BRPOP"), std::string::npos) << log;
  EXPECT_NE(log.find("\"job_id\":\"0af3\""), std::string::npos) << log;
  EXPECT_EQ(told.message().find("map::at"), std::string::npos) << "what went wrong inside is for the log";
  EXPECT_EQ(count(), 1u);
}

TEST_F(IncidentTest, EveryIncidentHasAnIdOfItsOwn) {
  const auto fails = [] { throw std::bad_alloc(); };
  EXPECT_NE(id_in(caught(fails)), id_in(caught(fails)));
}

TEST_F(IncidentTest, WhatIsNoStandardExceptionIsCaughtToo) {
  EXPECT_EQ(caught([] { throw 7; }).code(), Code::internal);
  EXPECT_NE(log.find("unknown type"), std::string::npos) << log;
}

TEST_F(IncidentTest, WhatAParserReadLastDoesNotReachTheLog) {
  EXPECT_FALSE(caught([] { throw std::runtime_error("parse error at 7: syntax error; last read: '{\"password\"'"); }).ok());
  EXPECT_EQ(log.find("password"), std::string::npos) << log;
}

TEST_F(IncidentTest, ARequestThatGoesWhileTheStackUnwindsIsToldTheIdThatTheGuardLogs) {
  Status told;
  const Status guard = caught([&] {
    const Request request{&incidents, &told};
    throw std::length_error("too long");
  });
  EXPECT_EQ(told.message(), guard.message());
  EXPECT_EQ(count(), 1u);
}

TEST_F(IncidentTest, ARequestThatGoesWhileTheGuardCleansUpIsToldTheSameId) {
  Status told, guard;
  try {
    throw std::runtime_error("boom");
  } catch (...) {
    const Incident incident(incidents, "GET");
    guard = incident.status();
    const Request request{&incidents, &told};
  }
  EXPECT_EQ(told.message(), guard.message());
}

TEST_F(IncidentTest, ARequestThatIsForgottenWithoutAnExceptionIsAnIncidentOfItsOwn) {
  Status told;
  { const Request request{&incidents, &told}; }
  EXPECT_EQ(told.code(), Code::internal);
  EXPECT_EQ(count(), 1u);
}

}  // namespace
}  // namespace muster
