#include "store/transfer/agent_digest.h"

#include <bit>

namespace muster::store::transfer {
namespace {

// Every column with its length or its absence, so that no two records look alike by accident.
class ColumnBytes {
 public:
  ColumnBytes() : columns_(*this, nullptr) {}
  ColumnBytes(const ColumnBytes&) = delete;
  ColumnBytes& operator=(const ColumnBytes&) = delete;

  template <class... Values>
  ColumnBytes& operator()(const Values&... values) {
    columns_(values...);
    return *this;
  }
  ColumnsOut<ColumnBytes>& columns() { return columns_; }
  std::string take() { return std::move(out_); }

  // As ColumnsOut wants it.
  void null() { out_ += 'n'; }
  void flag(bool value) { out_ += value ? 't' : 'f'; }
  void integer(std::int64_t value) {
    out_ += 'i';
    for (int shift = 0; shift < 64; shift += 8) out_ += static_cast<char>(static_cast<std::uint64_t>(value) >> shift);
  }
  void real(double value) { integer(std::bit_cast<std::int64_t>(value)); }
  void text(std::string_view value) {
    integer(static_cast<std::int64_t>(value.size()));
    out_ += value;
  }
  void made(const std::string& value) { text(value); }

 private:
  std::string out_;
  ColumnsOut<ColumnBytes> columns_;
};

}  // namespace

std::string agent_bytes(const Agent& record) {
  ColumnBytes out;
  out(record.spec.ns);
  agent_columns(out.columns(), record);
  return out.take();
}

std::string agent_bytes(const Tool& record) {
  ColumnBytes out;
  out(record.spec.ns);
  tool_columns(out.columns(), record);
  return out.take();
}

std::string agent_bytes(const SessionRow& record) {
  ColumnBytes out;
  out(record.session.ns);
  session_columns(out.columns(), record);
  return out.take();
}

std::string agent_bytes(const AgentRun& record) {
  ColumnBytes out;
  out(record.ns);
  run_origin_columns(out.columns(), record);
  run_moving_columns(out.columns(), record);
  return out.take();
}

std::string agent_bytes(const Iteration& record) {
  ColumnBytes out;
  iteration_columns(out.columns(), record);
  return out.take();
}

std::string agent_bytes(const ExecutionRecord& record) {
  ColumnBytes out;
  out(record.ns);
  execution_columns(out.columns(), record.execution);
  return out.take();
}

std::string agent_bytes(const MessageRow& record) {
  ColumnBytes out;
  message_columns(out.columns(), record);
  return out.take();
}

std::string agent_bytes(const CompactionEvent& record) {
  ColumnBytes out;
  compaction_columns(out.columns(), record);
  return out.take();
}

std::string agent_bytes(const ArchiveRecord& record) {
  ColumnBytes out;
  out(record.event);
  message_columns(out.columns(), record.row);
  return out.take();
}

std::string agent_bytes(const SpendingRecord& record) {
  ColumnBytes out;
  out(record.ns, static_cast<std::int64_t>(record.scope), record.name, record.day);
  spending_columns(out.columns(), record.spent);
  return out.take();
}

std::string agent_bytes(const BlobRecord& record) {
  return ColumnBytes()(record.blob.id, record.session, record.blob.data).take();
}

}  // namespace muster::store::transfer
