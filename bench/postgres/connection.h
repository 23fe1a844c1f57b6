// One blocking connection to PostgreSQL through libpq, and a database of the benchmark's own on that server. The peers and the
// preparations use them; what is measured as ours never does. A failure ends the program.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn;
struct pg_result;

namespace muster::bench::postgres {

class Connection {
 public:
  explicit Connection(const std::string& url);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void run(std::string_view sql);           // one or more statements
  void checkpoint();                        // where the role may; else the next timed one comes in the middle of a row
  std::string value(std::string_view sql);  // first column of the first row
  void prepare(const char* name, std::string_view sql);
  // The first column of all rows. Text in, text out; the statement is a transaction of its own.
  std::vector<std::string> execute(const char* name, std::initializer_list<std::string_view> values);
  int server_pid() const;

 private:
  [[noreturn]] void fail(std::string_view what) const;
  pg_conn* connection_ = nullptr;
};

// Created empty, dropped at the end. Its URL names no password: that is put into the environment, where libpq and the peers find
// it and no process list shows it.
class OwnDatabase {
 public:
  explicit OwnDatabase(const std::string& server_url);
  ~OwnDatabase();
  OwnDatabase(const OwnDatabase&) = delete;
  OwnDatabase& operator=(const OwnDatabase&) = delete;
  const std::string& url() const { return url_; }

 private:
  const std::string server_url_;
  std::string url_;
};

// Processor time all processes of the server at `url` have used so far, those that ended included. Not known when it runs on
// another machine.
class ServerCpu {
 public:
  explicit ServerCpu(const std::string& url);
  bool known() const { return postmaster_ > 0; }
  double seconds() const;
  std::string folder() const;  // of its data; empty when it cannot be told

 private:
  int postmaster_ = 0;
};

}  // namespace muster::bench::postgres
