#include "agents/claude/curl_loop.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace muster::claude {
namespace {

constexpr std::size_t kEventsAtATime = 256;

bool watch(int epoll, int fd) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

// What an eventfd or a timerfd has counted, forgotten.
void drain(int fd) {
  std::uint64_t count = 0;
  static_cast<void>(::read(fd, &count, sizeof(count)) == sizeof(count));
}

}  // namespace

CurlLoop::CurlLoop(std::size_t connections_max) : status_(open(connections_max)) {}

CurlLoop::~CurlLoop() {
  if (multi_ != nullptr) {
    // Closing idle connections must not call back into what is being destroyed.
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
    curl_multi_cleanup(multi_);
  }
  for (const int fd : {epoll_, timer_, wake_})
    if (fd >= 0) ::close(fd);
}

Status CurlLoop::open(std::size_t connections_max) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);  // a function-local static is thread-safe
  if (started != CURLE_OK) return Status::internal("libcurl could not be started");
  multi_ = curl_multi_init();
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (multi_ == nullptr || epoll_ < 0 || timer_ < 0 || wake_ < 0 || !watch(epoll_, timer_) || !watch(epoll_, wake_))
    return Status::unavailable(fmt::format("calls of the model's API cannot be made: {}", std::strerror(errno)));
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING));
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(connections_max));
  return Status();
}

bool CurlLoop::add(CURL* easy) { return curl_multi_add_handle(multi_, easy) == CURLM_OK; }

void CurlLoop::remove(CURL* easy) { curl_multi_remove_handle(multi_, easy); }

void CurlLoop::run(int timeout_ms, const std::function<void(CURL*, CURLcode)>& done) {
  std::array<epoll_event, kEventsAtATime> events;
  const int ready = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
  int running = 0;
  for (int i = 0; i < ready; ++i) {
    const int fd = events[static_cast<std::size_t>(i)].data.fd;
    const std::uint32_t what = events[static_cast<std::size_t>(i)].events;
    if (fd == wake_) {
      drain(wake_);
    } else if (fd == timer_) {
      drain(timer_);
      curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
    } else {
      const int mask = ((what & (EPOLLIN | EPOLLHUP)) != 0 ? CURL_CSELECT_IN : 0) |
                       ((what & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) | ((what & EPOLLERR) != 0 ? CURL_CSELECT_ERR : 0);
      curl_multi_socket_action(multi_, fd, mask, &running);
    }
  }
  // Taken together before any is told: what `done` does may make curl throw its messages away.
  std::vector<std::pair<CURL*, CURLcode>> ended;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left))
    if (message->msg == CURLMSG_DONE) ended.emplace_back(message->easy_handle, message->data.result);
  for (const auto& [easy, code] : ended) {
    remove(easy);
    done(easy, code);
  }
}

void CurlLoop::wake() {
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_, &one, sizeof(one)) == sizeof(one));  // a counter that is full wakes as well
}

int CurlLoop::on_socket(CURL*, curl_socket_t socket, int what, void* self, void* known) {
  auto& loop = *static_cast<CurlLoop*>(self);
  if (what == CURL_POLL_REMOVE) {
    ::epoll_ctl(loop.epoll_, EPOLL_CTL_DEL, socket, nullptr);
    return 0;
  }
  epoll_event event{.events = 0, .data = {.fd = socket}};
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  const int verb = known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (::epoll_ctl(loop.epoll_, verb, socket, &event) != 0 && errno == EEXIST)
    ::epoll_ctl(loop.epoll_, EPOLL_CTL_MOD, socket, &event);
  curl_multi_assign(loop.multi_, socket, self);  // anything that is not null
  return 0;
}

int CurlLoop::on_timer(CURLM*, long timeout_ms, void* self) {
  itimerspec when{};
  if (timeout_ms >= 0) {
    when.it_value.tv_sec = timeout_ms / 1'000;
    when.it_value.tv_nsec = std::max(timeout_ms % 1'000 * 1'000'000, timeout_ms == 0 ? 1L : 0L);  // zero would disarm it
  }
  ::timerfd_settime(static_cast<CurlLoop*>(self)->timer_, 0, &when, nullptr);
  return 0;
}

}  // namespace muster::claude
