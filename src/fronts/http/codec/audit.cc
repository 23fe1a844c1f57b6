#include "fronts/http/codec/audit.h"

#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {
namespace {

using engine::AuditFilter;
using engine::AuditPage;
using engine::AuditQuery;
using engine::AuditRow;

constexpr std::array kAuditParameters{
    parameter<&AuditQuery::filter, &AuditFilter::ns>("namespace", "Empty: all, and what belongs to none."),
    parameter<&AuditQuery::filter, &AuditFilter::action>("action", "A command, or a noun for all of its commands."),
    parameter<&AuditQuery::filter, &AuditFilter::who>("who", "The name of a token."),
    parameter<&AuditQuery::filter, &AuditFilter::worker>("worker", "That acted, or was given a task."),
    parameter<&AuditQuery::filter, &AuditFilter::target>("target", "What the target begins with."),
    parameter<&AuditQuery::filter, &AuditFilter::outcome>("outcome", "`ok`, or a code."),
    parameter<&AuditQuery::filter, &AuditFilter::since>("since", "At this time or later."),
    parameter<&AuditQuery::filter, &AuditFilter::until>("until", "Before this time."),
    parameter<&AuditQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&AuditQuery::cursor>("cursor", kCursorDoc),
};

constexpr std::array kAuditRowFields{
    shown<&AuditRow::id>("id", "Grows with time."),
    shown<&AuditRow::at>("at", "When it was answered, or left."),
    shown_unless_blank<&AuditRow::ns>("namespace", "Absent: it belongs to none."),
    shown<&AuditRow::who>("who", "The name of the token."),
    shown<&AuditRow::role>("role", "Of the token."),
    shown_unless_blank<&AuditRow::address>("address", "Of the peer."),
    shown_unless_blank<&AuditRow::worker>("worker", "That acted, or was given a task."),
    shown<&AuditRow::action>("action"),
    shown_unless_blank<&AuditRow::target>("target", "What it was done to."),
    shown_unless_blank<&AuditRow::correlation>("corr", "The wire's own name for it."),
    shown<&AuditRow::outcome>("outcome", "`ok`, or a code."),
};
constexpr Object<AuditRow> kAuditRow{
    "AuditRow", "", kAuditRowFields,
    R"({"id":"00064a1c5e8f2a10c0ffee42","at":%at%,"namespace":"default","who":"operator","role":"operator","address":"127.0.0.1:51234","action":"queue.pause","target":"default/mail","outcome":"ok"})"};

constexpr std::array kAuditPageFields{
    shown<&AuditPage::rows>("audit", "Newest first."),
    shown_unless_blank<&AuditPage::next>("next",
                                         "Cursor of the next page; absent at the end. A page may be short while more follow."),
};
constexpr Object<AuditPage> kAuditPage{"AuditPage", "", kAuditPageFields, R"({"audit":[%AuditRow%]})"};

constexpr std::array kAuditOperations{
    Operation{.id = "audit_list", .parameters = draw_parameters<kAuditParameters>, .answers = {ok<AuditPage>()}},
};

}  // namespace

std::span<const Operation> audit_operations() { return kAuditOperations; }

const Object<AuditRow>& object_of(Of<AuditRow>) { return kAuditRow; }
const Object<AuditPage>& object_of(Of<AuditPage>) { return kAuditPage; }

Result<command::AuditListRequest> decode_audit_list(const std::vector<QueryParameter>& query) {
  return read_query(query, kAuditParameters);
}

}  // namespace muster::http
