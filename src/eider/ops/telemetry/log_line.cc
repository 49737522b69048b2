#include "eider/ops/telemetry/log_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/hidden_text.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/write.h"

namespace eider::detail::telemetry {

namespace {

constexpr std::string_view kMask = "***";

constexpr char lowered(char byte) noexcept {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

/// Ignored in names: "X-Api-Key" is as secret as "apikey".
constexpr bool is_joint(char byte) noexcept {
  return byte == '-' || byte == '_';
}

/// Returns the name in lower case, without separators.
std::string folded(std::string_view word) {
  std::string out;
  for (const char byte : word) {
    if (!is_joint(byte)) {
      out.push_back(lowered(byte));
    }
  }
  return out;
}

/// Returns whether the folded name starts with the word, which is not empty.
bool begins_with(std::string_view name, std::string_view word) noexcept {
  std::size_t done = 0;
  for (const char byte : name) {
    if (is_joint(byte)) {
      continue;
    }
    if (lowered(byte) != word[done]) {
      return false;
    }
    if (++done == word.size()) {
      return true;
    }
  }
  return false;
}

void append_time(Buffer& out, std::int64_t time_ms) {
  thread_local std::int64_t kept_second = -1;
  thread_local std::array<char, 24> kept{};
  const std::int64_t second = time_ms / 1000;
  if (second != kept_second) {
    const std::time_t time = second;
    std::tm parts{};
    gmtime_r(&time, &parts);
    std::strftime(kept.data(), kept.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
    kept_second = second;
  }
  const auto ms = static_cast<unsigned>(time_ms % 1000);
  const std::array<char, 4> rest = {static_cast<char>('0' + (ms / 100)),
                                    static_cast<char>('0' + (ms / 10 % 10)),
                                    static_cast<char>('0' + (ms % 10)), 'Z'};
  out.append(kept.data());
  out.append({rest.data(), rest.size()});
}

void append_shown(Buffer& out, std::string_view text, std::string_view escaped) {
  while (!text.empty()) {
    const std::size_t bytes = utf8_sequence_bytes(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(bytes, 1));
    text.remove_prefix(sequence.size());
    // A terminal interprets control characters, and bidirectional ones reorder the output.
    if (bytes == 0 || hidden_at(sequence).bytes != 0) {
      for (const char& byte : sequence) {
        out.append("\\x");
        out.append(to_hex({&byte, 1}));
      }
      continue;
    }
    if (escaped.contains(sequence[0])) {
      out.append("\\");
    }
    out.append(sequence);
  }
}

bool is_word(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || std::string_view("-._:/+@%,").contains(byte);
  });
}

void append_value(Buffer& out, std::string_view text) {
  if (is_word(text)) {
    out.append(text);
    return;
  }
  out.append("\"");
  append_shown(out, text, "\"\\");
  out.append("\"");
}

void append_pair(Buffer& out, std::string_view name, const LogValue& value) {
  out.append(" ");
  is_word(name) ? out.append(name) : append_value(out, name);
  out.append("=");
  if (const auto* const text = std::get_if<std::string_view>(&value)) {
    append_value(out, *text);
  } else {
    out.append(to_text(value));
  }
}

void append_utf16_escape(Buffer& out, unsigned unit) {
  std::array<char, 4> digits = {'0', '0', '0', '0'};
  const std::size_t used = unit < 0x100U ? 2 : unit < 0x1000U ? 3 : 4;
  std::to_chars(digits.data() + digits.size() - used, digits.data() + digits.size(), unit, 16);
  out.append("\\u");
  out.append({digits.data(), digits.size()});
}

/// A JSON string in which all hidden characters are escaped: log lines are shown in terminals, too.
void append_string(Buffer& out, std::string_view text) {
  constexpr char kDelete = '\x7f';
  if (std::ranges::all_of(text, [](char byte) { return byte >= '\0' && byte < kDelete; })) {
    json::write_string(out, text);
    return;
  }
  Buffer written;
  json::write_string(written, text);
  for (std::string_view rest = written.view(); !rest.empty();) {
    const HiddenCharacter hidden = hidden_at(rest);
    if (hidden.bytes == 0) {
      const std::size_t bytes = std::max<std::size_t>(utf8_sequence_bytes(rest), 1);
      out.append(rest.substr(0, bytes));
      rest.remove_prefix(bytes);
      continue;
    }
    rest.remove_prefix(hidden.bytes);
    if (hidden.code_point < 0x10000U) {
      append_utf16_escape(out, hidden.code_point);
    } else {
      append_utf16_escape(out, 0xD800U + ((hidden.code_point - 0x10000U) >> 10U));
      append_utf16_escape(out, 0xDC00U + (hidden.code_point & 0x3FFU));
    }
  }
}

void append_member(Buffer& out, std::string_view name, const LogValue& value) {
  out.append(",");
  append_string(out, name);
  out.append(":");
  if (const auto* const text = std::get_if<std::string_view>(&value)) {
    append_string(out, *text);
  } else if (const auto* const number = std::get_if<double>(&value);
             number != nullptr && !std::isfinite(*number)) {
    out.append("null");
  } else {
    out.append(to_text(value));
  }
}

/// Returns whether a line already has a member of that name. A field with such a name gets a
/// trailing '_', so that a search for a level does not find data of clients.
bool is_own(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 6> kOwn = {"time",       "level",    "message",
                                                    "request_id", "trace_id", "span_id"};
  return std::ranges::find(kOwn, name) != kOwn.end();
}

/// Calls `put(name, value)` for each field that the line shows.
template <class Put>
void for_each_field(const LogLine& line, const MaskedNames& masked, Put put) {
  for (const LogField& field : line.fields) {
    const LogValue value = masked.hides(field.name) ? LogValue(kMask) : field.value;
    if (is_own(field.name)) {
      put(std::string_view(std::string(field.name) + "_"), value);
    } else {
      put(field.name, value);
    }
  }
  if (line.work == nullptr) {
    return;
  }
  if (const std::string_view id = line.work->request_id(); !id.empty()) {
    put(std::string_view("request_id"), LogValue(id));
  }
  if (line.work->place.is_there()) {
    const std::string trace = trace_id_text(line.work->place);
    put(std::string_view("trace_id"), LogValue(std::string_view(trace)));
    const std::string span = span_id_text(line.work->place.span);
    put(std::string_view("span_id"), LogValue(std::string_view(span)));
  }
}

}  // namespace

MaskedNames::MaskedNames(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (std::string in_small = folded(word); !in_small.empty()) {
      words_[static_cast<unsigned char>(in_small.front())].push_back(std::move(in_small));
    }
  }
}

bool MaskedNames::hides(std::string_view name) const noexcept {
  for (std::size_t at = 0; at < name.size(); ++at) {
    for (const std::string& word : words_[static_cast<unsigned char>(lowered(name[at]))]) {
      if (begins_with(name.substr(at), word)) {
        return true;
      }
    }
  }
  return false;
}

void append_text(Buffer& out, const LogLine& line, const MaskedNames& masked) {
  append_time(out, line.time_ms);
  out.append(" ");
  out.append(to_text(line.level));
  out.append(" ");
  append_shown(out, line.message, {});
  for_each_field(line, masked, [&](std::string_view name, const LogValue& value) {
    append_pair(out, name, value);
  });
  out.append("\n");
}

void append_json(Buffer& out, const LogLine& line, const MaskedNames& masked) {
  out.append(R"({"time":")");
  append_time(out, line.time_ms);
  out.append(R"(","level":")");
  out.append(to_text(line.level));
  out.append(R"(","message":)");
  append_string(out, line.message);
  for_each_field(line, masked, [&](std::string_view name, const LogValue& value) {
    append_member(out, name, value);
  });
  out.append("}\n");
}

}  // namespace eider::detail::telemetry
