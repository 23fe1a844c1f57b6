// Who is connected: every client by its id, by the worker it acts as, and by the address it came from. CLIENT LIST, CLIENT KILL,
// SUBSCRIBE, verifications and the limits of connections ask here.
//
// Lives on the loop's thread. Sessions enter when they begin and leave when they end; an Outlet is valid between the two.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fronts/resp/client.h"

namespace muster::resp {

// What others may do with a connection they do not own.
class Outlet {
 public:
  virtual ~Outlet() = default;
  // Bytes between two replies: a message of a channel, a push of RESP3. The connection is closed when it reads too slowly.
  virtual void push(std::string bytes) = 0;
  virtual void close() = 0;  // after what is already on its way
  // Name, rights or keys of the client have changed: the session follows.
  virtual void client_changed() = 0;
  virtual bool waiting() const = 0;  // in a command that blocks
};

class Clients {
 public:
  std::shared_ptr<Client> add(std::string address, Instant now, Outlet& outlet);
  void remove(const std::shared_ptr<Client>& client);

  std::size_t size() const { return by_id_.size(); }
  std::size_t size_of(const std::string& address) const;  // connections from there
  std::uint64_t accepted() const { return last_id_; }     // since the start

  std::shared_ptr<Client> find(ClientId id) const;                  // null: none
  std::size_t waiting() const;                                      // how many are in a command that blocks
  std::vector<std::shared_ptr<Client>> all() const;                 // by id
  std::shared_ptr<Client> of_worker(const WorkerId& worker) const;  // the connection that acts as it; null: none
  void push(ClientId id, std::string bytes);                        // nothing happens when it is gone
  bool close(ClientId id);                                          // false: it is gone or going
  void tell_changed(ClientId id);

  // From now on the client acts as the worker; one that acted as it before no longer does. An earlier bond is replaced.
  struct Binding {
    Bond bond = Bond::none;
    WorkerId worker;
    SessionId session{};
  };
  void bind(const std::shared_ptr<Client>& client, Binding binding);
  void unbind(Client& client);  // back to Bond::none

 private:
  struct Seat {
    std::shared_ptr<Client> client;
    Outlet* outlet = nullptr;
    bool closing = false;  // asked to close; it is listed until it has
  };
  std::map<ClientId, Seat> by_id_;
  std::unordered_map<std::string, std::size_t> by_address_;
  std::unordered_map<std::string, ClientId> by_worker_;
  std::uint64_t last_id_ = 0;
};

}  // namespace muster::resp
