#include "store/codec/agent_columns.h"

#include <gtest/gtest.h>

#include <variant>

#include "store/codec/agent_rules.h"

namespace muster::store {
namespace {

// A row in memory: what was put out is what is read in.
class MemoryRow {
 public:
  void null() { cells_.emplace_back(); }
  void flag(bool value) { cells_.emplace_back(std::int64_t{value}); }
  void integer(std::int64_t value) { cells_.emplace_back(value); }
  void real(double value) { cells_.emplace_back(value); }
  void text(std::string_view value) { cells_.emplace_back(std::string(value)); }
  void made(std::string value) { cells_.emplace_back(std::move(value)); }

  bool is_null(int column) const { return std::holds_alternative<std::monostate>(at(column)); }
  std::int64_t integer(int column) const { return std::get<std::int64_t>(at(column)); }
  double real(int column) const { return std::get<double>(at(column)); }
  const std::string& text(int column) const { return std::get<std::string>(at(column)); }
  std::string_view view(int column) const { return text(column); }
  int size() const { return static_cast<int>(cells_.size()); }

 private:
  using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
  const Cell& at(int column) const { return cells_.at(static_cast<std::size_t>(column)); }
  std::vector<Cell> cells_;
};

template <class Value, class List>
Value through_a_row(const Value& value, int columns, List list) {
  const IdCodec ids(7);
  MemoryRow row;
  ColumnsOut out(row, &ids);
  list(out, value);
  EXPECT_EQ(row.size(), columns);
  Value back;
  ColumnsIn in(row, 0, ids);
  list(in, back);
  return back;
}

TEST(AgentColumns, AreAsManyAsTheySay) {
  EXPECT_EQ(through_a_row(Agent(), kAgentColumns, [](auto& c, auto& v) { agent_columns(c, v); }), Agent());
  EXPECT_EQ(through_a_row(Tool(), kToolColumns, [](auto& c, auto& v) { tool_columns(c, v); }), Tool());
  AgentRun run;
  run.id = IdCodec(7).encode(5);
  EXPECT_EQ(through_a_row(run, kRunOriginColumns + kRunMovingColumns,
                          [](auto& c, auto& v) {
                            run_origin_columns(c, v);
                            run_moving_columns(c, v);
                          }),
            run);
  Iteration iteration;
  iteration.run = run.id;
  EXPECT_EQ(through_a_row(iteration, kIterationColumns, [](auto& c, auto& v) { iteration_columns(c, v); }), iteration);
  ToolExecution execution;
  execution.run = run.id;
  EXPECT_EQ(through_a_row(execution, kExecutionColumns, [](auto& c, auto& v) { execution_columns(c, v); }), execution);
  EXPECT_EQ(through_a_row(CompactionEvent(), kCompactionColumns, [](auto& c, auto& v) { compaction_columns(c, v); }),
            CompactionEvent());
  EXPECT_EQ(through_a_row(SessionRow(), kSessionColumns, [](auto& c, auto& v) { session_columns(c, v); }).session,
            AgentSession());
  EXPECT_EQ(through_a_row(MessageRow(), kMessageColumns, [](auto& c, auto& v) { message_columns(c, v); }).message,
            AgentMessage());
  EXPECT_EQ(through_a_row(Spending(), kSpendingColumns, [](auto& c, auto& v) { spending_columns(c, v); }), Spending());
}

TEST(AgentColumns, TellNothingFromEmptiness) {
  AgentRun run;
  run.id = IdCodec(7).encode(5);
  run.response_text = "";
  run.previous_state = AgentRunState::pending;
  run.parent = IdCodec(7).encode(6);
  run.started_at = Instant();
  const AgentRun back = through_a_row(run, kRunOriginColumns + kRunMovingColumns, [](auto& c, auto& v) {
    run_origin_columns(c, v);
    run_moving_columns(c, v);
  });
  EXPECT_EQ(back, run);
  EXPECT_FALSE(back.finalized_at);
}

TEST(AgentRules, ARunBeginsUnfinishedAndAsDeepAsItsParentSays) {
  AgentRunStart start;
  EXPECT_TRUE(check_start(start).ok());
  start.run.depth = 1;
  EXPECT_EQ(check_start(start).code(), Code::invalid_argument);
  start.run.parent = JobId{{1, 2}};
  EXPECT_TRUE(check_start(start).ok());
  start.run.finalized_at = Instant();
  EXPECT_EQ(check_start(start).code(), Code::invalid_argument);
}

TEST(AgentRules, AChildIsOneOfTheRunThatIsWritten) {
  AgentRunWrite write;
  write.run.id = JobId{{1, 2}};
  AgentRunStart child;
  write.executions = {{.execution = {}, .child = child}};
  EXPECT_EQ(check_write(write).code(), Code::invalid_argument) << "a root run would wait for the one that waits for it";
  write.executions[0].child->run.depth = 1;
  write.executions[0].child->run.parent = JobId{{3, 4}};
  EXPECT_EQ(check_write(write).code(), Code::invalid_argument);
  write.executions[0].child->run.parent = write.run.id;
  EXPECT_TRUE(check_write(write).ok());
}

}  // namespace
}  // namespace muster::store
