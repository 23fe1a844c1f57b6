#include "bench/resp/wires.h"

#include <fmt/format.h>

namespace muster::bench::resp {
namespace {

constexpr std::size_t kElementBytes = 128;

std::string element(std::size_t number) {
  std::string text = fmt::format(R"({{"n":{},"pad":")", number);
  text.append(kElementBytes - text.size() - 2, 'p');
  return text + "\"}";
}

std::string auth(const std::string& key) {
  std::string out;
  if (!key.empty()) resp_command(out, {"AUTH", key});
  return out;
}

class RespWire : public Wire {
 public:
  explicit RespWire(std::string key) : hello_(auth(key)) {}
  std::string hello() const override { return hello_; }
  std::size_t end_of(std::size_t, std::string_view in) const override { return in.empty() ? 0 : resp_end(in); }

 private:
  std::string hello_;
};

// The job's id inside the document a pop answers.
bool take_id(std::string_view text, Slot& slot) {
  constexpr std::string_view kMark = "\"job_id\":\"";
  const std::size_t at = text.find(kMark);
  if (at == std::string_view::npos) return false;
  const std::size_t begin = at + kMark.size();
  slot.id = text.substr(begin, text.find('"', begin) - begin);
  return true;
}

void pop(std::string& out) { resp_command(out, {"BRPOP", "queue:ready", "5"}); }
void complete(const Slot& slot, std::string& out) { resp_command(out, {"JOB.UPDATE", slot.id, R"({"status":"completed"})"}); }

class MusterLife final : public RespWire {
 public:
  using RespWire::RespWire;
  void request(std::size_t step, Slot& slot, std::string& out) override {
    switch (step) {
      case 0: return resp_command(out, {"LPUSH", "queue:ready", element_});
      case 1: return pop(out);
      default: return complete(slot, out);
    }
  }
  bool reply(std::size_t step, std::string_view text, Slot& slot) override {
    if (step == 0) return text.front() == ':';
    return step == 1 ? take_id(text, slot) : text == "+OK\r\n";
  }

 private:
  const std::string element_ = element(1);
};

class MusterActions final : public RespWire {
 public:
  explicit MusterActions(std::string key) : RespWire(std::move(key)) {
    inputs_ = "[";
    for (std::size_t i = 0; i < kActionInputs; ++i) inputs_ += (i > 0 ? "," : "") + element(i);
    inputs_ += "]";
  }
  void request(std::size_t step, Slot& slot, std::string& out) override {
    switch (step) {
      case 0: {
        const std::string action =
            fmt::format(R"({{"action_id":"bench-{}-{}","plan_id":"bench","inputs":{}}})", run_, next_++, inputs_);
        return resp_command(out, {"ACTION.SUBMIT", action});
      }
      case 1: return pop(out);
      default: return complete(slot, out);
    }
  }
  bool reply(std::size_t step, std::string_view text, Slot& slot) override {
    if (step == 0) return text.find("\"jobs_created\":100") != std::string_view::npos;
    return step == 1 ? take_id(text, slot) : text == "+OK\r\n";
  }

 private:
  std::string inputs_;
  std::size_t next_ = 0;
  const std::size_t run_ = ++runs;
  static inline std::size_t runs = 0;
};

class RedisReliable final : public RespWire {
 public:
  RedisReliable() : RespWire("") {}
  void request(std::size_t step, Slot& slot, std::string& out) override {
    switch (step) {
      case 0: return resp_command(out, {"LPUSH", "q", element(slot.number)});
      case 1: return resp_command(out, {"BLMOVE", "q", "p", "RIGHT", "LEFT", "5"});
      default: return resp_command(out, {"LREM", "p", "1", slot.id});
    }
  }
  bool reply(std::size_t step, std::string_view text, Slot& slot) override {
    if (step != 1) return text.front() == ':';
    const std::size_t begin = text.find("\r\n") + 2;
    if (text.size() < begin + 2) return false;
    slot.id = text.substr(begin, text.size() - begin - 2);
    return true;
  }
};

class RedisLossy final : public RespWire {
 public:
  RedisLossy() : RespWire("") {}
  void request(std::size_t step, Slot& slot, std::string& out) override {
    if (step == 0) return resp_command(out, {"LPUSH", "q", element(slot.number)});
    resp_command(out, {"BRPOP", "q", "5"});
  }
  bool reply(std::size_t step, std::string_view text, Slot&) override { return text.front() == (step == 0 ? ':' : '*'); }
};

class BeanstalkLife final : public Wire {
 public:
  void request(std::size_t step, Slot& slot, std::string& out) override {
    switch (step) {
      case 0: out += fmt::format("put 0 0 60 {}\r\n{}\r\n", element_.size(), element_); return;
      case 1: out += "reserve-with-timeout 5\r\n"; return;
      default: out += fmt::format("delete {}\r\n", slot.id);
    }
  }
  bool reply(std::size_t step, std::string_view text, Slot& slot) override {
    if (step == 0) return text.starts_with("INSERTED");
    if (step == 2) return text.starts_with("DELETED");
    if (!text.starts_with("RESERVED ")) return false;
    slot.id = text.substr(9, text.find(' ', 9) - 9);
    return true;
  }
  std::size_t end_of(std::size_t step, std::string_view in) const override {
    const std::size_t line = in.find("\r\n");
    if (line == std::string_view::npos) return 0;
    if (step != 1 || !in.starts_with("RESERVED")) return line + 2;
    const std::size_t end = line + 2 + element_.size() + 2;
    return end <= in.size() ? end : 0;
  }

 private:
  const std::string element_ = element(1);
};

class PlainWire final : public RespWire {
 public:
  PlainWire(Plain what, std::string key) : RespWire(std::move(key)), what_(what) {}
  void request(std::size_t, Slot& slot, std::string& out) override {
    const std::string name = fmt::format("bench:{}", slot.number % 1'000);
    switch (what_) {
      case Plain::ping: return resp_command(out, {"PING"});
      case Plain::get: return resp_command(out, {"GET", name});
      case Plain::set: return resp_command(out, {"SET", name, "0123456789abcdef0123456789abcdef"});
    }
  }
  bool reply(std::size_t, std::string_view text, Slot&) override { return text.front() != '-'; }

 private:
  Plain what_;
};

class EchoLife final : public Wire {
 public:
  void request(std::size_t, Slot&, std::string& out) override { out.append(kElementBytes, 'e').append("\r\n"); }
  bool reply(std::size_t, std::string_view, Slot&) override { return true; }
  std::size_t end_of(std::size_t, std::string_view in) const override { return in.empty() ? 0 : resp_end(in); }
};

}  // namespace

WirePtr muster_life(std::string key) { return std::make_unique<MusterLife>(std::move(key)); }
WirePtr muster_actions(std::string key) { return std::make_unique<MusterActions>(std::move(key)); }
WirePtr redis_reliable() { return std::make_unique<RedisReliable>(); }
WirePtr redis_lossy() { return std::make_unique<RedisLossy>(); }
WirePtr beanstalk_life() { return std::make_unique<BeanstalkLife>(); }
WirePtr plain(Plain what, std::string key) { return std::make_unique<PlainWire>(what, std::move(key)); }
WirePtr echo_life() { return std::make_unique<EchoLife>(); }

}  // namespace muster::bench::resp
