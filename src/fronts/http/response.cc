#include "fronts/http/response.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace muster::http {

std::string_view reason_phrase(unsigned status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "Status";  // the phrase is for people; programs read the number
  }
}

std::string head_of(const Response& response, const HeadOptions& options) {
  std::string head;
  head.reserve(256);
  const auto out = std::back_inserter(head);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status, reason_phrase(response.status), options.date);
  if (!options.content_length || *options.content_length > 0) fmt::format_to(out, "Content-Type: {}\r\n", response.content_type);
  // 204 has no length by definition, and that of a 304 would be the length of what it does not send.
  if (options.content_length && response.status != 204 && response.status != 304)
    fmt::format_to(out, "Content-Length: {}\r\n", *options.content_length);
  if (options.gzip) head.append("Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n");
  for (const auto& [name, value] : response.headers) fmt::format_to(out, "{}: {}\r\n", name, value);
  if (!options.keep_alive) head.append("Connection: close\r\n");
  head.append("\r\n");
  return head;
}

std::string http_date(Instant at) {
  using namespace std::chrono;
  static constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(floor<seconds>(at) - day);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[weekday(day).c_encoding()],
                     static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                     static_cast<int>(date.year()), time.hours().count(), time.minutes().count(), time.seconds().count());
}

}  // namespace muster::http
