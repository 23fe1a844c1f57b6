// Channels: what happens to jobs, workers and queues, told to connections that subscribed.
//
//   jobs            every job             workers       every worker
//   job:<id>        one job               worker:<id>   one worker
//   queue:<name>    the jobs of a queue, and its pauses
//
// Messages are JSON, made from the engine's ring of events; a reader that is slower than they come is closed at output_bytes_max.
// When the ring itself moved on unseen, every channel carries {"event":"gap"}. Core owns the channels; they live on the loop's
// thread, and only wakes come from elsewhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "command/door.h"
#include "fronts/resp/client.h"

namespace muster::resp {

struct Core;

// Shared with wakes that are posted, which find it gone or keep it for their own turn.
class Channels : public std::enable_shared_from_this<Channels> {
 public:
  explicit Channels(Core& core);
  ~Channels();

  enum class Kind : std::uint8_t { channel, pattern };
  static constexpr std::size_t kSubscriptionBytes = 256;  // what one costs beside its name

  // All keep Client::subscriptions and subscription_bytes right. REQUIRES: room for it, by channels_max and the bounds of bytes.
  void add(const std::shared_ptr<Client>& client, Kind kind, const std::string& name);
  void remove(Client& client, Kind kind, const std::string& name);  // unknown names are ignored
  void remove(Client& client);                                      // all of them
  std::vector<std::string> names_of(const Client& client, Kind kind) const;

  // Tells those who listen on this node; how many messages that were. REQUIRES: !is_told(channel).
  std::size_t publish(const std::string& channel, std::string text) { return tell({{channel}, std::move(text)}); }
  // Whether the server itself tells this channel, so that nobody else may.
  static bool is_told(std::string_view channel);

  std::vector<std::string> channels(std::string_view pattern) const;  // that have a reader; empty pattern: all
  std::size_t readers_of(const std::string& channel) const;
  std::size_t patterns() const;
  std::size_t bytes() const { return bytes_; }  // of all subscriptions
  static std::size_t bytes_of(const std::string& name) { return name.size() + kSubscriptionBytes; }

 private:
  struct Reader {
    std::shared_ptr<Client> client;
    std::map<std::string, std::string> channels;  // as it was asked for → as it is told
    std::set<std::string> patterns;
  };
  // One thing to tell, on all channels it concerns.
  struct Message {
    std::vector<std::string> channels;
    std::string text;
  };

  static std::string canonical(const std::string& channel);
  void follow();
  void unfollow();
  void feed();
  Message message_of(const command::Event& event) const;
  std::size_t tell(const Message& message);  // how many it reached
  void tell_gap();

  Core& core_;
  std::map<ClientId, Reader> readers_;
  std::unordered_map<std::string, std::set<ClientId>> by_channel_;  // as it is told
  std::set<ClientId> with_patterns_;
  std::size_t bytes_ = 0;
  bool following_ = false;
  command::SubscriptionId subscription_{};
  std::uint64_t after_ = 0;                // the last event that was told
  std::atomic<bool> wake_pending_{false};  // the only thing a publishing thread touches
};

}  // namespace muster::resp
