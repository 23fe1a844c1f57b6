// The peer of a front's streams as raw frames: a session of HTTP/2 without a socket, on the front's loop, and its answers
// decoded.
#pragma once

#include <nghttp2/nghttp2.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/patience_testing.h"
#include "fronts/http2/session_testing.h"
#include "net/connection_testing.h"
#include "net/on_loop_testing.h"

namespace muster::http2 {

using Fields = std::vector<std::pair<std::string, std::string>>;

// What a stream was answered.
struct Said {
  std::map<std::string, std::string> head;  // of the first frame
  std::map<std::string, std::string> end;   // of the last one; the same, when there is one alone
  std::string data;
  std::string status() const {
    const auto at = end.find("grpc-status");
    return at == end.end() ? "none" : at->second;
  }
};

class RawPeer {
 public:
  RawPeer(net::IoLoop& on, Limits limits, Serve serve) : loop(on) {
    EXPECT_EQ(nghttp2_hd_inflate_new(&inflater_), 0);
    const auto service = std::make_shared<const Service>(
        Service{.loop = loop, .limits = limits, .incidents = Incidents("wire"), .serve = std::move(serve)});
    net::run_on(loop, [&] {
      session = std::make_shared<Session>(service, connection);
      session->begin();
    });
    send(std::string(kPrefaceText) + frame(Kind::settings, 0, 0) + frame(Kind::settings, kAck, 0));
  }
  ~RawPeer() {
    net::run_on(loop, [&] { session->closed(); });
    nghttp2_hd_inflate_del(inflater_);
  }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  void send(const std::string& bytes) {
    net::run_on(loop, [&] { session->received(bytes); });
  }

  // One request of its own, whose number it gives back.
  std::uint32_t begin(const Fields& fields, const std::string& body = {}) {
    stream += 2;
    send(body.empty() ? frame(Kind::headers, kEndHeaders | kEndStream, stream, block(fields))
                      : frame(Kind::headers, kEndHeaders, stream, block(fields)) + frame(Kind::data, kEndStream, stream, body));
    return stream;
  }

  // Waits for the end of the answer.
  Said answer(std::uint32_t of) {
    EXPECT_TRUE(eventually([&] { return has_ended(of); }));
    return said[of];
  }
  bool has_ended(std::uint32_t of) {
    read();
    return ended.contains(of);
  }

  // Frames are decoded in the order they were sent: the tables of HPACK are the connection's.
  void read() {
    std::string sent;
    net::run_on(loop, [&] { sent = connection.sent; });
    while (at_ + 9 <= sent.size()) {
      const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(sent[at_ + i])); };
      const std::size_t length = byte(0) << 16 | byte(1) << 8 | byte(2);
      const auto kind = static_cast<Kind>(byte(3));
      const std::uint32_t of = byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8);
      const std::string payload = sent.substr(at_ + 9, length);
      if (kind == Kind::data) said[of].data += payload;
      if (kind == Kind::headers) {
        said[of].end = decoded(payload);
        if (said[of].head.empty()) said[of].head = said[of].end;
      }
      if (((kind == Kind::data || kind == Kind::headers) && (byte(4) & kEndStream) != 0) || kind == Kind::rst_stream)
        ended.insert(of);
      at_ += 9 + length;
    }
  }

  net::IoLoop& loop;
  net::HeldConnection connection;
  std::shared_ptr<Session> session;
  std::map<std::uint32_t, Said> said;
  std::set<std::uint32_t> ended;
  std::uint32_t stream = static_cast<std::uint32_t>(-1);

 private:
  std::map<std::string, std::string> decoded(const std::string& block) {
    std::map<std::string, std::string> out;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(block.data());
    for (std::size_t left = block.size();;) {
      nghttp2_nv field{};
      int flags = 0;
      const ssize_t used = nghttp2_hd_inflate_hd2(inflater_, &field, &flags, bytes, left, 1);
      if (used < 0) return out;
      bytes += used;
      left -= static_cast<std::size_t>(used);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0)
        out.emplace(std::string(reinterpret_cast<char*>(field.name), field.namelen),
                    std::string(reinterpret_cast<char*>(field.value), field.valuelen));
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
    }
    nghttp2_hd_inflate_end_headers(inflater_);
    return out;
  }

  nghttp2_hd_inflater* inflater_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace muster::http2
