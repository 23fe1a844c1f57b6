#include "fronts/http/codec/agent_sessions.h"

#include <utility>

#include "fronts/http/codec/agent_values.h"
#include "fronts/http/codec/operations.h"

namespace muster::http {
namespace {

using command::SessionCompactRequest;
using command::SessionCreateRequest;
using command::SessionGetReply;
using command::SessionRestoreRequest;
using command::SessionUpdateRequest;

// --- requests ------------------------------------------------------------------------------------------------------

constexpr std::array kSessionCreateFields{
    given<&SessionCreateRequest::ns>("namespace"),
    given<&SessionCreateRequest::parent>("parent_session_id", "The one it stands below."),
    json_object<&SessionCreateRequest::metadata>("metadata", kMetadataDoc),
    json_object<&SessionCreateRequest::variables>("variables", kVariablesDoc),
};
constexpr Object<SessionCreateRequest> kSessionCreate{"SessionRequest", "", kSessionCreateFields};

template <auto kMember>
constexpr Field<SessionUpdateRequest> replaced_object(std::string_view name, std::string_view doc) {
  return {.name = name,
          .doc = doc,
          .read = [](JsonReader& in, SessionUpdateRequest& out, const Range&) { read_json_object(in, (out.*kMember).emplace()); },
          .draw = draw_any_object};
}
constexpr std::array kSessionUpdateFields{
    given<&SessionUpdateRequest::ns>("namespace"),
    replaced_object<&SessionUpdateRequest::metadata>("metadata", "Takes the place of the old ones."),
    replaced_object<&SessionUpdateRequest::variables>("variables", "Take the place of the old ones."),
};
constexpr Object<SessionUpdateRequest> kSessionUpdate{"SessionChange", "What is absent stays.", kSessionUpdateFields};

constexpr std::array<std::string_view, 2> kStrategies{"hybrid", "summarization"};
constexpr std::array kCompactFields{
    given<&SessionCompactRequest::ns>("namespace"),
    Field<SessionCompactRequest>{.name = "strategy",
                                 .doc = "hybrid, the default, prunes old tool output first.",
                                 .read = [](JsonReader& in, SessionCompactRequest& out,
                                            const Range&) { out.strategy = kStrategies[read_word(in, kStrategies)]; },
                                 .draw = [](Schemas& out) { draw_words(out, kStrategies); }},
    given<&SessionCompactRequest::only_if_needed>("only_if_needed", "Nothing is done while the conversation fits its model."),
};
constexpr Object<SessionCompactRequest> kCompact{"", "", kCompactFields};

constexpr std::array kRestoreFields{given<&SessionRestoreRequest::ns>("namespace")};
constexpr Object<SessionRestoreRequest> kRestore{"", "", kRestoreFields};

// --- queries -------------------------------------------------------------------------------------------------------

constexpr std::array kSessionListParameters{
    parameter<&store::SessionQuery::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&store::SessionQuery::metadata>("metadata", "A JSON object: only those whose metadata contain it.")
        .read_by([](QueryReader& in, const ParameterText& text, store::SessionQuery& out) {
          read_parameter_json_object(in, text, out.metadata);
        }),
    parameter<&store::SessionQuery::parent>("parent_session_id", "Only those right below it."),
    parameter<&store::SessionQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&store::SessionQuery::cursor>("cursor", kCursorDoc),
};
using Messages = command::SessionMessagesRequest;
constexpr std::array kMessageParameters{
    parameter<&Messages::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&Messages::query, &store::MessageQuery::context_of>("context_of", "Only what this run is shown."),
    parameter<&Messages::query, &store::MessageQuery::after>("after", "Messages behind this number; 0 by default.")
        .within(0, 9007199254740992.0),
    parameter<&Messages::query, &store::MessageQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
};
using Compactions = command::SessionCompactionsRequest;
constexpr std::array kCompactionParameters{
    parameter<&Compactions::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&Compactions::query, &store::CompactionQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&Compactions::query, &store::CompactionQuery::cursor>("cursor", kCursorDoc),
};

// --- replies -------------------------------------------------------------------------------------------------------

constexpr std::array kSessionFields{
    shown<&AgentSession::id>("id"),
    shown<&AgentSession::ns>("namespace"),
    shown<&AgentSession::parent>("parent_session_id"),
    shown<&AgentSession::depth>("depth", "0: it stands below no other."),
    json_object<&AgentSession::metadata>("metadata", kMetadataDoc),
    json_object<&AgentSession::variables>("variables", kVariablesDoc),
    shown<&AgentSession::compactions>("compaction_count"),
    shown<&AgentSession::created_at>("created_at"),
    shown<&AgentSession::updated_at>("updated_at"),
    shown<&AgentSession::revision>("revision", "Grows with every write."),
};
constexpr Object<AgentSession> kSession{
    "Session", "", kSessionFields,
    R"({"id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0d00","namespace":"default","depth":0,"metadata":{"customer":"42"},"variables":{},"compaction_count":0,"created_at":%at%,"updated_at":%at%,"revision":1})"};

constexpr auto kSessionViewFields = joined(
    fields_of<kSessionFields, &SessionGetReply::session>(),
    fields_of<kUsageFields, &SessionGetReply::spent, &store::Spending::usage>(),
    std::array{shown<&SessionGetReply::spent, &store::Spending::microdollars>("microdollars", "What its runs have cost.")});
constexpr Object<SessionGetReply> kSessionView{
    "SessionView", "A session and what it has spent.", kSessionViewFields,
    R"({"id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0d00","namespace":"default","depth":0,"metadata":{"customer":"42"},"variables":{},"compaction_count":0,"created_at":%at%,"updated_at":%at%,"revision":1,"input_tokens":812,"output_tokens":96,"cache_creation_input_tokens":0,"cache_read_input_tokens":640,"microdollars":3876})"};

constexpr std::array kSessionPageFields{
    shown<&store::SessionPage::sessions>("sessions", "Newest first."),
    shown_unless_blank<&store::SessionPage::next>("next", kNextDoc),
    shown<&store::SessionPage::total>("total", "That match, whatever the page."),
};
constexpr Object<store::SessionPage> kSessionPage{"SessionPage", "", kSessionPageFields, R"({"sessions":[%Session%],"total":1})"};

void draw_blocks(Schemas& out) {
  out.json.member("type", "array");
  out.json.key("items");
  out.json.raw(R"({"type":"object"})");
}
constexpr Field<AgentMessage> blocks_field() {
  auto out = json_value<&AgentMessage::blocks>("blocks", "Content blocks, as the model's API has them.");
  out.draw = draw_blocks;
  return out;
}
constexpr std::array kMessageFields{
    shown<&AgentMessage::id>("id"),
    shown<&AgentMessage::session>("session_id"),
    shown<&AgentMessage::number>("number", "Its place in the session, from 1."),
    shown<&AgentMessage::run>("run_id", "The run that said it."),
    shown_unless_blank<&AgentMessage::run_depth>("run_depth", "Of that run; messages of deeper runs are theirs alone."),
    shown<&AgentMessage::role>("role"),
    blocks_field(),
    shown<&AgentMessage::usage>("usage"),
    shown<&AgentMessage::preserved>("is_preserved", "Compaction leaves it alone."),
    shown<&AgentMessage::summary>("is_summary", "Compaction made it."),
    json_object<&AgentMessage::metadata>("metadata"),
    shown<&AgentMessage::created_at>("created_at"),
};
constexpr Object<AgentMessage> kMessage{
    "Message", "", kMessageFields,
    R"({"id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0e00","session_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0d00","number":1,"run_id":%id%,"role":"user","blocks":[{"type":"text","text":"How is the weather in Berlin?"}],"usage":%TokenUsage%,"is_preserved":false,"is_summary":false,"metadata":{},"created_at":%at%})"};

constexpr std::array kEventFields{
    shown<&store::CompactionEvent::id>("id"),
    shown<&store::CompactionEvent::session>("session_id"),
    shown<&store::CompactionEvent::strategy>("strategy"),
    shown<&store::CompactionEvent::original_tokens>("original_tokens"),
    shown<&store::CompactionEvent::compacted_tokens>("compacted_tokens"),
    shown<&store::CompactionEvent::messages_removed>("messages_removed"),
    shown_unless_blank<&store::CompactionEvent::summary>("summary_content"),
    shown<&store::CompactionEvent::preserved>("preserved_message_ids"),
    shown_unless_blank<&store::CompactionEvent::model>("model_used"),
    shown<&store::CompactionEvent::took>("duration_ms"),
    shown<&store::CompactionEvent::restored>("restored", "What it archived is back in the session."),
    shown<&store::CompactionEvent::created_at>("created_at"),
};
constexpr Object<store::CompactionEvent> kEvent{
    "Compaction", "", kEventFields,
    R"({"id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0f00","session_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0d00","strategy":"hybrid","original_tokens":180000,"compacted_tokens":21000,"messages_removed":64,"summary_content":"The customer asked…","preserved_message_ids":[],"model_used":"claude-sonnet-4-5","duration_ms":5200,"restored":false,"created_at":%at%})"};

}  // namespace

static const Object<AgentMessage>& object_of(Of<AgentMessage>) { return kMessage; }
const Object<store::CompactionEvent>& object_of(Of<store::CompactionEvent>) { return kEvent; }

namespace {

constexpr std::array kMessagePageFields{
    shown<&store::MessagePage::messages>("messages", "In their order."),
    shown<&store::MessagePage::more>("more", "Read on behind the last number."),
};
constexpr Object<store::MessagePage> kMessagePage{"MessagePage", "", kMessagePageFields,
                                                  R"({"messages":[%Message%],"more":false})"};

constexpr std::array kCompactionPageFields{
    shown<&store::CompactionPage::events>("compactions", "Newest first."),
    shown_unless_blank<&store::CompactionPage::next>("next", kNextDoc),
};
constexpr Object<store::CompactionPage> kCompactionPage{"CompactionPage", "", kCompactionPageFields,
                                                        R"({"compactions":[%Compaction%]})"};

constexpr std::array kCompactedFields{
    shown<&command::SessionCompactReply::done>("done", "false: it was not needed."),
    shown<&command::SessionCompactReply::needed>("needed", "The conversation does not fit its model well any more."),
    shown<&command::SessionCompactReply::tokens>("tokens", "Of the session, before."),
    shown<&command::SessionCompactReply::event>("compaction"),
};
constexpr Object<command::SessionCompactReply> kCompacted{
    "Compacted", "", kCompactedFields, R"({"done":true,"needed":true,"tokens":180000,"compaction":%Compaction%})"};

constexpr std::array kSessionOperations{
    Operation{.id = "session_create",
              .body = optional_body<kSessionCreate>(R"({"metadata":{"customer":"42"},"variables":{"tenant":"a"}})"),
              .answers = {created<AgentSession>()}},
    Operation{.id = "session_list", .parameters = draw_parameters<kSessionListParameters>, .answers = {ok<store::SessionPage>()}},
    Operation{.id = "session_get",
              .parameters = draw_parameters<kOfNamespace<command::SessionGetRequest>>,
              .answers = {ok<SessionGetReply>()}},
    Operation{
        .id = "session_update", .body = body<kSessionUpdate>(R"({"variables":{"tenant":"b"}})"), .answers = {ok<AgentSession>()}},
    Operation{.id = "session_delete",
              .parameters = draw_parameters<kOfNamespace<command::SessionDeleteRequest>>,
              .answers = {ok<AgentSession>()}},
    Operation{.id = "session_messages", .parameters = draw_parameters<kMessageParameters>, .answers = {ok<store::MessagePage>()}},
    Operation{.id = "session_compact",
              .body = optional_body<kCompact>(R"({"strategy":"hybrid","only_if_needed":true})"),
              .answers = {ok<command::SessionCompactReply>()}},
    Operation{.id = "session_compactions",
              .parameters = draw_parameters<kCompactionParameters>,
              .answers = {ok<store::CompactionPage>()}},
    Operation{.id = "session_restore",
              .body = optional_body<kRestore>(R"({"namespace":"default"})"),
              .answers = {ok<store::CompactionEvent>()}},
};

// The session of the path, in the default namespace until the request says another.
template <class T>
Result<T> about_session(std::string_view id) {
  const auto session = parse_uuid_of<AgentSessionTag>("session", id);
  if (!session.ok()) return session.status();
  T out;
  out.id = *session;
  return out;
}
template <class T>
Result<T> about_session(std::string_view id, const std::vector<QueryParameter>& query) {
  auto initial = about_session<T>(id);
  if (!initial.ok()) return initial;
  return read_query(query, kOfNamespace<T>, *std::move(initial));
}

}  // namespace

std::span<const Operation> session_operations() { return kSessionOperations; }

const Object<AgentSession>& object_of(Of<AgentSession>) { return kSession; }
const Object<SessionGetReply>& object_of(Of<SessionGetReply>) { return kSessionView; }
const Object<store::SessionPage>& object_of(Of<store::SessionPage>) { return kSessionPage; }
const Object<store::MessagePage>& object_of(Of<store::MessagePage>) { return kMessagePage; }
const Object<store::CompactionPage>& object_of(Of<store::CompactionPage>) { return kCompactionPage; }
const Object<command::SessionCompactReply>& object_of(Of<command::SessionCompactReply>) { return kCompacted; }

Result<SessionCreateRequest> decode_session_create(std::string_view body) {
  if (body.empty()) return SessionCreateRequest{};
  return read_body(body, kSessionCreate);
}

Result<command::SessionGetRequest> decode_session_get(std::string id, const std::vector<QueryParameter>& query) {
  return about_session<command::SessionGetRequest>(id, query);
}

Result<command::SessionListRequest> decode_session_list(const std::vector<QueryParameter>& query) {
  command::SessionListRequest initial;
  initial.ns = NamespaceName(kDefaultNamespace);
  return read_query(query, kSessionListParameters, std::move(initial));
}

Result<SessionUpdateRequest> decode_session_update(std::string id, std::string_view body) {
  auto initial = about_session<SessionUpdateRequest>(id);
  if (!initial.ok()) return initial;
  return read_body(body, kSessionUpdate, *std::move(initial));
}

Result<command::SessionDeleteRequest> decode_session_delete(std::string id, const std::vector<QueryParameter>& query) {
  return about_session<command::SessionDeleteRequest>(id, query);
}

Result<Messages> decode_session_messages(std::string id, const std::vector<QueryParameter>& query) {
  const auto session = parse_uuid_of<AgentSessionTag>("session", id);
  if (!session.ok()) return session.status();
  Messages initial;
  initial.query.session = *session;
  return read_query(query, kMessageParameters, std::move(initial));
}

Result<SessionCompactRequest> decode_session_compact(std::string id, std::string_view body) {
  auto initial = about_session<SessionCompactRequest>(id);
  if (!initial.ok() || body.empty()) return initial;
  return read_body(body, kCompact, *std::move(initial));
}

Result<SessionRestoreRequest> decode_session_restore(const std::string& id, const std::string& event, std::string_view body) {
  auto initial = about_session<SessionRestoreRequest>(id);
  if (!initial.ok()) return initial;
  const auto found = parse_uuid("compaction", event);
  if (!found.ok()) return found.status();
  initial->event = *found;
  if (body.empty()) return initial;
  return read_body(body, kRestore, *std::move(initial));
}

Result<command::SessionCompactionsRequest> decode_session_compactions(std::string id, const std::vector<QueryParameter>& query) {
  const auto session = parse_uuid_of<AgentSessionTag>("session", id);
  if (!session.ok()) return session.status();
  Compactions initial;
  initial.query.session = *session;
  return read_query(query, kCompactionParameters, std::move(initial));
}

}  // namespace muster::http
