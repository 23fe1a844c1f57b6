// One connection to the server: libpq in non-blocking pipeline mode, with a deadline on everything.
//
// A caller adds calls and exchanges them: all go out together, one sync ends them, all answers come back together. Outside a
// transaction block such an exchange is one transaction by itself. Between `begin` and `commit` (statements like any other) it is
// a part of one.
//
// Not thread-safe: a connection belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "store/postgres/statements.h"
#include "store/postgres/store.h"
#include "store/postgres/wire/params.h"

struct pg_result;
struct pg_conn;

namespace muster::store::postgres {

// The rows one statement answered, in binary form. Columns are read by position, in the order of the statement's text.

class Rows {
 public:
  Rows() = default;
  explicit Rows(pg_result* result);  // takes it over

  std::size_t size() const;
  std::size_t affected() const;  // rows a statement without answer changed
  bool null(std::size_t row, int column) const;
  std::int64_t integer(std::size_t row, int column) const;  // of any width, booleans too; 0 for null
  std::optional<std::int64_t> maybe(std::size_t row, int column) const;
  double real(std::size_t row, int column) const;
  std::string_view view(std::size_t row, int column) const;  // text or bytes; empty for null; valid while the rows are
  std::string text(std::size_t row, int column) const { return std::string(view(row, column)); }

  // One of them, as store/codec/columns.h reads it. Valid while these rows are.
  struct Row {
    const Rows& rows;
    std::size_t row;
    bool is_null(int column) const { return rows.null(row, column); }
    std::int64_t integer(int column) const { return rows.integer(row, column); }
    double real(int column) const { return rows.real(row, column); }
    std::string_view view(int column) const { return rows.view(row, column); }
    std::string text(int column) const { return rows.text(row, column); }
  };
  Row at(std::size_t row) const { return {*this, row}; }

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

struct ConnectOptions {
  std::string url;
  std::string application;  // shown in pg_stat_activity
  std::string schema;
  Duration connect_timeout{5'000};
  Duration statement_timeout{10'000};
  Preparing preparing = Preparing::automatic;
};

// What a failure means for what was sent.
enum class Fate : std::uint8_t {
  refused,   // the server answered with an error: nothing of it was written
  not_sent,  // it never left
  unknown,   // sent, and the answer did not arrive: it may have been written
};

struct Trouble {
  Fate fate = Fate::refused;
  std::string state;    // SQLSTATE; empty when the connection broke
  std::string message;  // for people, without secrets
  // Worth trying again at once: a deadlock, a serialization failure, a plan that went stale.
  bool passing() const;
  // unavailable or outcome_unknown, with advice where the cause is known.
  Status status() const;
};

class Connection {
 public:
  // Connects and checks that the server can be used and written to.
  // invalid_argument: no waiting mends it (password, database, rights, version). unavailable: perhaps later.
  static Result<std::unique_ptr<Connection>> open(const ConnectOptions& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void call(Sql statement, Params params = {});
  void call_text(std::string text, Params params = {});  // for the few that are not prepared
  // Sends what was called and waits. Rows in the order of the calls, or why not; trouble() has the details then.
  Result<std::vector<Rows>> exchange();
  void forget_calls() { calls_.clear(); }  // those that were not sent
  const Trouble& trouble() const { return trouble_; }
  bool alive() const { return alive_; }
  // Looks without waiting whether the other end has closed while nobody used it.
  bool still_there();
  bool in_transaction() const;
  // From now on calls and exchanges. Prepares every statement, unless a pooler is in between.
  Status start_pipeline();

  // Before start_pipeline(): for migrations, checks and LISTEN. They wait without a deadline of ours.
  Status script(const std::string& text);
  Result<Rows> query(const std::string& text);

  // Waits until something arrives, the descriptor `wake` is readable, or the time is over. False: the connection is gone.
  bool wait_for_notifications(int wake, Duration longest);
  struct Notification {
    std::string channel;
    std::string payload;
    int from_backend = 0;
  };
  std::vector<Notification> take_notifications();
  int backend() const;  // its process, as the other end says
  bool through_pooler() const { return through_pooler_; }

 private:
  struct Call {
    std::size_t statement;  // kText: see text
    std::string text;
    Params params;
  };
  static constexpr std::size_t kText = ~std::size_t{0};

  explicit Connection(ConnectOptions options) : options_(std::move(options)) {}
  Status connect();
  Status check_server();
  bool prepares() const;
  bool send(const Call& call);
  // Reads until the sync's answer; false when the connection broke or the time is over.
  bool receive(std::size_t expected, std::vector<Rows>& rows, Ticks deadline);
  bool wait_socket(bool for_writing, Ticks deadline);
  bool flush(Ticks deadline);
  void broke(Fate fate, std::string message);
  Ticks deadline_from_now() const;

  ConnectOptions options_;
  pg_conn* conn_ = nullptr;
  std::vector<Call> calls_;
  Trouble trouble_;
  bool alive_ = false;
  bool through_pooler_ = false;
  bool prepared_ = false;
};

}  // namespace muster::store::postgres
