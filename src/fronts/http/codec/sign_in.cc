#include "fronts/http/codec/sign_in.h"

#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {
namespace {

constexpr std::array kWhoAmIFields{
    shown<&WhoAmI::name>("name", "Of the token; `anonymous` where none is asked for."),
    shown<&WhoAmI::role>("role", "operator, worker or read-only."),
    shown_unless_blank<&WhoAmI::worker>("worker", "The only one it may act as."),
    shown<&WhoAmI::namespaces>("namespaces", "Those it may use; absent: all."),
    shown<&WhoAmI::signed_in>("signed_in", "By the cookie of a browser."),
    shown<&WhoAmI::expires_at>("expires_at", "The browser's session ends then at the latest."),
};
constexpr Object<WhoAmI> kWhoAmI{"WhoAmI", "", kWhoAmIFields,
                                 R"({"name":"boss","role":"operator","signed_in":true,"expires_at":%at%})"};

constexpr std::array kLinkFields{
    shown<&SignInLink::path>("path", "Of the dashboard, to be opened in a browser; signs in once."),
    shown<&SignInLink::expires_at>("expires_at", "Absent where no token is asked for."),
};
constexpr Object<SignInLink> kLink{"SignInLink", "", kLinkFields, R"({"path":"/#link=4f1c…","expires_at":%at%})"};

constexpr std::array kSignedOutFields{shown<&SignedOut::signed_out>("signed_out", "There was a session.")};
constexpr Object<SignedOut> kSignedOut{"SignedOut", "", kSignedOutFields, R"({"signed_out":true})"};

}  // namespace

const Object<WhoAmI>& object_of(Of<WhoAmI>) { return kWhoAmI; }
const Object<SignInLink>& object_of(Of<SignInLink>) { return kLink; }
const Object<SignedOut>& object_of(Of<SignedOut>) { return kSignedOut; }

namespace {

constexpr std::array kSignInOperations{
    Operation{.id = "whoami", .answers = {ok<WhoAmI>()}, .summary = "Who asks, and what they may do."},
    Operation{
        .id = "sign_in",
        .answers = {ok<WhoAmI>()},
        .summary = "Sign a browser in, by `Authorization: Bearer TOKEN` or `Link CODE`: a cookie stands for it from then on."},
    Operation{.id = "sign_out", .answers = {ok<SignedOut>()}, .summary = "End the browser's session."},
    Operation{.id = "sign_in_link",
              .answers = {created<SignInLink>()},
              .summary = "Make a link that signs a browser in as the caller, once and soon."},
};

}  // namespace

std::span<const Operation> sign_in_operations() { return kSignInOperations; }

}  // namespace muster::http
