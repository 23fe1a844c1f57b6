// Workers that show who they are by a certificate: who is let in, as whom, and what others are told.
#include "command/workers.h"
#include "fronts/ws/front_testing.h"

namespace muster::ws {
namespace {

constexpr const char* kFingerprint =
    "AB:CD:EF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC";

net::PeerCertificate certificate(std::string_view fingerprint = kFingerprint) {
  net::PeerCertificate out;
  out.sha256 = auth::parse_fingerprint(fingerprint).value();
  out.common_name = "encoder";
  return out;
}

Json mtls_handshake(std::optional<std::string> fingerprint = std::nullopt) {
  Json hello = v2_handshake();
  hello["payload"]["auth"] = {{"mode", "mtls"}};
  if (fingerprint) hello["payload"]["auth"]["fingerprint"] = *fingerprint;
  return hello;
}

class CertificateTest : public FrontTest {
 protected:
  WsOptions bound() {
    WsOptions options;
    options.auth.required = true;
    options.auth.tokens = {{.name = "ops", .role = command::Role::operator_role, .secret = "right", .worker = {}}};
    options.auth.certificates = {{.name = "encoder",
                                  .role = command::Role::worker,
                                  .sha256 = kFingerprint,
                                  .worker = WorkerId(kInstance),
                                  .namespaces = std::vector{NamespaceName("default")}}};
    return options;
  }
  // The code it is refused with; "ack": it is let in.
  std::string answer(std::optional<net::PeerCertificate> shown, const Json& hello) {
    auto socket = connect(std::move(shown));
    socket.say(hello);
    const Json said = socket.hear();
    if (said["type"] == "control.ack") return "ack";
    EXPECT_EQ(socket.closed().first, 1011);
    return said["payload"]["code"];
  }
};

TEST_F(CertificateTest, WithoutACertificateNothingIsBelieved) {  // 17
  start(bound());
  EXPECT_EQ(answer(std::nullopt, mtls_handshake()), "E.AUTH.MTLS_REQUIRED");
  EXPECT_EQ(answer(std::nullopt, mtls_handshake(kFingerprint)), "E.AUTH.MTLS_REQUIRED");
}

TEST_F(CertificateTest, AKnownCertificateIsLetInWhetherOrNotTheWorkerNamesIt) {
  start(bound());
  EXPECT_EQ(answer(certificate(), mtls_handshake()), "ack");
  EXPECT_EQ(answer(certificate(), mtls_handshake(kFingerprint)), "ack");
  EXPECT_EQ(answer(certificate(), mtls_handshake("abcdef00112233445566778899aabbccddeeff00112233445566778899aabbcc")), "ack");
}

TEST_F(CertificateTest, ANamedFingerprintMustBeThatOfTheCertificate) {
  start(bound());
  std::string other = kFingerprint;
  other[0] = 'B';
  for (const std::string& named : {other, std::string("nonsense"), std::string(kFingerprint) + "00"})
    EXPECT_EQ(answer(certificate(), mtls_handshake(named)), "E.AUTH.MTLS_REQUIRED") << named;
}

TEST_F(CertificateTest, ACertificateNobodyBoundIsRefusedWhereATokenIsNeeded) {
  start(bound());
  std::string other = kFingerprint;
  other[0] = 'B';
  EXPECT_EQ(answer(certificate(other), mtls_handshake()), "E.SESSION.DENIED");
}

TEST_F(CertificateTest, WhereNothingIsConfiguredAVerifiedCertificateWillDo) {
  start();
  EXPECT_EQ(answer(certificate(), mtls_handshake(kFingerprint)), "ack");
}

TEST_F(CertificateTest, ACertificateIsBoundToItsTenantAndWorker) {
  start(bound());
  Json hello = mtls_handshake();
  hello["tenant"] = "other";
  EXPECT_EQ(answer(certificate(), hello), "E.SESSION.DENIED");
  hello = mtls_handshake();
  hello["payload"]["worker"]["worker_instance_id"] = "somebody-else";
  EXPECT_EQ(answer(certificate(), hello), "E.SESSION.DENIED");
}

TEST_F(CertificateTest, AFingerprintIsNoToken) {
  start(bound());
  for (const char* token : {kFingerprint, "abcdef00112233445566778899aabbccddeeff00112233445566778899aabbcc"})
    EXPECT_EQ(answer(certificate(), v2_handshake(token)), "E.AUTH.INVALID_TOKEN");
}

TEST_F(CertificateTest, ProtocolOneIsToldByAnError) {
  start(bound());
  Json hello = v1_handshake();
  hello["payload"]["auth"] = {{"mode", "mtls"}};
  auto socket = connect();
  socket.say(hello);
  const Json said = socket.hear("error");
  EXPECT_EQ(said["payload"]["code"], "E.AUTH.MTLS_REQUIRED");
}

class CertificateSession : public CertificateTest {
 protected:
  std::unique_ptr<TestSocket> join_with_certificate() {
    auto socket = std::make_unique<TestSocket>(loop, *front, certificate());
    socket->say(mtls_handshake());
    socket->hear("control.ack");
    socket->say(v2_frame("control.register", registration_payload(), "control.register-1"));
    accepted = socket->hear("control.session.accept")["payload"];
    return socket;
  }
  Json resume() const {
    return v2_frame("control.resume",
                    {{"session_id", accepted["session_id"]}, {"session_token", accepted["session_token"]}, {"last_seen_seq", 0}},
                    "control.resume-5");
  }
};

TEST_F(CertificateSession, GoesOnOnlyWithItsCertificate) {
  start(bound());
  join_with_certificate()->cut();
  EXPECT_EQ(answer(std::nullopt, resume()), "E.AUTH.MTLS_REQUIRED");
  std::string other = kFingerprint;
  other[0] = 'B';
  EXPECT_EQ(answer(certificate(other), resume()), "E.AUTH.MTLS_REQUIRED");
  EXPECT_EQ(answer(certificate(), resume()), "ack");
  restart();
  EXPECT_EQ(answer(certificate(other), resume()), "E.AUTH.MTLS_REQUIRED") << "another process knows it, too";
  EXPECT_EQ(answer(certificate(), resume()), "ack");
}

TEST_F(CertificateSession, EndsWhenItsCertificateIsTakenAway) {
  start(bound());
  const auto socket = join_with_certificate();
  auth::AuthOptions without = bound().auth;
  without.certificates.clear();
  ASSERT_TRUE(front->set_tokens(without).ok());
  EXPECT_EQ(socket->hear("control.reset")["payload"]["code"], "E.AUTH.INVALID_TOKEN");
  EXPECT_EQ(socket->closed().first, 1011);
}

}  // namespace
}  // namespace muster::ws
