#include "eider/protocols/http/status.h"

#include <array>
#include <cstdint>

namespace eider {

namespace {

struct StatusRow {
  std::uint16_t status;
  std::string_view phrase;
};

// The IANA registry of HTTP status codes; from RFC 9110 unless another RFC is named.
constexpr StatusRow kStatuses[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {102, "Processing"},   // RFC 2518
    {103, "Early Hints"},  // RFC 8297
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},      // RFC 4918
    {208, "Already Reported"},  // RFC 5842
    {226, "IM Used"},           // RFC 3229
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {305, "Use Proxy"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {418, "I'm a Teapot"},  // RFC 2324; the registry has no phrase
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},             // RFC 4918
    {424, "Failed Dependency"},  // RFC 4918
    {425, "Too Early"},          // RFC 8470
    {426, "Upgrade Required"},
    {428, "Precondition Required"},            // RFC 6585
    {429, "Too Many Requests"},                // RFC 6585
    {431, "Request Header Fields Too Large"},  // RFC 6585
    {451, "Unavailable For Legal Reasons"},    // RFC 7725
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {506, "Variant Also Negotiates"},          // RFC 2295
    {507, "Insufficient Storage"},             // RFC 4918
    {508, "Loop Detected"},                    // RFC 5842
    {510, "Not Extended"},                     // RFC 2774
    {511, "Network Authentication Required"},  // RFC 6585
};

constexpr int kFirst = 100;
constexpr int kLast = 599;

/// The row number by status, counted from 1, so that one access finds a phrase.
constexpr auto kRowOf = [] {
  std::array<std::uint8_t, kLast - kFirst + 1> row_of{};
  std::uint8_t number = 0;
  for (const StatusRow& row : kStatuses) {
    row_of[row.status - kFirst] = ++number;
  }
  return row_of;
}();

}  // namespace

std::string_view reason_phrase(int status) noexcept {
  if (status < kFirst || status > kLast) {
    return {};
  }
  const std::uint8_t number = kRowOf[static_cast<std::size_t>(status - kFirst)];
  return number == 0 ? std::string_view() : kStatuses[number - 1].phrase;
}

}  // namespace eider
