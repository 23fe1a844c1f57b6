#include "sdk/cpp/ws/certificate.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <memory>

#include "sdk/cpp/ws/errors.h"

namespace muster::sdk::ws {

Result<std::string> certificate_fingerprint(const std::string& pem_file) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> file(BIO_new_file(pem_file.c_str(), "r"), &BIO_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr) : nullptr, &X509_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (!certificate || X509_digest(certificate.get(), EVP_sha256(), digest.data(), &size) != 1) {
    ERR_clear_error();
    return error_of(Code::invalid_argument, fmt::format("certificate file `{}` holds no certificate in PEM", pem_file));
  }
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

}  // namespace muster::sdk::ws
