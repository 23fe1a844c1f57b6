// What the OpenAPI document says of each route besides what the route and the command's record say: parameters, bodies, answers
// and an example of each. The rows of a noun stand beside its codec, made of the tables that read and write; openapi/document.cc
// joins them.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "fronts/http/codec/parameters.h"
#include "fronts/http/json/fields.h"

namespace muster::http {

struct Body {
  Draw draw = nullptr;  // null: none
  std::string_view example;
  bool required = true;
};

struct Answer {
  unsigned status = 0;  // 0: none
  Draw draw = nullptr;
  std::string_view (*own_example)() = nullptr;
  std::string_view example;  // empty: its own
  std::string_view doc = "Done.";
  std::string_view list;  // set: an object with a list of them under this name
  bool each = false;      // an element may be an error instead
  std::string_view type = "application/json";
};

struct Operation {
  std::string_view id;  // noun_verb, or the last word of the path
  void (*parameters)(void (*draw)(Schemas&, const ParameterText&), Schemas& out) = nullptr;
  Body body{};
  std::array<Answer, 2> answers{};
  std::string_view summary{};  // of what is not a command
};

template <class T>
void draw_of(Schemas& out) {
  draw_value(out, Of<T>{});
}
// A list whose elements may be errors instead.
void draw_each(Schemas& out, Draw draw);

template <const auto& kTable>
void draw_parameters(void (*draw)(Schemas&, const ParameterText&), Schemas& out) {
  for (const auto& each : kTable) draw(out, each.text);
}

template <const auto& kObject>
constexpr Body body(std::string_view example) {
  return {.draw = draw_object<kObject>, .example = example};
}
template <const auto& kObject>
constexpr Body optional_body(std::string_view example) {
  return {.draw = draw_object<kObject>, .example = example, .required = false};
}
template <class T>
constexpr Answer answer(unsigned status, std::string_view example) {
  return {.status = status, .draw = draw_of<T>, .own_example = [] { return object_of(Of<T>{}).example; }, .example = example};
}
// Without an example the object's own is shown.
template <class T>
constexpr Answer ok(std::string_view example = {}) {
  return answer<T>(200, example);
}
template <class T>
constexpr Answer created(std::string_view example = {}) {
  return answer<T>(201, example);
}
template <class T>
constexpr Answer ok_list(std::string_view name, std::string_view example) {
  Answer out = answer<T>(200, example);
  out.list = name;
  return out;
}
template <class T>
constexpr Answer created_list(std::string_view name, std::string_view example) {
  Answer out = ok_list<T>(name, example);
  out.status = 201;
  return out;
}
// It was there already.
template <class T>
constexpr Answer found(std::string_view doc) {
  return {.status = 200, .draw = draw_of<T>, .doc = doc};
}

std::span<const Operation> agent_operations();  // tools too
std::span<const Operation> agent_run_operations();
std::span<const Operation> session_operations();
std::span<const Operation> audit_operations();
std::span<const Operation> job_operations();
std::span<const Operation> job_request_operations();
std::span<const Operation> package_operations();
std::span<const Operation> feedback_operations();
std::span<const Operation> plan_operations();
std::span<const Operation> run_operations();
std::span<const Operation> schedule_operations();
std::span<const Operation> worker_operations();
std::span<const Operation> resource_operations();
std::span<const Operation> lane_operations();
std::span<const Operation> history_operations();
std::span<const Operation> inspection_operations();
std::span<const Operation> sign_in_operations();
std::span<const Operation> queue_operations();  // namespaces, backups and the server too
std::span<const Operation> event_operations();

}  // namespace muster::http
