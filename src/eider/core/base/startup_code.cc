#include "eider/core/base/startup_code.h"

namespace eider::detail::base {

namespace {

constexpr std::string_view kBegin = "error[";
constexpr std::string_view kEnd = "]: ";

}  // namespace

CodedLine split_code(std::string_view line, CodeName otherwise) {
  for (std::size_t at = line.find(kBegin); at != line.npos; at = line.find(kBegin, at + 1)) {
    const std::size_t name = at + kBegin.size();
    const std::size_t end = std::min(line.find(kEnd, name), line.size());
    const StartupCode* const code = find_startup_code(line.substr(name, end - name));
    if (code != nullptr && end != line.size()) {
      return {CodeName(*code),
              std::string(line.substr(0, at)).append(line.substr(end + kEnd.size()))};
    }
  }
  return {otherwise, std::string(line)};
}

std::string with_code(CodeName code, std::string_view text) {
  const CodedLine line = split_code(text, code);
  return std::string(kBegin).append(line.code.text()).append(kEnd).append(line.text);
}

}  // namespace eider::detail::base
