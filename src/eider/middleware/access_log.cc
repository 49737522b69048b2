#include "eider/middleware/access_log.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/log_stderr.h"
#include "eider/app/middleware.h"
#include "eider/http/method.h"
#include "eider/json/json.h"
#include "eider/middleware/identity.h"

namespace eider {

namespace {

std::string or_dash(std::string_view text) {
  return std::string(text.empty() ? "-" : text);
}

std::string_view id_text(const Request& request) noexcept {
  const auto* id = request.find<RequestId>();
  return id == nullptr ? std::string_view() : id->text();
}

std::string_view user_text(const Request& request) noexcept {
  const auto* user = request.find<Identity>();
  return user == nullptr ? std::string_view() : user->name;
}

/// "3.1"
std::string milliseconds(Duration time) {
  const auto tenths = time / std::chrono::microseconds(100);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

/// As nginx writes it: a quote would end the part of a line, a line's end the line.
std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char byte : or_dash(text)) {
    const auto value = static_cast<unsigned char>(byte);
    if (value < 0x20 || value >= 0x7F || byte == '"' || byte == '\\') {
      out.append("\\x").append(1, kDigits[value >> 4U]).append(1, kDigits[value & 15U]);
    } else {
      out.push_back(byte);
    }
  }
  return out;
}

std::string time_text(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

std::string text_line(const AnswerRecord& record) {
  const Request& request = record.request;
  std::string line(or_dash(to_text(request.method())));
  line.append(" ").append(or_dash(request.target()));
  line.append(" ").append(std::to_string(record.status));
  line.append(" ").append(std::to_string(record.bytes_out));
  line.append(" ").append(milliseconds(record.ended - record.began));
  line.append(" ").append(record.protocol);
  line.append(" ").append(or_dash(request.remote_address()));
  if (const std::string_view id = id_text(request); !id.empty()) {
    line.append(" ").append(id);
  }
  return line.append(record.is_whole ? "" : " cut");
}

/// source  Apache httpd, mod_log_config: "%h %l %u %t \"%r\" %>s %b"
std::string common_line(const AnswerRecord& record) {
  const Request& request = record.request;
  std::string line(or_dash(request.remote_address()));
  line.append(" - ").append(escaped(user_text(request)));
  line.append(time_text(" [%d/%b/%Y:%H:%M:%S +0000] \""));
  line.append(or_dash(to_text(request.method()))).append(" ").append(escaped(request.target()));
  line.append(" ").append(record.protocol).append("\" ").append(std::to_string(record.status));
  return line.append(" ").append(record.bytes_out == 0 ? "-" : std::to_string(record.bytes_out));
}

std::string combined_line(const AnswerRecord& record) {
  const Request& request = record.request;
  std::string line = common_line(record);
  line.append(" \"").append(escaped(request.header("Referer").value_or("")));
  return line.append("\" \"")
      .append(escaped(request.header("User-Agent").value_or("")))
      .append("\"");
}

struct AccessLine {
  std::string time;
  std::string_view method;
  std::string_view target;
  std::string_view route;
  int status;
  std::uint64_t bytes_in;
  std::uint64_t bytes_out;
  double milliseconds;
  std::string_view protocol;
  std::string address;
  std::string_view request_id;
  std::string_view user;
  bool is_whole;
};

std::string json_line(const AnswerRecord& record) {
  const Request& request = record.request;
  const std::chrono::duration<double, std::milli> taken = record.ended - record.began;
  return json::to_text(AccessLine{.time = time_text("%Y-%m-%dT%H:%M:%SZ"),
                                  .method = to_text(request.method()),
                                  .target = request.target(),
                                  .route = request.route(),
                                  .status = record.status,
                                  .bytes_in = record.bytes_in,
                                  .bytes_out = record.bytes_out,
                                  .milliseconds = taken.count(),
                                  .protocol = record.protocol,
                                  .address = request.remote_address(),
                                  .request_id = id_text(request),
                                  .user = user_text(request),
                                  .is_whole = record.is_whole});
}

std::string line_of(const AnswerRecord& record, AccessFormat format) {
  switch (format) {
    case AccessFormat::text:
      return text_line(record);
    case AccessFormat::json:
      return json_line(record);
    case AccessFormat::common:
      return common_line(record);
    case AccessFormat::combined:
      return combined_line(record);
  }
  return {};
}

/// Lines as they are, each written in one call so that threads do not mix.
class StandardOutput final : public LogSink {
 public:
  void write(LogLevel /*level*/, std::string_view line) noexcept override {
    try {
      const std::string whole = std::string(line) + "\n";
      [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, whole.data(), whole.size());
    } catch (...) {
      // No memory for a line of log: the request goes on without it.
    }
  }
};

}  // namespace

Observer access_log(std::shared_ptr<LogSink> sink, AccessFormat format) {
  return [sink = std::move(sink), format](const AnswerRecord& record) {
    sink->write(LogLevel::info, line_of(record, format));
  };
}

Observer access_log(AccessFormat format) {
  return format == AccessFormat::text ? access_log(stderr_log(), format)
                                      : access_log(std::make_shared<StandardOutput>(), format);
}

}  // namespace eider
