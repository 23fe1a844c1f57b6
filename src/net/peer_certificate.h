// The certificate that a peer proved to have, once the handshake has verified it. Read by StreamConnection, shown to sessions by
// Connection::peer_certificate().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct ssl_st;

namespace muster::net {

inline constexpr std::size_t kCertificateNamesMax = 16;       // further ones are left out
inline constexpr std::size_t kCertificateNameBytesMax = 256;  // longer ones are left out

struct PeerCertificate {
  std::array<std::uint8_t, 32> sha256{};  // its fingerprint: of the whole certificate in DER
  std::string common_name;                // of the subject; empty: none
  std::vector<std::string> names;         // DNS names, addresses of mail and URIs it is also for
};

// nullopt: the peer showed none, or nobody verified it.
std::optional<PeerCertificate> peer_certificate(ssl_st* connection);

}  // namespace muster::net
