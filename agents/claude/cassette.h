// Exchanges with the model's API as text, so that they can be had again without it. Pure; recorder.h writes such texts, player.h
// answers from them.
//
// JSON Lines. What was streamed is one line, what went through a batch is two, which its custom_id joins:
//   {"request":{…},"result":{"type":"succeeded","message":{…}}}
//   {"custom_id":"x","request":{…}}
//   {"custom_id":"x","result":{"type":"errored","error":{"type":"overloaded_error","message":"…"}}}
// A request is the params of its message, a result has the form of the API's results of a batch. A line written by hand may name
// fewer members of the request: it answers every request that has these, and {} answers all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/claude/api.h"
#include "base/json_reader.h"
#include "base/status.h"

namespace muster::claude {

// Lines, each with its end.
std::string cassette_exchange(const std::string& params, const Result<Answer>& answer);
std::string cassette_request(const BatchRequest& request);
std::string cassette_result(const BatchLine& line);

// Whether a last line without its end is the beginning of one of these: its writer died, and nobody has seen the rest of it.
bool is_cut_line(std::string_view last);

class Cassette {
 public:
  // invalid_argument names the first line that is none of a cassette. Requests whose result never came are left out, and so is a
  // last line that was cut short.
  static Result<Cassette> parse(std::string_view text);

  // What the request was answered with. Of the exchanges whose members it has, those with the most members count; they come one
  // after the other, and the last of them again and again. not_found: there is none.
  Result<BatchLine> next(const std::string& params);

 private:
  struct Exchange {
    json::Tree request;
    BatchLine result;
    bool played = false;
  };
  std::vector<Exchange> exchanges_;
};

// A result of a batch as what a stream would have ended with.
Result<Answer> as_answer(const BatchLine& line);

}  // namespace muster::claude
