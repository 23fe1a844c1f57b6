// The submitting side as AGX speaks it, byte for byte: one connection for each command, AUTH, one request, one reply, close.
//
// The ids of jobs are the only bytes that differ from run to run; they are read from the reply and put into what is expected.
#include <regex>

#include "fronts/resp/plans/calls_testing.h"

namespace muster::resp {
namespace {

class AgxTranscript : public FrontTest {
 protected:
  // One command on a connection of its own.
  std::string once(const std::string& request) {
    Wire wire = connect();
    wire.send("*2\r\n$4\r\nAUTH\r\n$64\r\n" + kTestKey + "\r\n");
    EXPECT_EQ(wire.read_reply(), "+OK\r\n");
    wire.send(request);
    return wire.read_reply();
  }
};

const std::string kEnvelope =
    R"({"job_id":"6c1f2b9e-4a7d-4d2f-9e38-0f5d1c2b3a49","plan_id":"3f0e9a52-7c1b-4e0d-8a5f-2b6c4d8e1f70",)"
    R"("plan_description":"count lines","tasks":[{"task_number":1,"command":"sort","args":["-r"],"timeout_secs":300},)"
    R"({"task_number":2,"command":"uniq","args":[],"timeout_secs":300,"input_from_task":1}]})";

TEST_F(AgxTranscript, SubmitListGetActJobsWorkersQueue) {
  start();
  // agx PLAN submit
  EXPECT_EQ(once("*2\r\n$11\r\nPLAN.SUBMIT\r\n$" + std::to_string(kEnvelope.size()) + "\r\n" + kEnvelope + "\r\n"),
            "$36\r\n3f0e9a52-7c1b-4e0d-8a5f-2b6c4d8e1f70\r\n");

  // agx PLAN list: an array of documents; created_at is text, or AGX fails on the whole list.
  EXPECT_EQ(once("*1\r\n$9\r\nPLAN.LIST\r\n"),
            "*1\r\n$216\r\n"
            R"({"created_at":"2023-11-14T22:13:20.000Z","description":"count lines","last_used":null,)"
            R"("plan_description":"count lines","plan_id":"3f0e9a52-7c1b-4e0d-8a5f-2b6c4d8e1f70","task_count":2,)"
            R"("total_actions":0,"total_jobs":0})"
            "\r\n");

  // agx PLAN get, and the same with a plan that does not exist: an error, since nil reads as "cannot connect".
  const std::string shown = R"({"job_id":"6c1f2b9e-4a7d-4d2f-9e38-0f5d1c2b3a49",)"
                            R"("metadata":{"created_at":1700000000,"last_used":0,"total_actions":0,"total_jobs":0},)"
                            R"("plan_description":"count lines","plan_id":"3f0e9a52-7c1b-4e0d-8a5f-2b6c4d8e1f70",)"
                            R"("tasks":[{"args":["-r"],"command":"sort","task_number":1,"timeout_secs":300},)"
                            R"({"args":[],"command":"uniq","input_from_task":1,"task_number":2,"timeout_secs":300}]})";
  const std::string get = "*2\r\n$8\r\nPLAN.GET\r\n$36\r\n3f0e9a52-7c1b-4e0d-8a5f-2b6c4d8e1f70\r\n";
  EXPECT_EQ(once(get), "$" + std::to_string(shown.size()) + "\r\n" + shown + "\r\n");
  EXPECT_EQ(once("*2\r\n$8\r\nPLAN.GET\r\n$4\r\nnope\r\n"), "-ERR Plan not found: nope\r\n");

  // agx ACTION submit: the plan is asked for first, on a connection of its own.
  EXPECT_EQ(once(get), "$" + std::to_string(shown.size()) + "\r\n" + shown + "\r\n");
  const std::string action = R"({"action_id":"action_0123456789abcdef0123456789abcdef","inputs":[{"f":"a"},{"f":"b"}],)"
                             R"("plan_id":"3f0e9a52-7c1b-4e0d-8a5f-2b6c4d8e1f70"})";
  const std::string made = once("*2\r\n$13\r\nACTION.SUBMIT\r\n$" + std::to_string(action.size()) + "\r\n" + action + "\r\n");
  std::smatch ids;
  ASSERT_TRUE(std::regex_search(made, ids, std::regex("\"(job_[0-9a-f]{32})\",\"(job_[0-9a-f]{32})\""))) << made;
  const std::string envelope = R"({"action_id":"action_0123456789abcdef0123456789abcdef","job_ids":[")" + ids[1].str() +
                               R"(",")" + ids[2].str() +
                               R"("],"jobs_created":2,"plan_id":"3f0e9a52-7c1b-4e0d-8a5f-2b6c4d8e1f70"})";
  EXPECT_EQ(made, "$" + std::to_string(envelope.size()) + "\r\n" + envelope + "\r\n");

  // The same without an input.
  const std::string empty = R"({"action_id":"action_ffffffffffffffffffffffffffffffff","inputs":[],)"
                            R"("plan_id":"3f0e9a52-7c1b-4e0d-8a5f-2b6c4d8e1f70"})";
  EXPECT_EQ(once("*2\r\n$13\r\nACTION.SUBMIT\r\n$" + std::to_string(empty.size()) + "\r\n" + empty + "\r\n"),
            "-ERR inputs array must contain at least one input\r\n");

  // agx JOBS list, WORKERS list, QUEUE stats: flat arrays of strings.
  EXPECT_EQ(once("*1\r\n$9\r\nJOBS.LIST\r\n"), "*6\r\n$36\r\n" + ids[2].str() +
                                                   "\r\n$7\r\npending\r\n$10\r\n1700000000\r\n$36\r\n" + ids[1].str() +
                                                   "\r\n$7\r\npending\r\n$10\r\n1700000000\r\n");
  EXPECT_EQ(once("*1\r\n$12\r\nWORKERS.LIST\r\n"), "*0\r\n");
  EXPECT_TRUE(once("*1\r\n$11\r\nQUEUE.STATS\r\n")
                  .starts_with("*10\r\n$12\r\npending_jobs\r\n$1\r\n2\r\n$14\r\nscheduled_jobs\r\n$1\r\n0\r\n"));
}

TEST_F(AgxTranscript, RunWithoutAKeyIsToldSoAndANullSourceIsNoSource) {
  start();
  const std::string plan = R"({"plan_id":"r1","tasks":[{"task_number":1,"command":"ls","args":[],"input_from_task":null}]})";
  const std::string request = "*2\r\n$11\r\nPLAN.SUBMIT\r\n$" + std::to_string(plan.size()) + "\r\n" + plan + "\r\n";
  Wire wire = connect();
  wire.send(request);
  EXPECT_EQ(wire.read_reply(), "-ERR NOAUTH Authentication required\r\n");
  EXPECT_EQ(once(request), "$2\r\nr1\r\n");
}

}  // namespace
}  // namespace muster::resp
