// The client and certificates: nobody is believed whom the configured authorities do not vouch for.
#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <string>
#include <thread>

#include "base/temp_folder_testing.h"
#include "net/certificate_testing.h"
#include "tests/claude/client_testing.h"

namespace muster::claude {
namespace {

namespace asio = boost::asio;

// Answers one connection after the other with a count of tokens.
class TlsServer {
 public:
  TlsServer(const std::string& certificate, const std::string& key) {
    context_.use_certificate_chain_file(certificate);
    context_.use_private_key_file(key, asio::ssl::context::pem);
    thread_ = std::thread([this] {
      while (!stopped_) serve();
    });
  }
  ~TlsServer() {
    stopped_ = true;
    asio::ip::tcp::socket wake(io_);
    boost::system::error_code ignored;
    wake.connect(acceptor_.local_endpoint(), ignored);
    wake.close(ignored);
    thread_.join();
  }
  std::string url() const { return "https://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }
  std::atomic<int> requests = 0;

 private:
  void serve() {
    boost::system::error_code error;
    asio::ssl::stream<asio::ip::tcp::socket> stream(acceptor_.accept(io_, error), context_);
    stream.handshake(asio::ssl::stream_base::server, error);
    if (error) return;
    std::string request;
    asio::read_until(stream, asio::dynamic_buffer(request), "}", error);
    if (error) return;
    ++requests;
    const std::string answer =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
        "18\r\n\r\n{\"input_tokens\":5}";
    asio::write(stream, asio::buffer(answer), error);
    stream.shutdown(error);
  }

  std::atomic<bool> stopped_ = false;
  asio::io_context io_;
  asio::ip::tcp::acceptor acceptor_{io_, {asio::ip::address_v4::loopback(), 0}};
  asio::ssl::context context_{asio::ssl::context::tls_server};
  std::thread thread_;
};

TEST_F(ClientTest, BelievesOnlyWhomItsAuthoritiesVouchFor) {
  const TempFolder folder;
  const std::string certificate = folder.path() + "/certificate.pem";
  const std::string key = folder.path() + "/key.pem";
  net::make_certificate(certificate, key);
  TlsServer tls(certificate, key);
  config.base_url = tls.url();
  config.api_key = kKey;
  const auto count = [&] {
    Client own(config, clock, metrics);
    return ask<std::uint64_t>([&](auto reply) { own.count_tokens(params(), {}, std::move(reply)); });
  };
  const auto stranger = count();
  EXPECT_EQ(stranger.code(), Code::unavailable);
  EXPECT_NE(stranger.status().message().find("certificate"), std::string::npos) << stranger.status().message();
  EXPECT_EQ(tls.requests, 0);  // the key was not shown
  config.ca_file = certificate;
  const auto known = count();
  ASSERT_TRUE(known.ok()) << known.status().message();
  EXPECT_EQ(*known, 5U);
}

}  // namespace
}  // namespace muster::claude
