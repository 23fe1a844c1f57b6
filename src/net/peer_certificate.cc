#include "net/peer_certificate.h"

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string_view>

namespace muster::net {
namespace {

// Text of a certificate is the peer's to choose: it ends up in logs.
bool is_printable(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') return false;
  return true;
}

std::string text_of(const ASN1_STRING* value) {
  if (value == nullptr) return {};
  unsigned char* utf8 = nullptr;
  const int length = ASN1_STRING_to_UTF8(&utf8, value);
  if (length < 0) return {};
  std::string text(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(length));
  OPENSSL_free(utf8);
  return text.size() <= kCertificateNameBytesMax && is_printable(text) ? text : std::string();
}

std::string common_name(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  return at < 0 ? std::string() : text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

std::vector<std::string> other_names(const X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> all(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)), &GENERAL_NAMES_free);
  std::vector<std::string> names;
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()) && names.size() < kCertificateNamesMax; ++i) {
    int type = 0;
    const void* value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(all.get(), i), &type);
    if (type != GEN_DNS && type != GEN_EMAIL && type != GEN_URI) continue;
    if (std::string text = text_of(static_cast<const ASN1_STRING*>(value)); !text.empty()) names.push_back(std::move(text));
  }
  return names;
}

}  // namespace

std::optional<PeerCertificate> peer_certificate(ssl_st* connection) {
  // Without verification the result says ok about anything.
  if ((SSL_get_verify_mode(connection) & SSL_VERIFY_PEER) == 0 || SSL_get_verify_result(connection) != X509_V_OK)
    return std::nullopt;
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(connection), &X509_free);
  if (!certificate) return std::nullopt;
  PeerCertificate out;
  unsigned int length = 0;
  if (X509_digest(certificate.get(), EVP_sha256(), out.sha256.data(), &length) != 1 || length != out.sha256.size())
    return std::nullopt;
  out.common_name = common_name(certificate.get());
  out.names = other_names(certificate.get());
  return out;
}

}  // namespace muster::net
