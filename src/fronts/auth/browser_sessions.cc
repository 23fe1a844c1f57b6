#include "fronts/auth/browser_sessions.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <utility>

namespace muster::auth {
namespace {

constexpr std::size_t kSecretBytes = 32;

Result<std::string> random_text() {
  std::array<unsigned char, kSecretBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    return Status::unavailable("the operating system gave no random bytes for a session");
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return out;
}

// Every entry is compared, so that the time tells nothing about which one matched.
template <class Entries, class Member>
auto find_in(Entries& entries, Member member, const Digest& wanted) {
  auto found = entries.end();
  for (auto entry = entries.begin(); entry != entries.end(); ++entry)
    if (same((*entry).*member, wanted)) found = entry;
  return found;
}

}  // namespace

bool BrowserSessions::is_over(const Session& session, Ticks now) {
  return now >= session.ends || now - session.used >= kBrowserSessionIdle;
}

void BrowserSessions::forget_over(Ticks now) {
  std::erase_if(sessions_, [now](const Session& session) { return is_over(session, now); });
  std::erase_if(links_, [now](const Link& link) { return now >= link.ends; });
}

void BrowserSessions::forget_unless(const std::function<bool(const Credential&)>& valid) {
  std::erase_if(sessions_, [&valid](const Session& session) { return !valid(session.credential); });
  std::erase_if(links_, [&valid](const Link& link) { return !valid(link.credential); });
}

Status BrowserSessions::make_room(const Credential& credential) {
  const auto is_its = [&](const Session& session) { return same(session.credential.digest, credential.digest); };
  if (std::count_if(sessions_.begin(), sessions_.end(), is_its) >= static_cast<std::ptrdiff_t>(kBrowserSessionsPerTokenMax)) {
    auto oldest = sessions_.end();
    for (auto session = sessions_.begin(); session != sessions_.end(); ++session)
      if (is_its(*session) && (oldest == sessions_.end() || session->used < oldest->used)) oldest = session;
    sessions_.erase(oldest);
  }
  if (sessions_.size() < kBrowserSessionsMax) return {};
  return Status::exhausted(
      fmt::format("{} browsers are signed in, which is the most there may be; sign one out", kBrowserSessionsMax));
}

Result<BrowserSessions::Opened> BrowserSessions::open(Credential credential, Ticks now) {
  forget_over(now);
  if (Status room = make_room(credential); !room.ok()) return room;
  auto id = random_text();
  if (!id.ok()) return id.status();
  credential.session = secret_digest(*id);
  sessions_.push_back(
      {.id = credential.session, .credential = credential, .ends = now + Ticks(kBrowserSessionLife), .used = now});
  return Opened{.id = *std::move(id), .credential = std::move(credential), .ends = sessions_.back().ends};
}

std::optional<BrowserSessions::Found> BrowserSessions::find(std::string_view id, Ticks now) {
  const auto session = find_in(sessions_, &Session::id, secret_digest(id));
  if (session == sessions_.end()) return std::nullopt;
  if (is_over(*session, now)) {
    sessions_.erase(session);
    return std::nullopt;
  }
  session->used = now;
  return Found{.credential = session->credential, .ends = session->ends};
}

bool BrowserSessions::is_open(const Digest& session, Ticks now) const {
  const auto found = find_in(sessions_, &Session::id, session);
  return found != sessions_.end() && !is_over(*found, now);
}

bool BrowserSessions::close(std::string_view id) {
  const auto session = find_in(sessions_, &Session::id, secret_digest(id));
  if (session == sessions_.end()) return false;
  sessions_.erase(session);
  return true;
}

Result<std::string> BrowserSessions::make_link(Credential credential, Ticks now) {
  forget_over(now);
  const auto is_its = [&](const Link& link) { return same(link.credential.digest, credential.digest); };
  if (std::count_if(links_.begin(), links_.end(), is_its) >= static_cast<std::ptrdiff_t>(kSignInLinksPerTokenMax))
    links_.erase(std::find_if(links_.begin(), links_.end(), is_its));
  if (links_.size() >= kSignInLinksMax)
    return Status::exhausted(
        fmt::format("{} links wait to be used, which is the most there may be; they end by themselves", kSignInLinksMax));
  auto code = random_text();
  if (!code.ok()) return code.status();
  links_.push_back({.code = secret_digest(*code), .credential = std::move(credential), .ends = now + Ticks(kSignInLinkLife)});
  return code;
}

std::optional<Credential> BrowserSessions::take_link(std::string_view code, Ticks now) {
  const auto link = find_in(links_, &Link::code, secret_digest(code));
  if (link == links_.end()) return std::nullopt;
  const Link taken = std::move(*link);
  links_.erase(link);
  if (now >= taken.ends) return std::nullopt;
  return taken.credential;
}

}  // namespace muster::auth
