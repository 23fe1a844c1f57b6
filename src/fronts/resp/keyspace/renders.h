// The forms that answers take. Which one a command uses is said where its arguments are read.
#pragma once

#include "fronts/resp/keyspace/request.h"

namespace muster::resp::keyspace {

void render_plain(Answered a);       // each kind as the protocol has it
void render_map(Answered a);         // names and values by turns
void render_set(Answered a);         // a list without order
void render_scored(Answered a);      // member and score by turns; RESP3: a pair each
void render_list(Answered a);        // a list, or the null of arrays
void render_flag(Answered a);        // done is 1, nothing is 0
void render_type(Answered a);        // a type's name, or none
void render_seconds(Answered a);     // from milliseconds, rounded
void render_seconds_at(Answered a);  // an instant, cut to seconds
void render_length(Answered a);      // how long a text is; nothing is 0
void render_popped(Answered a);      // the element of [key, element], or both, as the client wants it
void render_position(Answered a);
// [cursor, [element, …]] from [next, element, …]
void render_page(Answered a);
void render_scored_page(Answered a);  // as above; scores as texts

}  // namespace muster::resp::keyspace
