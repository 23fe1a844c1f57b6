// Bytes to commands: RESP arrays and inline lines, in pieces of any size.
//
// A session feeds what arrives. Nothing is buffered but the header line and the argument that are being read, and no length that
// a peer announces is believed further than its bytes have come: it only decides, at once, whether the command is too large.
// How a stream is cut never changes what is read from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::resp::wire {

struct Bounds {
  std::size_t message_bytes_max = 0;  // of one command, with its headers
  std::size_t value_bytes_max = 0;    // of one bulk string
  std::size_t elements_max = 0;       // of one array
  std::size_t inline_bytes_max = 0;
};

inline constexpr std::size_t kTextKept = 4 * 1024;  // of a buffer between two frames
inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Arguments as they came. An element that is no bulk string (a number, a null, an array) is empty; `not_bulk` is the place of the
// first one.
struct Words {
  std::vector<std::string> words;
  std::size_t not_bulk = kNone;
};

class Parser {
 public:
  enum class Outcome : std::uint8_t {
    more,     // everything given was read; the frame goes on
    command,  // take() it
    refused,  // refusal() says why
  };
  struct Refusal {
    std::string text;    // after "-ERR "; empty: nothing is said
    bool close = false;  // what follows cannot be understood
  };

  // depth_max: arrays in arrays, the command itself being the first.
  Parser(Bounds bounds, std::size_t depth_max);

  // For the next frame; one that is being read keeps the bounds it began with, unless it has not got past its first header.
  void set_bounds(Bounds bounds) { bounds_ = bounds; }

  // Reads up to the end of one frame and says how far it came. After a refusal that closes nothing more is to be fed.
  struct Step {
    Outcome outcome = Outcome::more;
    std::size_t used = 0;
  };
  Step feed(std::string_view bytes);
  Words take();
  const Refusal& refusal() const { return refusal_; }
  std::size_t buffered() const { return frame_bytes_ + words_.words.capacity() * sizeof(std::string); }  // of the frame
  bool idle() const { return phase_ == Phase::start && depth_ == 0; }                                    // between two frames

 private:
  enum class Phase : std::uint8_t { start, number, number_end, line, line_end, bulk, bulk_cr, bulk_lf, inline_words };

  static constexpr std::size_t kDepthMax = 16;  // of what depth_max may be

  bool quick_frame(std::string_view bytes, std::size_t& at);
  bool quick_header(std::string_view bytes, std::size_t& at);
  Outcome start(char byte);
  Outcome number(char byte);
  Outcome end_number();
  Outcome begin_array();
  Outcome begin_bulk();
  Outcome value_done(bool is_bulk);
  Outcome inline_done();
  Outcome refuse(std::string text, bool close);
  Outcome too_large();
  Outcome wrong_number();
  void read_bulk(std::string_view bytes, std::size_t& at);
  bool keeps() const { return depth_ == 1; }  // the words of the command itself; deeper ones are only skipped
  void begin_frame();

  Bounds bounds_;
  std::size_t depth_max_;
  Phase phase_ = Phase::start;
  char type_ = 0;
  bool negative_ = false;
  bool signed_ = false;
  std::uint32_t digits_ = 0;
  std::int64_t number_ = 0;
  std::size_t wanted_ = 0;       // bytes of the bulk string that are still to come
  std::size_t frame_bytes_ = 0;  // read of this frame
  std::size_t depth_ = 0;
  std::size_t left_[kDepthMax] = {};  // elements still to come, by depth
  std::string text_;                  // the bulk string or the inline line that is being read
  Words words_;
  Refusal refusal_;
};

// One inline line as words: blanks between them, "…" with \n \r \t \b \a \\ \" \xHH, '…' with \'. False: a quote is not closed,
// or something stands right behind a closing one.
bool split_inline(std::string_view line, std::vector<std::string>& words);
// A line as a browser or a curl would send it to this port.
bool looks_like_http(const std::vector<std::string>& words);

}  // namespace muster::resp::wire
