// A slow and simple reader of request heads, rule by rule, to compare the library's reader with.
// Layering: must not share code with the library's reader or be used for other purposes.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eider::h1::reference {

using Lines = std::vector<std::string>;
using Fields = std::vector<std::pair<std::string, std::string>>;

inline std::string lower(std::string text) {
  for (char& byte : text) {
    byte = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
  }
  return text;
}

inline bool all_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHex = "0123456789abcdefABCDEF";
constexpr std::string_view kTokenBytes =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%&'*+-.^_`|~";
constexpr std::string_view kHostBytes =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-._~!$&'()*+,;=%";

inline bool is_token(std::string_view text) {
  return !text.empty() && all_of(text, kTokenBytes);
}

/// Returns whether `text` has a byte that is not allowed in field values.
inline bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char byte) {
    const auto number = static_cast<unsigned char>(byte);
    return (number < 0x20 && byte != '\t') || number == 0x7F;
  });
}

inline std::string trimmed(std::string text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Returns the elements between commas, without whitespace around them.
inline std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> elements;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t comma = text.find(',', begin);
    elements.push_back(trimmed(text.substr(begin, comma - begin)));
    if (comma == std::string::npos) {
      return elements;
    }
    begin = comma + 1;
  }
}

/// Returns the lines of the head at the start of `in`, without empty ones; nothing if the head is
/// incomplete or empty.
inline std::optional<Lines> split_lines(std::string_view in) {
  Lines lines;
  for (int empty = 0; in.starts_with("\r\n") && empty < 4; ++empty) {
    in.remove_prefix(2);
  }
  for (;;) {
    const std::size_t end = in.find("\r\n");
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    if (end == 0) {
      return lines.empty() ? std::nullopt : std::optional<Lines>(lines);
    }
    lines.emplace_back(in.substr(0, end));
    in.remove_prefix(end + 2);
  }
}

/// Returns whether every '%' is followed by two hexadecimal digits.
inline bool has_good_escapes(const std::string& text) {
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    const std::string digits = text.substr(at + 1, 2);
    if (digits.size() != 2 || !all_of(digits, kHex)) {
      return false;
    }
  }
  return true;
}

inline bool is_port(const std::string& text) {
  return text.size() <= 5 && all_of(text, kDigits) && (text.empty() || std::stoi(text) <= 65535);
}

inline bool is_host(const std::string& text) {
  std::string host = text;
  std::string port;
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && text.find(']', colon) == std::string::npos;
  if (has_port) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.empty()) {
      return false;
    }
  }
  if (!is_port(port)) {
    return false;
  }
  if (host.size() > 3 && host.front() == '[' && host.back() == ']') {
    const std::string address = host.substr(1, host.size() - 2);
    return all_of(address, std::string(kHex) + ":.") && address.find(':') != std::string::npos;
  }
  return all_of(host, kHostBytes) && has_good_escapes(host);
}

/// Reads a head and returns it in the format of describe(), or nothing if it must be rejected.
class Reader {
 public:
  std::optional<std::string> read(std::string_view in) {
    const std::optional<Lines> lines = split_lines(in);
    const bool is_good = lines.has_value() && read_request_line(lines->front()) &&
                         read_fields(*lines) && judge_host() && judge_body() && judge_expect() &&
                         judge_connection();
    return is_good ? std::optional<std::string>(text()) : std::nullopt;
  }

 private:
  bool read_request_line(const std::string& line) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == std::string::npos || first == last) {
      return false;
    }
    method_ = line.substr(0, first);
    const std::string target = line.substr(first + 1, last - first - 1);
    const std::string version = line.substr(last + 1);
    constexpr std::string_view kMethods = " GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH ";
    if (!is_token(method_) || kMethods.find(" " + method_ + " ") == std::string_view::npos) {
      return false;
    }
    if (version.size() != 8 || !version.starts_with("HTTP/1.") ||
        !all_of(version.substr(7), kDigits)) {
      return false;
    }
    is_1_0_ = version == "HTTP/1.0";
    return read_target(target);
  }

  bool read_target(const std::string& target) {
    const bool is_printable = std::ranges::all_of(target, [](char byte) {
      return byte > ' ' && byte < '\x7F' &&
             std::string_view("\"#<>").find(byte) == std::string_view::npos;
    });
    if (target.empty() || !is_printable) {
      return false;
    }
    if (method_ == "CONNECT") {
      authority_ = target;
      has_own_authority_ = true;
      const std::size_t colon = target.rfind(':');
      return is_host(target) && colon != std::string::npos && colon + 1 < target.size() &&
             all_of(target.substr(colon + 1), kDigits);
    }
    if (target == "*") {
      path_ = "*";
      return method_ == "OPTIONS";
    }
    std::string rest = target;
    const std::size_t scheme = lower(target).starts_with("http://")    ? 7
                               : lower(target).starts_with("https://") ? 8
                                                                       : 0;
    if (scheme != 0) {
      rest = target.substr(scheme);
      authority_ = rest.substr(0, rest.find_first_of("/?"));
      has_own_authority_ = true;
      rest = rest.substr(authority_.size());
      if (authority_.empty() || !is_host(authority_)) {
        return false;
      }
      if (rest.empty() && method_ == "OPTIONS") {
        path_ = "*";
        return true;
      }
      rest = rest.starts_with('/') ? rest : "/" + rest;
    }
    const std::size_t question = rest.find('?');
    path_ = rest.substr(0, question);
    query_ = question == std::string::npos ? "" : rest.substr(question + 1);
    return path_.starts_with('/') && path_.find('\\') == std::string::npos;
  }

  bool read_fields(const Lines& lines) {
    for (std::size_t index = 1; index < lines.size(); ++index) {
      const std::string& line = lines[index];
      const std::size_t colon = line.find(':');
      if (colon == std::string::npos || !is_token(line.substr(0, colon))) {
        return false;
      }
      const std::string value = trimmed(line.substr(colon + 1));
      if (has_control(line.substr(colon + 1))) {
        return false;
      }
      fields_.emplace_back(line.substr(0, colon), value);
    }
    return true;
  }

  std::vector<std::string> values_of(const std::string& name) const {
    std::vector<std::string> values;
    for (const auto& [field, value] : fields_) {
      if (lower(field) == name) {
        values.push_back(value);
      }
    }
    return values;
  }

  /// Returns all list elements of all lines with this name.
  std::vector<std::string> list_of(const std::string& name) const {
    std::vector<std::string> all;
    for (const std::string& value : values_of(name)) {
      for (const std::string& element : split_list(value)) {
        all.push_back(lower(element));
      }
    }
    return all;
  }

  bool judge_host() {
    const std::vector<std::string> hosts = values_of("host");
    if (hosts.empty()) {
      return is_1_0_;
    }
    authority_ = has_own_authority_ ? authority_ : hosts.front();
    return hosts.size() == 1 && is_host(hosts.front());
  }

  bool judge_body() {
    const std::vector<std::string> lengths = values_of("content-length");
    const bool is_coded = !values_of("transfer-encoding").empty();
    if (is_coded) {
      body_ = "chunked";
      return lengths.empty() && !is_1_0_ &&
             list_of("transfer-encoding") == std::vector<std::string>{"chunked"};
    }
    if (lengths.empty()) {
      return true;
    }
    std::string digits = lengths.front();
    if (lengths.size() != 1 || digits.empty() || !all_of(digits, kDigits)) {
      return false;
    }
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    const std::string largest = "9223372036854775807";
    body_ = digits.empty() ? "none" : "sized:" + digits;
    return digits.size() < largest.size() || (digits.size() == largest.size() && digits <= largest);
  }

  bool judge_expect() const {
    return std::ranges::all_of(list_of("expect"), [](const std::string& element) {
      return element.empty() || element == "100-continue";
    });
  }

  bool judge_connection() const {
    return std::ranges::all_of(list_of("connection"), [](const std::string& element) {
      return element.empty() || is_token(element);
    });
  }

  std::string text() const {
    const auto names = [](const std::vector<std::string>& list, std::string_view element) {
      return std::ranges::find(list, element) != list.end();
    };
    const std::vector<std::string> options = list_of("connection");
    const bool stays = !names(options, "close") && (!is_1_0_ || names(options, "keep-alive"));
    const bool continues = !is_1_0_ && names(list_of("expect"), "100-continue") && body_ != "none";
    const std::vector<std::string> upgrades = values_of("upgrade");
    const bool has_upgrade =
        std::ranges::any_of(upgrades, [](const std::string& value) { return !value.empty(); });

    std::string text = method_ + " " + path_ + (query_.empty() ? "" : "?" + query_);
    text += " host=" + authority_ + (is_1_0_ ? " 1.0 " : " 1.1 ") + body_;
    text += stays ? " stays" : " closes";
    text += continues ? " continue" : "";
    text += !is_1_0_ && names(options, "upgrade") && has_upgrade ? " upgrade" : "";
    for (const auto& [name, value] : fields_) {
      text += lower(name) == "host" ? "" : " " + name + "=" + value;
    }
    return text;
  }

  std::string method_;
  std::string path_;
  std::string query_;
  std::string authority_;
  std::string body_ = "none";
  bool has_own_authority_ = false;
  bool is_1_0_ = false;
  Fields fields_;
};

}  // namespace eider::h1::reference
