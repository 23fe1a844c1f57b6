#include "fronts/http2/session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <utility>

#include "base/check.h"

namespace muster::http2 {
namespace {

constexpr std::size_t kOutputBytesExpectedMax = 16 * 1'024;   // room made at once for what a flush sends
constexpr std::size_t kStreamBytes = 1'024;                   // of an open stream, beside what its handler keeps
constexpr std::size_t kFieldOverheadBytes = 32;               // by RFC 9113, 6.5.2
constexpr std::string_view kTooManyPings = "too_many_pings";  // what gRPC's clients look for
constexpr std::string_view kDrainPing = "draining";           // eight bytes each
constexpr std::string_view kAlivePing = "areyouok";
static_assert(kDrainPing.size() == 8 && kAlivePing.size() == 8);

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::string_view view(const std::uint8_t* bytes, std::size_t size) { return {reinterpret_cast<const char*>(bytes), size}; }
const std::uint8_t* raw(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

// The library copies what it is given and changes nothing.
nghttp2_nv pair_of(const Field& field) {
  return {const_cast<std::uint8_t*>(raw(field.name)), const_cast<std::uint8_t*>(raw(field.value)), field.name.size(),
          field.value.size(), NGHTTP2_NV_FLAG_NONE};
}

// The fields of a head as the library wants them. Those of ordinary answers cost no allocation.
class Pairs {
 public:
  void add(const Field& field) {
    if (size_ < few_.size())
      few_[size_] = pair_of(field);
    else
      spill(field);
    ++size_;
  }
  const nghttp2_nv* data() const { return many_.empty() ? few_.data() : many_.data(); }
  std::size_t size() const { return size_; }

 private:
  void spill(const Field& field) {
    if (many_.empty()) many_.assign(few_.begin(), few_.end());
    many_.push_back(pair_of(field));
  }
  std::array<nghttp2_nv, 8> few_;
  std::vector<nghttp2_nv> many_;
  std::size_t size_ = 0;
};

std::string packed(std::span<const Field> fields) {
  std::string out;
  for (const Field& field : fields) {
    out.append(field.name).push_back('\0');
    out.append(field.value).push_back('\0');
  }
  return out;
}

void unpack(std::string_view text, Pairs& out) {
  const auto next = [&text] {
    const std::size_t end = text.find('\0');
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end + 1);
    return part;
  };
  while (!text.empty()) {
    const std::string_view name = next();
    out.add({name, next()});
  }
}

std::string_view view(nghttp2_rcbuf* text) {
  const nghttp2_vec bytes = nghttp2_rcbuf_get_buf(text);
  return view(bytes.base, bytes.len);
}

struct OptionDeleter {
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};
struct CallbacksDeleter {
  void operator()(nghttp2_session_callbacks* callbacks) const { nghttp2_session_callbacks_del(callbacks); }
};

}  // namespace

struct Tools {
  std::vector<Session::HeadPart> head;  // room for the next one
  std::vector<Field> fields;            // of the request that is being shown
};

std::shared_ptr<Tools> make_tools() { return std::make_shared<Tools>(); }

// nghttp2 calls back through these. None lets an exception through its frames.
struct Callbacks {
  static Session& of(void* session) { return *static_cast<Session*>(session); }

  static int on_begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* session) {
    // The library passes over all of them, for they mean nothing any more; this one is an error all the same (RFC 9113, 6.3).
    if (head->type == NGHTTP2_PRIORITY && head->stream_id == 0)
      of(session).say_goodbye(Reset::protocol_error, "PRIORITY of stream 0");
    const bool empty_data = head->type == NGHTTP2_DATA && head->length == 0 && (head->flags & NGHTTP2_FLAG_END_STREAM) == 0;
    const bool is_control = head->type == NGHTTP2_SETTINGS || head->type == NGHTTP2_PING || head->type == NGHTTP2_PRIORITY ||
                            head->type > NGHTTP2_CONTINUATION;
    if (empty_data || is_control) of(session).control_received();
    return 0;
  }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame*, void* session) {
    of(session).begin_head();
    return 0;
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, nghttp2_rcbuf* name, nghttp2_rcbuf* value, std::uint8_t,
                       void* session) {
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;  // what follows a body says nothing that anybody here reads
    return of(session).add_field(name, value) ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Session& session = of(user);
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        session.reading_head_ = false;
        if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
          session.open(frame->hd.stream_id, ends);
        else if (ends)
          session.end_input(frame->hd.stream_id);
        session.let_go_of_head();
        break;
      case NGHTTP2_DATA:
        if (ends) session.end_input(frame->hd.stream_id);
        break;
      case NGHTTP2_SETTINGS: session.settings_seen_ = true; break;
      case NGHTTP2_PING:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0)
          session.ping_answered(view(frame->ping.opaque_data, sizeof frame->ping.opaque_data));
        else
          session.ping_received();
        break;
      default: break;
    }
    return 0;
  }

  // A head that is an error of its stream is no frame to the library, but it is over.
  static int on_invalid_frame(nghttp2_session*, const nghttp2_frame* frame, int, void* user) {
    if (frame->hd.type == NGHTTP2_HEADERS) of(user).reading_head_ = false;
    return 0;
  }

  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes, std::size_t size,
                     void* session) {
    of(session).take_data(id, view(bytes, size));
    return 0;
  }

  static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* session) {
    of(session).stream_closed(id);
    return 0;
  }

  static int on_sent(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    Session& session = of(user);
    // Clients measure the way with a ping for about every answer.
    session.ping_received_at_ = Ticks::min();
    session.ping_strikes_ = 0;
    session.controls_.left = std::min(session.controls_.left + 1, kControlsBurst);
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    if (Stream* const stream = session.find(frame->hd.stream_id)) session.end_sent(*stream);
    return 0;
  }

  // The library does not send a head that it finds too long, or whose stream is gone.
  static int on_not_sent(nghttp2_session*, const nghttp2_frame* frame, int, void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (Stream* const stream = of(user).find(frame->hd.stream_id)) stream->reset(Reset::internal_error);
    return 0;
  }

  static bool is_full(const Session& session) {
    return session.output_.size() + session.connection_.unsent() >= kUnsentFrameBytesMax;
  }

  static ssize_t send(nghttp2_session*, const std::uint8_t* bytes, std::size_t size, int, void* user) {
    Session& session = of(user);
    if (session.output_.empty()) session.output_.reserve(std::max(session.output_bytes_, size));
    session.output_.append(view(bytes, size));
    return static_cast<ssize_t>(size);
  }

  static int send_data(nghttp2_session*, nghttp2_frame*, const std::uint8_t* frame_head, std::size_t length,
                       nghttp2_data_source* source, void* user) {
    constexpr std::size_t kFrameHeadBytes = 9;
    Session& session = of(user);
    Stream& stream = *static_cast<Stream*>(source->ptr);
    session.output_.append(view(frame_head, kFrameHeadBytes)).append(stream.outgoing_, stream.outgoing_at_, length);
    stream.outgoing_at_ += length;
    session.held_ -= length;
    stream.touched_ = session.now();
    if (stream.unsent() > 0) return 0;
    stream.outgoing_.clear();
    stream.outgoing_at_ = 0;
    if (stream.finished_) return 0;  // its end is still to leave
    --session.sending_;
    session.drained_streams_.push_back(stream.id_);
    return 0;
  }

  static ssize_t read(nghttp2_session* library, std::int32_t id, std::uint8_t*, std::size_t length, std::uint32_t* flags,
                      nghttp2_data_source* source, void* user) {
    Stream& stream = *static_cast<Stream*>(source->ptr);
    const std::size_t size = std::min(length, stream.unsent());
    const bool held_up = is_full(of(user));
    if (held_up) of(user).held_up_.push_back(id);
    if (held_up || (size == 0 && !stream.finished_)) {
      stream.deferred_ = true;
      return NGHTTP2_ERR_DEFERRED;
    }
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (size < stream.unsent() || !stream.finished_) return static_cast<ssize_t>(size);
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!stream.trailers_.empty()) {
      Pairs pairs;
      unpack(stream.trailers_, pairs);
      if (nghttp2_submit_trailer(library, id, pairs.data(), pairs.size()) != 0) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    }
    return static_cast<ssize_t>(size);
  }

  static const nghttp2_session_callbacks* all() {
    static const auto made = [] {
      nghttp2_session_callbacks* fresh = nullptr;
      check(nghttp2_session_callbacks_new(&fresh) == 0, "there is memory for nghttp2's callbacks");
      nghttp2_session_callbacks_set_on_begin_frame_callback(fresh, on_begin_frame);
      nghttp2_session_callbacks_set_on_begin_headers_callback(fresh, on_begin_headers);
      nghttp2_session_callbacks_set_on_header_callback2(fresh, on_header);
      nghttp2_session_callbacks_set_on_frame_recv_callback(fresh, on_frame);
      nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(fresh, on_invalid_frame);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(fresh, on_data);
      nghttp2_session_callbacks_set_on_stream_close_callback(fresh, on_close);
      nghttp2_session_callbacks_set_on_frame_send_callback(fresh, on_sent);
      nghttp2_session_callbacks_set_on_frame_not_send_callback(fresh, on_not_sent);
      nghttp2_session_callbacks_set_send_callback(fresh, send);
      nghttp2_session_callbacks_set_send_data_callback(fresh, send_data);
      return std::unique_ptr<nghttp2_session_callbacks, CallbacksDeleter>(fresh);
    }();
    return made.get();
  }

  static const nghttp2_option* options() {
    static const auto made = [] {
      nghttp2_option* fresh = nullptr;
      check(nghttp2_option_new(&fresh) == 0, "there is memory for nghttp2's options");
      nghttp2_option_set_no_auto_window_update(fresh, 1);
      nghttp2_option_set_no_closed_streams(fresh, 1);
      nghttp2_option_set_max_continuations(fresh, kContinuationsMax);
      nghttp2_option_set_stream_reset_rate_limit(fresh, kResetsBurst, kResetsPerSecond);
      return std::unique_ptr<nghttp2_option, OptionDeleter>(fresh);
    }();
    return made.get();
  }
};

std::string_view Head::find(std::string_view name) const {
  for (const Field& field : fields)
    if (field.name == name) return field.value;
  return {};
}

void Stream::submit_head(unsigned status, std::span<const Field> fields, bool with_body) {
  check(!responded_, "a stream is answered once");
  responded_ = true;
  const std::string number = std::to_string(status);
  Pairs pairs;
  pairs.add({":status", number});
  for (const Field& field : fields) pairs.add(field);
  const nghttp2_data_provider provider{.source = {.ptr = this}, .read_callback = Callbacks::read};
  nghttp2_submit_response(session_.library_, id_, pairs.data(), pairs.size(), with_body ? &provider : nullptr);
  session_.touch();
}

// Called before something is given to be sent.
void Stream::begin_sending() {
  if (is_sending()) return;
  touched_ = session_.now();
  ++session_.sending_;
}

void Stream::respond(unsigned status, std::span<const Field> fields) {
  submit_head(status, fields, true);
  touched_ = session_.now();
}

void Stream::respond_and_end(unsigned status, std::span<const Field> fields, Done done) {
  submit_head(status, fields, false);
  make_way();
  begin_sending();
  finished_ = true;
  done_ = std::move(done);
}

void Stream::send(std::string bytes) {
  check(responded_ && !finished_, "bytes follow a head and precede the end");
  if (bytes.empty()) return;
  begin_sending();
  session_.held_ += bytes.size();
  // An answer that goes on for ever may never be sent to its last byte.
  if (outgoing_at_ >= kSentBytesKept && outgoing_at_ > outgoing_.size() / 2)
    outgoing_.erase(0, std::exchange(outgoing_at_, std::size_t{0}));
  if (outgoing_.empty())
    outgoing_ = std::move(bytes);
  else
    outgoing_.append(bytes);
  if (std::exchange(deferred_, false)) nghttp2_session_resume_data(session_.library_, id_);
  session_.touch();
}

void Stream::finish(std::span<const Field> trailers, Done done) {
  check(responded_ && !finished_, "a stream is finished once");
  make_way();
  begin_sending();
  finished_ = true;
  done_ = std::move(done);
  trailers_ = packed(trailers);
  if (std::exchange(deferred_, false)) nghttp2_session_resume_data(session_.library_, id_);
  session_.touch();
}

void Stream::reset(Reset why) {
  if (std::exchange(reset_, true)) return;
  session_.finish_input(id_);
  nghttp2_submit_rst_stream(session_.library_, NGHTTP2_FLAG_NONE, id_, static_cast<std::uint32_t>(why));
  session_.touch();
}

void Stream::when_room(UniqueFunction<void()> begin) {
  begin_ = std::move(begin);
  session_.long_waiting_.insert(id_);
  session_.begin_next_long();
}

void Stream::make_way() {
  if (session_.long_ != id_) return;
  session_.long_ = 0;
  session_.touch();
}

void Stream::hold(std::size_t bytes) {
  const bool less = bytes < held_;
  session_.held_ = session_.held_ - held_ + bytes;
  held_ = bytes;
  session_.report_held();
  if (less) session_.give_windows_back_to_all();
}

void Stream::pause_input() { input_paused_ = true; }

void Stream::resume_input() {
  if (std::exchange(input_paused_, false)) touched_ = session_.now();
  session_.give_windows_back(*this);
}

const std::string& Stream::peer_address() const { return session_.connection_.peer_address(); }
std::uint64_t Stream::connection() const { return session_.number_; }

bool Session::Allowance::take(Ticks now, std::uint64_t burst, std::uint64_t per_second) {
  const auto passed = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now - refilled_at).count());
  if (passed > 0) {
    left = passed > burst ? burst : std::min(burst, left + passed * per_second);
    refilled_at = now;
  }
  if (left == 0) return false;
  --left;
  return true;
}

Session::Session(std::shared_ptr<const Service> service, net::Connection& connection)
    : service_(std::move(service)), connection_(connection), number_(next_number()) {
  check(nghttp2_session_server_new2(&library_, Callbacks::all(), this, Callbacks::options()) == 0,
        "there is memory for a session of nghttp2");
  received_at_ = idle_since_ = controls_.refilled_at = now();
}

Session::~Session() {
  let_go_of_head();
  nghttp2_session_del(library_);
}

void Session::begin() {
  const Limits& limits = service_->limits;
  const std::array settings{
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<std::uint32_t>(limits.streams_max)},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(limits.stream_window_bytes)},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits.header_list_bytes_max)},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
  nghttp2_submit_settings(library_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(library_, NGHTTP2_FLAG_NONE, 0, static_cast<std::int32_t>(kConnectionWindowBytes));
  flush();
  arm();
}

template <class Work>
void Session::guarded(Stream* stream, std::string_view doing, Work work) {
  try {
    work();
  } catch (...) {
    const Incident incident(service_->incidents, doing);
    if (stream != nullptr) stream->reset(Reset::internal_error);
  }
}

void Session::call(Stream& stream, std::string_view doing, void (Handler::*what)()) {
  if (!stream.handler_) return;
  const std::shared_ptr<Handler> handler = stream.handler_;  // what it does may let go of it
  guarded(&stream, doing, [&] { ((*handler).*what)(); });
}

Stream* Session::find(std::int32_t id) { return static_cast<Stream*>(nghttp2_session_get_stream_user_data(library_, id)); }

void Session::received(std::string_view bytes) {
  if (closed_ || connection_.closing()) return;
  received_at_ = now();
  busy_ = true;
  const ssize_t used = nghttp2_session_mem_recv(library_, raw(bytes), bytes.size());
  busy_ = false;
  // The library has answered what RFC 9113 has an answer for. What is left is a peer that asks for too much.
  if (used < 0) say_goodbye(Reset::calm_down, nghttp2_strerror(static_cast<int>(used)));
  flush();
  // Answers to frames wait for no window: only reading no further bounds them.
  if (!paused_ && connection_.unsent() >= kUnreadFrameBytesMax) {
    paused_ = true;
    connection_.pause_reading();
  }
  arm();
}

void Session::read_on() {
  if (!paused_ || connection_.unsent() >= kUnreadFrameBytesMax) return;
  paused_ = false;
  // The silence was ours.
  received_at_ = now();
  for (const std::int32_t id : unfinished_) streams_.at(id).touched_ = received_at_;
  connection_.resume_reading();
}

void Session::begin_head() {
  reading_head_ = true;
  let_go_of_head();
  head_.swap(service_->tools->head);
  head_bytes_ = 0;
}

bool Session::add_field(nghttp2_rcbuf* name, nghttp2_rcbuf* value) {
  const std::size_t max = service_->limits.header_list_bytes_max;
  head_bytes_ += view(name).size() + view(value).size() + kFieldOverheadBytes;
  if (head_bytes_ > max) return head_bytes_ <= max * kHeaderListFactorMax;
  nghttp2_rcbuf_incref(name);
  nghttp2_rcbuf_incref(value);
  head_.push_back({name, value});
  return true;
}

// The room goes to whoever reads the next one.
void Session::let_go_of_head() {
  for (const HeadPart& part : head_) {
    nghttp2_rcbuf_decref(part.name);
    nghttp2_rcbuf_decref(part.value);
  }
  head_.clear();
  if (head_.capacity() > service_->tools->head.capacity()) head_.swap(service_->tools->head);
  if (head_.capacity() > 0) head_ = {};
}

Head Session::read_head() {
  Head head;
  std::vector<Field>& fields = service_->tools->fields;
  fields.clear();
  for (const HeadPart& part : head_) {
    const Field field{view(part.name), view(part.value)};
    if (field.name.front() != ':')
      fields.push_back(field);
    else if (field.name == ":method")
      head.method = field.value;
    else if (field.name == ":path")
      head.path = field.value;
    else if (field.name == ":authority")
      head.authority = field.value;
  }
  head.fields = fields;
  head.bytes = head_bytes_;
  head.too_large = head_bytes_ > service_->limits.header_list_bytes_max;
  if (head.authority.empty()) head.authority = head.find("host");
  return head;
}

void Session::open(std::int32_t id, bool ended) {
  Head head = read_head();
  head.ended = ended;
  Stream& stream = streams_.try_emplace(id, *this, id, ended).first->second;
  nghttp2_session_set_stream_user_data(library_, id, &stream);
  stream.touched_ = received_at_;
  if (!ended) unfinished_.push_back(id);  // ids grow
  report_held();
  // With nothing else under way a connection always has room for one.
  if (streams_.size() > 1 && !connection_.has_room()) return stream.reset(Reset::refused);
  guarded(&stream, "request", [&] { stream.handler_ = service_->serve(stream, head); });
  if (!stream.handler_) return stream.reset(Reset::refused);
  if (draining_) call(stream, "drain", &Handler::draining);
}

void Session::take_data(std::int32_t id, std::string_view bytes) {
  // The connection's window never holds a stream up: another one's bytes would.
  nghttp2_session_consume_connection(library_, bytes.size());
  Stream* const stream = find(id);
  if (stream == nullptr || stream->reset_ || !stream->handler_) return;
  stream->touched_ = received_at_;
  stream->window_owed_ += bytes.size();
  if (!connection_.has_room() && stream != oldest_unfinished()) return stream->reset(Reset::calm_down);
  const std::shared_ptr<Handler> handler = stream->handler_;
  guarded(stream, "body", [&] { handler->received(bytes); });
  give_windows_back(*stream);
}

void Session::end_input(std::int32_t id) {
  Stream* const stream = find(id);
  if (stream == nullptr || std::exchange(stream->input_ended_, true)) return;
  finish_input(id);
  if (!stream->reset_) call(*stream, "end of request", &Handler::input_ended);
  give_windows_back_to_all();
}

Stream* Session::oldest_unfinished() { return unfinished_.empty() ? nullptr : &streams_.at(unfinished_.front()); }

void Session::finish_input(std::int32_t id) {
  const auto at = std::lower_bound(unfinished_.begin(), unfinished_.end(), id);
  if (at != unfinished_.end() && *at == id) unfinished_.erase(at);
}

void Session::give_windows_back(Stream& stream) {
  if (stream.window_owed_ == 0 || stream.input_ended_ || stream.input_paused_) return;
  const bool tight = held_ > service_->limits.unfinished_bytes_max || !connection_.has_room();
  if (tight && (&stream != oldest_unfinished() || !connection_.node_has_room())) {
    windows_withheld_ = stream.withheld_ = true;
    return;
  }
  if (std::exchange(stream.withheld_, false)) stream.touched_ = now();  // the silence was ours
  nghttp2_session_consume_stream(library_, stream.id_, std::exchange(stream.window_owed_, 0));
  touch();
}

void Session::give_windows_back_to_all() {
  if (!std::exchange(windows_withheld_, false)) return;
  for (const std::int32_t id : unfinished_) give_windows_back(streams_.at(id));
}

void Session::report_held() { connection_.hold(held_ + streams_.size() * kStreamBytes); }

void Session::control_received() {
  if (!controls_.take(received_at_, kControlsBurst, kControlsPerSecond)) say_goodbye(Reset::calm_down, "too_many_frames");
}

// As gRPC's servers do: pings measure and keep alive, and a peer that we have just sent something to may always send one.
void Session::ping_received() {
  const Ticks before = std::exchange(ping_received_at_, received_at_);
  if (before == Ticks::min() || received_at_ - before >= service_->limits.keepalive_accepted) return;
  if (++ping_strikes_ > kPingStrikesMax) say_goodbye(Reset::calm_down, kTooManyPings);
}

void Session::ping_answered(std::string_view text) {
  if (text == kAlivePing) ping_sent_at_ = Ticks::min();
  if (text == kDrainPing && draining_) finish_drain();
}

void Session::end_sent(Stream& stream) {
  stream.ended_ = true;
  --sending_;
  if (stream.done_) done_.push_back(std::exchange(stream.done_, {}));
  // The rest of the request is of no use: the peer may stop sending it.
  if (!stream.input_ended_) stream.reset(Reset::no_error);
}

void Session::stream_closed(std::int32_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  Stream& stream = found->second;
  finish_input(id);
  stream.input_ended_ = true;
  if (stream.is_sending()) --sending_;
  if (long_ == id) long_ = 0;
  long_waiting_.erase(id);
  // Whoever is told by what it holds that nobody answered learns first that nobody asks any more.
  if (stream.begin_) service_->loop.post([begin = std::move(stream.begin_)] {});
  held_ -= stream.held_ + stream.unsent();
  stream.held_ = 0;
  if (stream.done_) guarded(nullptr, "undelivered answer", [&] { std::exchange(stream.done_, {})(false); });
  stream.reset_ = true;  // nothing of it reaches the library any more
  call(stream, "end of stream", &Handler::closed);
  streams_.erase(found);
  if (streams_.empty()) idle_since_ = received_at_;
  report_held();
  give_windows_back_to_all();
}

// The peer is told why, and the connection ends with what is on it.
void Session::say_goodbye(Reset why, std::string_view text) {
  if (std::exchange(goodbye_, true)) return;
  nghttp2_submit_goaway(library_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(library_),
                        static_cast<std::uint32_t>(why), raw(text), text.size());
  touch();
}

// First a notice, so that requests which are on their way are still served; then, when the peer has heard it, the end.
void Session::drain() {
  if (draining_ || closed_) return;
  draining_ = true;
  drain_begun_at_ = now();
  nghttp2_submit_shutdown_notice(library_);
  flush();  // the library lets pings overtake
  nghttp2_submit_ping(library_, NGHTTP2_FLAG_NONE, raw(kDrainPing));
  std::vector<std::int32_t> open;
  for (const auto& [id, stream] : streams_) open.push_back(id);
  for (const std::int32_t id : open)
    if (const auto found = streams_.find(id); found != streams_.end()) call(found->second, "drain", &Handler::draining);
  flush();
  arm();
}

void Session::finish_drain() {
  if (std::exchange(drained_, true)) return;
  nghttp2_submit_goaway(library_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(library_), NGHTTP2_NO_ERROR, nullptr,
                        0);
  touch();
}

void Session::touch() {
  if (busy_ || flush_posted_ || closed_) return;
  flush_posted_ = true;
  // Many answers of one round of the loop leave together.
  service_->loop.post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->flush();
    self->arm();
  });
}

void Session::flush() {
  flush_posted_ = false;
  if (closed_ || busy_) return;
  busy_ = true;
  const int outcome = nghttp2_session_send(library_);
  busy_ = false;
  if (!output_.empty()) {
    Stream::Done done;
    if (!done_.empty())
      done = [all = std::exchange(done_, {})](bool taken) mutable {
        for (Stream::Done& each : all) each(taken);
      };
    output_bytes_ = std::min(output_.size(), kOutputBytesExpectedMax);
    connection_.send(std::exchange(output_, {}), std::move(done));
  }
  if (outcome != 0) return connection_.close_now();  // out of memory
  report_held();
  tell_drained();
  begin_next_long();
  finish_if_done();
}

// What handlers send now leaves in a later round: a stream does not keep the others waiting.
void Session::tell_drained() {
  if (drained_streams_.empty()) return;
  for (const std::int32_t id : std::exchange(drained_streams_, {})) {
    const auto found = streams_.find(id);
    if (found != streams_.end() && found->second.unsent() == 0) call(found->second, "room for more", &Handler::drained);
  }
}

// How long an answer is shows when it is there, so a connection makes one long answer at a time.
void Session::begin_next_long() {
  while (!closed_ && long_ == 0 && !long_waiting_.empty()) {
    report_held();
    const bool nothing_to_send = sending_ == 0 && connection_.unsent() == 0;
    if (!nothing_to_send && !connection_.has_room()) return;
    Stream& stream = streams_.at(long_waiting_.extract(long_waiting_.begin()).value());
    if (stream.finished_ || stream.reset_) continue;
    long_ = stream.id_;
    UniqueFunction<void()> begin = std::exchange(stream.begin_, {});
    guarded(&stream, "long answer", [&] { begin(); });
  }
}

void Session::finish_if_done() {
  // A request that is still on its way is above the last one we name, and its client tries it elsewhere.
  if (draining_ && streams_.empty()) finish_drain();
  if (nghttp2_session_want_write(library_) != 0 || !held_up_.empty()) return;
  if (goodbye_ || (drained_ && streams_.empty()) || nghttp2_session_want_read(library_) == 0) connection_.close_when_sent();
}

void Session::output_drained() {
  if (closed_) return;
  read_on();
  give_windows_back_to_all();
  for (const std::int32_t id : std::exchange(held_up_, {}))
    if (Stream* const stream = find(id); stream != nullptr && std::exchange(stream->deferred_, false))
      nghttp2_session_resume_data(library_, id);
  flush();
}

// A peer that sends no more will not say that it still waits either: whoever goes away looks the same.
void Session::peer_finished() { connection_.close_now(); }

void Session::arm() {
  if (closed_ || connection_.closing()) return;
  const Limits& limits = service_->limits;
  const Ticks at = now();
  Ticks next = Ticks::max();
  const auto within = [&](Duration wait) { next = std::min<Ticks>(next, at + wait); };
  if (!settings_seen_) within(limits.first_bytes);
  if (streams_.empty()) within(limits.idle);
  if (reading_head_ || !unfinished_.empty()) within(limits.input_silence);
  if (sending_ > 0) within(limits.output_silence);
  if (limits.keepalive > Duration::zero()) within(ping_sent_at_ == Ticks::min() ? limits.keepalive : limits.keepalive_answer);
  if (draining_ && !drained_) within(kDrainAnswer);
  if (next >= next_look_) return;
  next_look_ = next;
  connection_.expire_reading_in(std::chrono::ceil<Duration>(next - at));
}

void Session::read_expired() {
  next_look_ = Ticks::max();
  if (closed_ || connection_.closing()) return;
  const Ticks at = now();
  // Of a peer that is not read, its connection judges whether it takes anything.
  if (!paused_) {
    look_at_streams(at);
    look_at_peer(at);
  }
  flush();
  arm();
}

// Does the peer owe something of this stream, and has it been still for too long?
bool Session::is_silent(const Stream& stream, Ticks at) const {
  const Limits& limits = service_->limits;
  const Ticks quiet = at - stream.touched_;
  if (stream.reset_) return false;
  if (!stream.is_sending())
    return !stream.input_ended_ && !stream.withheld_ && !stream.input_paused_ && quiet >= limits.input_silence;
  // With a window it waits for the system or for other answers, and the peer owes nothing.
  return quiet >= limits.output_silence && (nghttp2_session_get_stream_remote_window_size(library_, stream.id_) <= 0 ||
                                            nghttp2_session_get_remote_window_size(library_) <= 0);
}

void Session::look_at_streams(Ticks at) {
  std::vector<std::int32_t> silent;
  for (const auto& [id, stream] : streams_)
    if (is_silent(stream, at)) silent.push_back(id);
  for (const std::int32_t id : silent) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) continue;
    Stream& stream = found->second;
    if (stream.is_sending())
      stream.reset(Reset::cancel);
    else if (stream.handler_ && stream.handler_->is_owed())
      call(stream, "silent peer", &Handler::expired);
  }
}

void Session::look_at_peer(Ticks at) {
  const Limits& limits = service_->limits;
  const Ticks quiet = at - received_at_;
  if ((!settings_seen_ && quiet >= limits.first_bytes) || (reading_head_ && quiet >= limits.input_silence))
    return say_goodbye(Reset::no_error, "nothing was sent for too long");
  if (draining_ && at - drain_begun_at_ >= kDrainAnswer) return finish_drain();
  if (streams_.empty() && at - std::max(idle_since_, received_at_) >= limits.idle) return drain();
  if (limits.keepalive == Duration::zero()) return;
  if (ping_sent_at_ != Ticks::min()) {
    if (at - ping_sent_at_ >= limits.keepalive_answer) connection_.close_now();
  } else if (quiet >= limits.keepalive) {
    ping_sent_at_ = at;
    nghttp2_submit_ping(library_, NGHTTP2_FLAG_NONE, raw(kAlivePing));
  }
}

void Session::closed() {
  closed_ = true;
  while (!streams_.empty()) stream_closed(streams_.begin()->first);
}

}  // namespace muster::http2
