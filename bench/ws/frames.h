// What AstraFlow's worker of protocol 2 and its scheduler write to each other, byte for byte in the worker's own style, and
// WebSocket frames around it. Made for speed: whoever drives a load must not be what is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::bench::ws {

// --- worker ---

std::string instance_id(std::size_t number);
std::string handshake(std::string_view instance);
std::string registration(std::string_view instance, std::size_t max_parallel);
// Appended, as all frames that are written again and again.
void heartbeat(std::string& out, std::string_view instance, std::uint64_t counter);

// What the answers to a dispatch repeat of it.
struct Dispatch {
  std::string id;
  std::string run;
  std::string task;
  std::uint64_t seq = 0;
  std::uint64_t number = 0;  // session_seq
};
// False: the text is no dispatch of ours.
bool read_dispatch(std::string_view text, Dispatch& out);
void dispatch_ack(std::string& out, std::string_view instance, std::uint64_t counter, const Dispatch& dispatch);
void result(std::string& out, std::string_view instance, std::uint64_t counter, std::uint64_t number, const Dispatch& dispatch);

// --- scheduler: as long as what the server under test writes ---

std::string scheduler_ack(std::uint64_t number);
std::string scheduler_accept();
std::string scheduler_dispatch(std::uint64_t number);

// --- WebSocket ---

// A client's text frame. Its mask is zero: the server has the work of unmasking, the load has none of masking.
void append_client_frame(std::string& out, std::uint8_t opcode, std::string_view payload);
std::string upgrade_text();

struct ServerFrame {
  std::uint8_t opcode = 0;
  std::string_view payload;
  std::size_t bytes = 0;  // of the whole frame; 0: it is not all there
};
ServerFrame first_frame(std::string_view in);

inline constexpr std::uint8_t kText = 1;
inline constexpr std::uint8_t kClose = 8;
inline constexpr std::uint8_t kPing = 9;
inline constexpr std::uint8_t kPong = 10;

}  // namespace muster::bench::ws
