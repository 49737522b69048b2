#include "eider/core/base/log.h"

#include <algorithm>

#include "eider/core/base/digits.h"

namespace eider {

namespace {

/// Returns whether the end of a value is unambiguous without quotes.
bool is_plain(std::string_view text) noexcept {
  return !text.empty() && std::ranges::none_of(text, [](char byte) {
    return static_cast<unsigned char>(byte) <= 0x20 || byte == '"' || byte == '=' || byte == '\\' ||
           byte == 0x7F;
  });
}

/// Returns the text in quotes, with escapes for all characters that would end it.
std::string logfmt_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      out.push_back('\\');
    }
    out.push_back(byte);
  }
  return out.append("\"");
}

}  // namespace

std::string_view to_text(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return {};
}

std::string to_text(const LogValue& value) {
  struct Cases {
    std::string operator()(std::string_view text) const { return std::string(text); }
    std::string operator()(std::int64_t number) const { return digits_of(number); }
    std::string operator()(std::uint64_t number) const { return digits_of(number); }
    std::string operator()(double number) const { return digits_of(number); }
    std::string operator()(bool is_true) const { return is_true ? "true" : "false"; }
  };
  return std::visit(Cases(), value);
}

void LogSink::write_fields(LogLevel level, std::string_view message,
                           std::span<const LogField> fields) noexcept {
  try {
    std::string line(message);
    for (const LogField& field : fields) {
      const std::string text = to_text(field.value);
      line.append(" ")
          .append(field.name)
          .append("=")
          .append(is_plain(text) ? text : logfmt_quoted(text));
    }
    write(level, line);
  } catch (...) {
    write(level, message);  // there is no memory for the fields
  }
}

}  // namespace eider
