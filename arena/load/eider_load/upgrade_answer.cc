#include "upgrade_answer.h"

#include <algorithm>
#include <charconv>

namespace load {

namespace {

constexpr std::string_view kVersion = "HTTP/1.1 ";

/// "HTTP/1.1 101 Switching Protocols" → 101; 0 of anything else.
int status_of(std::string_view line) {
  int status = 0;
  if (line.starts_with(kVersion) && line.size() >= kVersion.size() + 3) {
    const char* const begin = line.data() + kVersion.size();
    std::from_chars(begin, begin + 3, status);
  }
  return status;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t end = text.find_last_not_of(" \t") + 1;
  return text.substr(begin, std::max(begin, end) - begin);
}

}  // namespace

UpgradeAnswer read_upgrade_answer(std::string_view head) {
  const std::size_t first_end = std::min(head.find("\r\n"), head.size());
  UpgradeAnswer answer{status_of(head.substr(0, first_end)), {}};
  for (std::size_t begin = first_end; begin < head.size();) {
    begin += 2;
    const std::size_t end = std::min(head.find("\r\n", begin), head.size());
    const std::string_view line = head.substr(begin, end - begin);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      answer.fields.push_back({line.substr(0, colon), trimmed(line.substr(colon + 1))});
    }
    begin = end;
  }
  return answer;
}

}  // namespace load
