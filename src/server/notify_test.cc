#include "server/notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/temp_folder_testing.h"

namespace muster::server {
namespace {

TEST(Notify, SendsTheStateToTheManagersSocket) {
  const TempFolder folder;
  const std::string path = folder.path("notify");
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  notify_manager("READY=1");
  ::unsetenv("NOTIFY_SOCKET");
  std::array<char, 64> buffer{};
  const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  ::close(fd);
  ASSERT_EQ(got, 7);
  EXPECT_EQ(std::string_view(buffer.data(), 7), "READY=1");
}

TEST(Notify, WithoutAManagerNothingHappens) {
  ::unsetenv("NOTIFY_SOCKET");
  notify_manager("READY=1");
  ::setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1);
  notify_manager("READY=1");
  ::unsetenv("NOTIFY_SOCKET");
}

TEST(Notify, TheWatchdogIsHeardTwicePerPeriod) {
  ::setenv("WATCHDOG_USEC", "3000000", 1);
  EXPECT_EQ(watchdog_interval(), Duration(1'500));
  for (const char* bad : {"", "x", "-5", "0", "10s"}) {
    ::setenv("WATCHDOG_USEC", bad, 1);
    EXPECT_EQ(watchdog_interval(), std::nullopt) << bad;
  }
  ::unsetenv("WATCHDOG_USEC");
  EXPECT_EQ(watchdog_interval(), std::nullopt);
}

}  // namespace
}  // namespace muster::server
