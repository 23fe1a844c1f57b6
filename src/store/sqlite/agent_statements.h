// The statements about agents, prepared at open from sql/agents.sql: the writer's, and those of a reader. A member is named like
// its statement.
#pragma once

#include "store/sqlite/db.h"

namespace muster::store::sqlite {

struct AgentStatements {
  explicit AgentStatements(Connection& connection) : db(connection) {}

  Connection& db;
  Statement agent_archive_delete{db, "agent_archive_delete"};
  Statement agent_archive_delete_of_session{db, "agent_archive_delete_of_session"};
  Statement agent_archive_restore{db, "agent_archive_restore"};
  Statement agent_blob_delete{db, "agent_blob_delete"};
  Statement agent_blob_insert{db, "agent_blob_insert"};
  Statement agent_blob_taken{db, "agent_blob_taken"};
  Statement agent_compaction_delete{db, "agent_compaction_delete"};
  Statement agent_compaction_find{db, "agent_compaction_find"};
  Statement agent_compaction_insert{db, "agent_compaction_insert"};
  Statement agent_compaction_restored{db, "agent_compaction_restored"};
  Statement agent_compaction_standing{db, "agent_compaction_standing"};
  Statement agent_delete{db, "agent_delete"};
  Statement agent_delete_of_namespace{db, "agent_delete_of_namespace"};
  Statement agent_execution_delete{db, "agent_execution_delete"};
  Statement agent_execution_child_ended{db, "agent_execution_child_ended"};
  Statement agent_execution_find{db, "agent_execution_find"};
  Statement agent_execution_snoozed{db, "agent_execution_snoozed"};
  Statement agent_execution_put{db, "agent_execution_put"};
  Statement agent_find{db, "agent_find"};
  Statement agent_has_runs{db, "agent_has_runs"};
  Statement agent_insert{db, "agent_insert"};
  Statement agent_iteration_delete{db, "agent_iteration_delete"};
  Statement agent_iteration_find{db, "agent_iteration_find"};
  Statement agent_iteration_numbered{db, "agent_iteration_numbered"};
  Statement agent_iteration_put{db, "agent_iteration_put"};
  Statement agent_message_archive{db, "agent_message_archive"};
  Statement agent_message_archived{db, "agent_message_archived"};
  Statement agent_message_copy{db, "agent_message_copy"};
  Statement agent_message_delete{db, "agent_message_delete"};
  Statement agent_message_delete_of_event{db, "agent_message_delete_of_event"};
  Statement agent_message_delete_of_session{db, "agent_message_delete_of_session"};
  Statement agent_message_find{db, "agent_message_find"};
  Statement agent_message_insert{db, "agent_message_insert"};
  Statement agent_message_root_numbers{db, "agent_message_root_numbers"};
  Statement agent_named{db, "agent_named"};
  Statement agent_run_delete{db, "agent_run_delete"};
  Statement agent_run_find{db, "agent_run_find"};
  Statement agent_run_insert{db, "agent_run_insert"};
  Statement agent_run_unfinished{db, "agent_run_unfinished"};
  Statement agent_run_unfinished_of_namespace{db, "agent_run_unfinished_of_namespace"};
  Statement agent_run_unfinished_roots{db, "agent_run_unfinished_roots"};
  Statement agent_run_update{db, "agent_run_update"};
  Statement agent_session_child{db, "agent_session_child"};
  Statement agent_session_delete{db, "agent_session_delete"};
  Statement agent_session_find{db, "agent_session_find"};
  Statement agent_session_ids_of_namespace{db, "agent_session_ids_of_namespace"};
  Statement agent_session_insert{db, "agent_session_insert"};
  Statement agent_session_tree{db, "agent_session_tree"};
  Statement agent_session_update{db, "agent_session_update"};
  Statement agent_spending_add{db, "agent_spending_add"};
  Statement agent_spending_delete{db, "agent_spending_delete"};
  Statement agent_spending_delete_of_namespace{db, "agent_spending_delete_of_namespace"};
  Statement agent_tool_delete{db, "agent_tool_delete"};
  Statement agent_tool_delete_of_namespace{db, "agent_tool_delete_of_namespace"};
  Statement agent_tool_find{db, "agent_tool_find"};
  Statement agent_tool_insert{db, "agent_tool_insert"};
  Statement agent_tool_update{db, "agent_tool_update"};
  Statement agent_update{db, "agent_update"};
};

struct AgentReadStatements {
  explicit AgentReadStatements(Connection& connection) : db(connection) {}

  Connection& db;
  Statement agent_blob_get{db, "agent_blob_get"};
  Statement agent_compaction_list{db, "agent_compaction_list"};
  Statement agent_count{db, "agent_count"};
  Statement agent_execution_list{db, "agent_execution_list"};
  Statement agent_execution_list_of_asked{db, "agent_execution_list_of_asked"};
  Statement agent_execution_list_of_id{db, "agent_execution_list_of_id"};
  Statement agent_execution_list_of_iteration{db, "agent_execution_list_of_iteration"};
  Statement agent_execution_list_of_job{db, "agent_execution_list_of_job"};
  Statement agent_execution_list_of_run{db, "agent_execution_list_of_run"};
  Statement agent_find{db, "agent_find"};
  Statement agent_iteration_find{db, "agent_iteration_find"};
  Statement agent_iteration_list{db, "agent_iteration_list"};
  Statement agent_list{db, "agent_list"};
  Statement agent_message_list{db, "agent_message_list"};
  Statement agent_message_list_of_run{db, "agent_message_list_of_run"};
  Statement agent_run_find{db, "agent_run_find"};
  Statement agent_run_list{db, "agent_run_list"};
  Statement agent_run_list_of_agent{db, "agent_run_list_of_agent"};
  Statement agent_run_list_of_parent{db, "agent_run_list_of_parent"};
  Statement agent_run_list_of_session{db, "agent_run_list_of_session"};
  Statement agent_run_list_unfinished{db, "agent_run_list_unfinished"};
  Statement agent_session_count{db, "agent_session_count"};
  Statement agent_session_count_below{db, "agent_session_count_below"};
  Statement agent_session_find{db, "agent_session_find"};
  Statement agent_session_list{db, "agent_session_list"};
  Statement agent_session_list_below{db, "agent_session_list_below"};
  Statement agent_spending_get{db, "agent_spending_get"};
  Statement agent_tool_find{db, "agent_tool_find"};
  Statement agent_tool_list{db, "agent_tool_list"};
  Statement namespace_find{db, "namespace_find"};
};

}  // namespace muster::store::sqlite
