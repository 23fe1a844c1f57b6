#include "fronts/http/grpc_web.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace muster::http::grpc_web {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

std::string frame(char flags, const std::string& bytes) {
  return std::string(1, flags) + std::string(3, '\0') + static_cast<char>(bytes.size()) + bytes;
}

TEST(GrpcWeb, KnowsItsContentTypes) {
  EXPECT_EQ(form_of("application/grpc-web"), Form::binary);
  EXPECT_EQ(form_of("Application/gRPC-Web+Proto; charset=x"), Form::binary);
  EXPECT_EQ(form_of("application/grpc-web-text"), Form::text);
  EXPECT_EQ(form_of("application/grpc-web-text+proto"), Form::text);
  for (const char* other : {"application/grpc", "application/json", "", "application/grpc-web+json"})
    EXPECT_FALSE(form_of(other)) << other;
}

TEST(GrpcWeb, ReadsOneMessage) {
  EXPECT_EQ(*read_message(Form::binary, frame('\0', "abc")), "abc");
  EXPECT_EQ(*read_message(Form::binary, frame('\0', "")), "");
  EXPECT_EQ(*read_message(Form::binary, frame('\0', "abc") + frame('\x80', "x:y\r\n")), "abc")
      << "trailers of a client are skipped";
  EXPECT_EQ(*read_message(Form::text, to_base64(frame('\0', "abc"))), "abc");
  const std::string whole = frame('\0', "abcd");
  EXPECT_EQ(*read_message(Form::text, to_base64(whole.substr(0, 4)) + to_base64(whole.substr(4))), "abcd") << "in padded pieces";
}

TEST(GrpcWeb, RefusesWhatIsNotOneMessage) {
  const std::string good = frame('\0', "abc");
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_EQ(read_message(Form::binary, good.substr(0, cut)).code(), Code::invalid_argument) << cut;
  EXPECT_EQ(read_message(Form::binary, good + good).code(), Code::invalid_argument);
  EXPECT_EQ(read_message(Form::binary, frame('\x01', "abc")).code(), Code::invalid_argument) << "compressed";
  EXPECT_EQ(read_message(Form::binary, frame('\x02', "abc")).code(), Code::invalid_argument);
  EXPECT_EQ(read_message(Form::binary, frame('\x80', "abc")).code(), Code::invalid_argument) << "trailers alone";
  EXPECT_EQ(read_message(Form::binary, "\0\xff\xff\xff\xff"s).code(), Code::invalid_argument);
  for (const char* text : {"!!!!", "abc", "=", "===="})
    EXPECT_EQ(read_message(Form::text, text).code(), Code::invalid_argument) << text;
}

TEST(GrpcWeb, WritesAMessageAndItsTrailers) {
  const std::string body =
      write_body(Form::binary, "abc", {.code = 0, .message = {}, .details = {}, .metadata = {{"muster-fence", "7"}}});
  EXPECT_EQ(body, frame('\0', "abc") + frame('\x80', "grpc-status:0\r\nmuster-fence:7\r\n"));
  EXPECT_EQ(write_body(Form::text, "", {}), to_base64(frame('\0', "") + frame('\x80', "grpc-status:0\r\n")));
}

TEST(GrpcWeb, WritesAnErrorAsTrailersAlone) {
  EXPECT_EQ(write_body(Form::binary, "ignored", {.code = 5, .message = "näh 100%\n", .details = "\x01\x02", .metadata = {}}),
            frame('\x80', "grpc-status:5\r\ngrpc-message:n%C3%A4h 100%25%0A\r\ngrpc-status-details-bin:AQI\r\n"));
}

}  // namespace
}  // namespace muster::http::grpc_web
