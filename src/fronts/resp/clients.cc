#include "fronts/resp/clients.h"

namespace muster::resp {

std::shared_ptr<Client> Clients::add(std::string address, Instant now, Outlet& outlet) {
  auto client = std::make_shared<Client>();
  client->id = ClientId(++last_id_);
  client->address = std::move(address);
  client->connected_at = now;
  client->active_at = now;
  ++by_address_[client->address];
  by_id_.emplace(client->id, Seat{client, &outlet});
  return client;
}

void Clients::remove(const std::shared_ptr<Client>& client) {
  if (by_id_.erase(client->id) == 0) return;
  if (const auto at = by_worker_.find(client->worker.text()); at != by_worker_.end() && at->second == client->id)
    by_worker_.erase(at);
  const auto from = by_address_.find(client->address);
  if (from != by_address_.end() && --from->second == 0) by_address_.erase(from);
}

std::size_t Clients::size_of(const std::string& address) const {
  const auto at = by_address_.find(address);
  return at == by_address_.end() ? 0 : at->second;
}

std::shared_ptr<Client> Clients::find(ClientId id) const {
  const auto at = by_id_.find(id);
  return at == by_id_.end() ? nullptr : at->second.client;
}

std::size_t Clients::waiting() const {
  std::size_t count = 0;
  for (const auto& [id, seat] : by_id_)
    if (seat.outlet->waiting()) ++count;
  return count;
}

std::vector<std::shared_ptr<Client>> Clients::all() const {
  std::vector<std::shared_ptr<Client>> out;
  out.reserve(by_id_.size());
  for (const auto& [id, seat] : by_id_) out.push_back(seat.client);
  return out;
}

std::shared_ptr<Client> Clients::of_worker(const WorkerId& worker) const {
  const auto at = by_worker_.find(worker.text());
  return at == by_worker_.end() ? nullptr : find(at->second);
}

void Clients::push(ClientId id, std::string bytes) {
  if (const auto at = by_id_.find(id); at != by_id_.end()) at->second.outlet->push(std::move(bytes));
}

bool Clients::close(ClientId id) {
  const auto at = by_id_.find(id);
  if (at == by_id_.end() || at->second.closing) return false;
  at->second.closing = true;
  at->second.outlet->close();
  return true;
}

void Clients::tell_changed(ClientId id) {
  if (const auto at = by_id_.find(id); at != by_id_.end()) at->second.outlet->client_changed();
}

void Clients::bind(const std::shared_ptr<Client>& client, Binding binding) {
  unbind(*client);
  if (const auto before = of_worker(binding.worker)) unbind(*before);
  client->bond = binding.bond;
  client->worker = std::move(binding.worker);
  client->session = binding.session;
  // A client that is already gone is no way to reach its worker.
  if (by_id_.contains(client->id)) by_worker_[client->worker.text()] = client->id;
}

void Clients::unbind(Client& client) {
  if (client.bond == Bond::none) return;
  if (const auto at = by_worker_.find(client.worker.text()); at != by_worker_.end() && at->second == client.id)
    by_worker_.erase(at);
  client.bond = Bond::none;
  client.worker = WorkerId();
  client.session = SessionId{};
}

}  // namespace muster::resp
