#include "fronts/auth/brake.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/log.h"

namespace muster::auth {
namespace {

constexpr std::size_t kPrefixBytes = 8;  // of the sixteen of an IPv6 address
constexpr std::size_t kMappedAt = 12;    // where ::ffff:a.b.c.d holds its IPv4 address
constexpr std::size_t kDoublingsMost = 16;

template <class Address>
std::string text_of(int family, const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(family, &address, text.data(), text.size()) == nullptr ? std::string() : std::string(text.data());
}

}  // namespace

std::string address_prefix(std::string_view address) {
  const std::string text(address.substr(0, address.find('%')));  // without the zone of a link-local address
  in6_addr ip6{};
  if (inet_pton(AF_INET6, text.c_str(), &ip6) != 1) return std::string(address);
  if (IN6_IS_ADDR_V4MAPPED(&ip6)) {
    in_addr ip4{};
    std::memcpy(&ip4, ip6.s6_addr + kMappedAt, sizeof ip4);
    return text_of(AF_INET, ip4);
  }
  std::fill(std::begin(ip6.s6_addr) + kPrefixBytes, std::end(ip6.s6_addr), std::uint8_t{0});
  return text_of(AF_INET6, ip6) + "/64";
}

bool Brake::Failures::forgotten(Ticks now) const { return now - std::max(last, blocked_until) >= kGuessesForgotten; }

Ticks Brake::blocked_until(std::string_view address, Ticks now) const {
  const std::string prefix = address_prefix(address);
  const std::lock_guard lock(mutex_);
  const auto at = failures_.find(prefix);
  return at == failures_.end() ? now : std::max(now, at->second.blocked_until);
}

Duration Brake::delay_after(std::uint32_t failures) const {
  if (failures <= options_.failures_max) return Duration::zero();
  const std::size_t doublings = std::min<std::size_t>(failures - options_.failures_max - 1, kDoublingsMost);
  return std::min<Duration>(kGuessDelayMin * (std::int64_t{1} << doublings), options_.delay_max);
}

Ticks Brake::note_failure(std::string_view address, Ticks now) {
  const std::string prefix = address_prefix(address);
  bool first_wait = false;
  Ticks due = now;
  {
    const std::lock_guard lock(mutex_);
    if (!failures_.contains(prefix)) make_room(now);
    Failures& failures = failures_[prefix];
    if (failures.forgotten(now)) failures = {};
    ++failures.count;
    failures.last = now;
    if (const Duration delay = delay_after(failures.count); delay > Duration::zero()) {
      // Tries side by side do not add up beyond the longest delay.
      failures.blocked_until = std::min<Ticks>(std::max(failures.blocked_until, now) + delay, now + Ticks(options_.delay_max));
      due = failures.blocked_until;
    }
    first_wait = failures.count == options_.failures_max + 1;
  }
  if (first_wait) log::warn("answers to wrong tokens are delayed: too many came", {{"address", prefix}});
  return due;
}

void Brake::make_room(Ticks now) {
  if (failures_.size() < kFailingPrefixesMax) return;
  std::erase_if(failures_, [&](const auto& each) { return each.second.forgotten(now); });
  if (failures_.size() < kFailingPrefixesMax) return;
  failures_.erase(std::min_element(failures_.begin(), failures_.end(),
                                   [](const auto& a, const auto& b) { return a.second.last < b.second.last; }));
}

}  // namespace muster::auth
