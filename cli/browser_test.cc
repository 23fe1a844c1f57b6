#include "cli/browser.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/patience_testing.h"
#include "base/temp_folder_testing.h"

namespace muster::cli {
namespace {

// A variable as the test wants it, and as it was afterwards.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class BrowserTest : public testing::Test {
 protected:
  TempFolder folder_;
  Variable path_{"PATH", folder_.path() + ":/usr/bin:/bin"};
  Variable wayland_{"WAYLAND_DISPLAY", ""};
};

TEST_F(BrowserTest, TheDesktopsOpenerGetsTheAddressAsItIs) {
  const Variable desktop("DISPLAY", ":7");
  folder_.script("xdg-open", "printf '%s' \"$*\" > \"" + folder_.path("part") + "\"; mv \"" + folder_.path("part") + "\" \"" +
                                 folder_.path("asked") + "\"");
  ASSERT_TRUE(open_in_browser("http://127.0.0.1:8080/#link=a b;$(c)"));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder_.path("asked")); }));
  EXPECT_EQ(folder_.read("asked"), "http://127.0.0.1:8080/#link=a b;$(c)");
}

TEST_F(BrowserTest, NothingIsOpenedWithoutADesktop) {
  const Variable desktop("DISPLAY", "");
  folder_.script("xdg-open", "exit 0");
  EXPECT_FALSE(open_in_browser("http://127.0.0.1:8080/"));
}

TEST_F(BrowserTest, NothingIsOpenedWithoutAnOpener) {
  const Variable desktop("DISPLAY", ":7");
  const Variable path("PATH", folder_.path());
  EXPECT_FALSE(open_in_browser("http://127.0.0.1:8080/"));
}

}  // namespace
}  // namespace muster::cli
