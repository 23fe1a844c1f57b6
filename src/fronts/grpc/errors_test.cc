// Every code of ours has its number, its details and its advice on each wire.
#include <gtest/gtest.h>

#include "fronts/grpc/methods.h"
#include "kagzi_k0.pb.h"
#include "kagzi_v1.pb.h"
#include "muster_v1.pb.h"

namespace muster::rpc {
namespace {

struct Row {
  Code code;
  WireCode wire;
  int k0;
  int v1;
  bool non_retryable;
};

constexpr Row kRows[] = {
    {Code::invalid_argument, WireCode::invalid_argument, 2, 2, true},
    {Code::unauthenticated, WireCode::unauthenticated, 7, 5, true},
    {Code::permission_denied, WireCode::permission_denied, 7, 5, true},
    {Code::not_found, WireCode::not_found, 1, 1, true},
    {Code::already_exists, WireCode::aborted, 5, 4, false},
    {Code::conflict, WireCode::failed_precondition, 4, 3, true},
    {Code::lease_lost, WireCode::failed_precondition, 4, 3, true},
    {Code::exhausted, WireCode::resource_exhausted, 8, 6, false},
    {Code::unavailable, WireCode::unavailable, 8, 6, false},
    {Code::outcome_unknown, WireCode::deadline_exceeded, 8, 8, false},
    {Code::corrupt, WireCode::internal, 9, 7, true},
    {Code::internal, WireCode::internal, 9, 7, true},
};

TEST(WireErrors, AreToldInTheWordsOfEachDialect) {
  for (const Row& row : kRows) {
    const Status status(row.code, "why");
    const Subject subject{.kind = "worker", .id = "7"};
    const WireError k0 = wire_error(ErrorDialect::k0, status, subject);
    EXPECT_EQ(k0.code, row.wire) << to_string(row.code);
    kagzi::ErrorDetail older;
    ASSERT_TRUE(older.ParseFromString(k0.details));
    EXPECT_EQ(older.code(), row.k0) << to_string(row.code);
    EXPECT_EQ(older.non_retryable(), row.non_retryable) << to_string(row.code);
    EXPECT_EQ(older.message(), "why");
    EXPECT_EQ(older.subject() + older.subject_id(), "worker7");
    const WireError v1 = wire_error(ErrorDialect::v1, status, subject);
    EXPECT_EQ(v1.code, row.wire);
    kagzi::v1::ErrorDetail newer;
    ASSERT_TRUE(newer.ParseFromString(v1.details));
    EXPECT_EQ(newer.code(), row.v1) << to_string(row.code);
    EXPECT_EQ(newer.non_retryable(), row.non_retryable) << to_string(row.code);
    muster::v1::ErrorDetail native;
    ASSERT_TRUE(native.ParseFromString(wire_error(ErrorDialect::native, status).details));
    EXPECT_EQ(native.code(), to_string(row.code));
  }
  EXPECT_EQ(wire_error(ErrorDialect::native, Status::already_exists("x")).code, WireCode::already_exists);
}

TEST(WireErrors, FitTheirHeadersHoweverLongTheReasonIs) {
  const std::string reason(100'000, 'x');
  const WireError error = wire_error(ErrorDialect::v1, Status::not_found(reason), {.kind = "worker", .id = reason});
  EXPECT_EQ(error.message.size(), kWireErrorBytesMax);
  kagzi::v1::ErrorDetail detail;
  ASSERT_TRUE(detail.ParseFromString(error.details));
  EXPECT_EQ(detail.message(), error.message);
  EXPECT_EQ(detail.subject_id().size(), kEchoedBytesMax);
}

}  // namespace
}  // namespace muster::rpc
