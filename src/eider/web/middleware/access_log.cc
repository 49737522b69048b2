#include "eider/web/middleware/access_log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/handlers/middleware.h"
#include "eider/app/life/log_stderr.h"
#include "eider/app/redact_query.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/method.h"
#include "eider/server/observer.h"
#include "eider/web/middleware/identity.h"

namespace eider {

namespace {

using Secrets = std::vector<std::string>;

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

/// Finds secrets by the names of parameters: redact_query only marks requests that reach its route.
bool has_secret(std::string_view query, const Secrets& secrets) {
  QueryReader pairs(query);
  while (const auto pair = pairs.next()) {
    const auto name = percent_decode(pair->name, Plus::space);
    const auto is_name = [&](const std::string& one) {
      return equals_ignoring_case(one, name ? std::string_view(*name) : pair->name);
    };
    if (std::ranges::any_of(secrets, is_name)) {
      return true;
    }
  }
  return false;
}

/// Returns a URL as it was received, but without a query that is a secret.
std::string shown(std::string_view address, const Request& request, const Secrets& secrets) {
  const std::size_t query = address.find('?');
  if (query == std::string_view::npos ||
      (request.find<RedactQuery>() == nullptr && !has_secret(address.substr(query + 1), secrets))) {
    return std::string(address);
  }
  return std::string(address.substr(0, query)).append("?hidden");
}

std::string target_text(const Request& request, const Secrets& secrets) {
  return shown(request.target(), request, secrets);
}

/// For a form that is sent to the URL of its own page, the Referer contains the same secret.
std::string referer_text(const Request& request, const Secrets& secrets) {
  return shown(request.header("Referer").value_or(""), request, secrets);
}

/// Returns "3.1".
std::string milliseconds(Duration time) {
  const auto tenths = time / std::chrono::microseconds(100);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

/// Escapes like nginx: a quote would end a field of the line, a line break the line.
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
  const std::time_t now = wall_time().time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

std::string text_line(const ResponseEvent& record, const Secrets& secrets) {
  const Request& request = record.request;
  std::string line(or_dash(to_text(request.method())));
  line.append(" ").append(or_dash(target_text(request, secrets)));
  line.append(" ").append(std::to_string(record.status));
  line.append(" ").append(std::to_string(record.bytes_out));
  line.append(" ").append(milliseconds(record.ended - record.began));
  line.append(" ").append(record.protocol);
  line.append(" ").append(or_dash(request.remote_address()));
  if (const std::string_view id = id_text(request); !id.empty()) {
    line.append(" ").append(id);
  }
  return line.append(record.is_complete ? "" : " aborted");
}

/// source  Apache httpd, mod_log_config: "%h %l %u %t \"%r\" %>s %b"
std::string common_line(const ResponseEvent& record, const Secrets& secrets) {
  const Request& request = record.request;
  std::string line(or_dash(request.remote_address()));
  line.append(" - ").append(escaped(user_text(request)));
  line.append(time_text(" [%d/%b/%Y:%H:%M:%S +0000] \""));
  line.append(or_dash(to_text(request.method())))
      .append(" ")
      .append(escaped(target_text(request, secrets)));
  line.append(" ").append(record.protocol).append("\" ").append(std::to_string(record.status));
  return line.append(" ").append(record.bytes_out == 0 ? "-" : std::to_string(record.bytes_out));
}

std::string combined_line(const ResponseEvent& record, const Secrets& secrets) {
  const Request& request = record.request;
  std::string line = common_line(record, secrets);
  line.append(" \"").append(escaped(referer_text(request, secrets)));
  return line.append("\" \"")
      .append(escaped(request.header("User-Agent").value_or("")))
      .append("\"");
}

struct AccessLine {
  std::string time;
  std::string_view method;
  std::string target;
  std::string_view route;
  int status;
  std::uint64_t bytes_in;
  std::uint64_t bytes_out;
  double milliseconds;
  std::string_view protocol;
  std::string address;
  std::string_view request_id;
  std::string_view user;
  bool is_complete;
};

std::string json_line(const ResponseEvent& record, const Secrets& secrets) {
  const Request& request = record.request;
  const std::chrono::duration<double, std::milli> taken = record.ended - record.began;
  return json::to_text(AccessLine{.time = time_text("%Y-%m-%dT%H:%M:%SZ"),
                                  .method = to_text(request.method()),
                                  .target = target_text(request, secrets),
                                  .route = request.route(),
                                  .status = record.status,
                                  .bytes_in = record.bytes_in,
                                  .bytes_out = record.bytes_out,
                                  .milliseconds = taken.count(),
                                  .protocol = record.protocol,
                                  .address = request.remote_address(),
                                  .request_id = id_text(request),
                                  .user = user_text(request),
                                  .is_complete = record.is_complete});
}

/// The ID of the request is added to the line automatically (base/work.h).
void write_fields(LogSink& sink, LogLevel level, std::string_view message,
                  const ResponseEvent& record, const Secrets& secrets) {
  const Request& request = record.request;
  const std::string target = target_text(request, secrets);
  const std::string address = request.remote_address();
  const std::chrono::duration<double, std::milli> taken = record.ended - record.began;
  const std::array<LogField, 11> fields = {LogField("method", to_text(request.method())),
                                           LogField("target", target),
                                           LogField("route", request.route()),
                                           LogField("status", record.status),
                                           LogField("bytes_in", record.bytes_in),
                                           LogField("bytes_out", record.bytes_out),
                                           LogField("milliseconds", taken.count()),
                                           LogField("protocol", record.protocol),
                                           LogField("address", address),
                                           LogField("user", user_text(request)),
                                           LogField("is_complete", record.is_complete)};
  sink.write_fields(level, message, fields);
}

/// Returns "statement select … (3.2 s), sleep (1.0 s)".
std::string waits_text(const RequestState& state) {
  std::string text;
  for (const WaitState& wait : state.waits_for) {
    const auto tenths = static_cast<std::uint64_t>(wait.seconds * 10);
    text.append(text.empty() ? "" : ", ").append(wait.what);
    text.append(wait.text.empty() ? "" : " ").append(wait.text).append(" (");
    text.append(std::to_string(tenths / 10)).append(".").append(std::to_string(tenths % 10));
    text.append(" s)");
  }
  return text.empty() ? "an operation that reports no name" : text;
}

/// Does not log the target: it may be a secret that is only marked when the request ends.
void write_going_on(LogSink& sink, const RequestState& state) {
  const std::string waits = waits_text(state);
  const std::array<LogField, 5> fields = {
      LogField("method", state.method), LogField("route", state.route),
      LogField("milliseconds", static_cast<std::int64_t>(state.seconds * 1000)),
      LogField("address", state.peer), LogField("waits_for", waits)};
  sink.write_fields(LogLevel::warning, "slow request still running", fields);
}

std::string line_of(const ResponseEvent& record, AccessFormat format, const Secrets& secrets) {
  switch (format) {
    case AccessFormat::text:
      return text_line(record, secrets);
    case AccessFormat::json:
      return json_line(record, secrets);
    case AccessFormat::common:
      return common_line(record, secrets);
    case AccessFormat::combined:
      return combined_line(record, secrets);
    case AccessFormat::fields:
      break;
  }
  return {};
}

/// Writes lines unchanged, each in one call so that the lines of threads do not mix.
class StandardOutput final : public LogSink {
 public:
  void write(LogLevel /*level*/, std::string_view line) noexcept override {
    try {
      const std::string whole = std::string(line) + "\n";
      [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, whole.data(), whole.size());
    } catch (...) {
      // No memory for a log line: the request continues without it.
    }
  }
};

}  // namespace

std::vector<std::string> redacted_query_names() {
  return {"token", "access_token", "password", "secret", "signature", "x-amz-signature"};
}

Observer access_log(std::shared_ptr<LogSink> sink, AccessFormat format,
                    std::vector<std::string> secrets) {
  return
      [sink = std::move(sink), format, secrets = std::move(secrets)](const ResponseEvent& record) {
        if (!sink->is_enabled(LogLevel::info)) {
          return;
        }
        if (format == AccessFormat::fields) {
          write_fields(*sink, LogLevel::info, "request", record, secrets);
        } else {
          sink->write(LogLevel::info, line_of(record, format, secrets));
        }
      };
}

namespace {

/// Returns the time of the response. For a stream, that is its start, because its client determines
/// how long it runs.
Instant answered_at(const ResponseEvent& record) noexcept {
  const auto* const began = record.request.find<ResponseStarted>();
  return began == nullptr ? record.ended : began->at;
}

}  // namespace

SlowObserver slow_log(std::shared_ptr<LogSink> sink, Duration limit,
                      std::vector<std::string> secrets) {
  return {.on_end =
              [sink, limit, secrets = std::move(secrets)](const ResponseEvent& record) {
                if (answered_at(record) - record.began > limit) {
                  write_fields(*sink, LogLevel::warning, "slow request", record, secrets);
                }
              },
          .after = limit,
          .on_slow = [sink](const RequestState& state) { write_going_on(*sink, state); }};
}

Observer access_log(AccessFormat format, std::vector<std::string> secrets) {
  std::shared_ptr<LogSink> sink = stderr_log();
  if (format != AccessFormat::text) {
    sink = std::make_shared<StandardOutput>();
  }
  return access_log(std::move(sink), format, std::move(secrets));
}

}  // namespace eider
