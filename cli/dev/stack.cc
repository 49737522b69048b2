#include "cli/dev/diagnostics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <vector>

#include "cli/process/run.h"
#include "cli/project/toolchain.h"

namespace eider::dev {

namespace {

constexpr std::string_view kBegin = "eider-dev: stack\n";
constexpr std::string_view kEnd = "eider-dev: end of stack\n";
constexpr std::chrono::seconds kWithin{10};

/// Returns the address within the file: of "/bin/shop(+0x1234) [0x55…1234]".
std::string address_of(std::string_view frame, std::string_view program) {
  const std::size_t plus = frame.find("(+0x");
  if (!frame.starts_with(program) || plus == frame.npos) {
    return {};
  }
  const std::string_view address = frame.substr(plus + 2);
  return std::string(address.substr(0, address.find(')')));
}

/// This frame, after the handler and the kernel's signal frame, contains the failed instruction.
/// The other frames contain return addresses, after a call, which may belong to another line.
constexpr std::size_t kFailedFrame = 2;

std::string called_from(const std::string& address) {
  std::uint64_t number = 0;
  (void)std::from_chars(address.data() + 2, address.data() + address.size(), number, 16);
  std::array<char, 16> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number - 1, 16);
  return "0x" + std::string(digits.data(), written.ptr);
}

std::vector<std::string> addresses_of(std::string_view frames, const std::string& program) {
  std::vector<std::string> all;
  for (std::size_t index = 0; !frames.empty(); ++index) {
    const std::size_t end = std::min(frames.find('\n'), frames.size());
    if (const std::string address = address_of(frames.substr(0, end), program); !address.empty()) {
      all.push_back(index == kFailedFrame ? address : called_from(address));
    }
    frames.remove_prefix(std::min(end + 1, frames.size()));
  }
  return all;
}

std::string_view told_stack(std::string_view output) {
  const std::size_t begin = output.rfind(kBegin);
  if (begin == output.npos) {
    return {};
  }
  const std::string_view behind = output.substr(begin + kBegin.size());
  return behind.substr(0, behind.find(kEnd));
}

/// Formats the output of addr2line -p: "f() at /x/main.cc:7", followed by " (inlined by) g() at …".
std::string readable(std::string_view told) {
  std::string all;
  while (!told.empty()) {
    const std::size_t end = std::min(told.find('\n'), told.size());
    std::string_view line = told.substr(0, end);
    constexpr std::string_view kInlined = " (inlined by) ";
    line.remove_prefix(line.starts_with(kInlined) ? kInlined.size() : 0);
    const std::size_t at = line.rfind(" at ");
    if (at != line.npos && !line.contains("crash_handler.cc") && !line.contains("??")) {
      all.append(line.substr(at + 4)).append(" ").append(line.substr(0, at)).append("\n");
    }
    told.remove_prefix(std::min(end + 1, told.size()));
  }
  return all;
}

}  // namespace

std::string read_stack(std::string_view output, const std::filesystem::path& program) {
  ProgramCall asked{.output = ProgramCall::Output::kept_with_errors};
  for (const std::string_view name : {"addr2line", "llvm-addr2line-19", "llvm-addr2line"}) {
    if (asked.words.empty() && !find_program(name).empty()) {
      asked.words = {std::string(name), "-Cfpi", "-e", program};
    }
  }
  const std::vector<std::string> addresses = addresses_of(told_stack(output), program);
  if (asked.words.empty() || addresses.empty()) {
    return {};
  }
  asked.words.insert(asked.words.end(), addresses.begin(), addresses.end());
  const auto ended = run_to_end(asked, kWithin);
  return ended ? readable(ended->output) : std::string();
}

std::string without_stack(std::string_view output) {
  const std::size_t begin = output.rfind(kBegin);
  if (begin == output.npos) {
    return std::string(output);
  }
  const std::size_t end = output.find(kEnd, begin);
  std::string rest(output.substr(0, begin));
  return end == output.npos ? rest : rest.append(output.substr(end + kEnd.size()));
}

}  // namespace eider::dev
