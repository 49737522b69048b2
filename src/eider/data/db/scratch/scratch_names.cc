#include "eider/data/db/scratch/scratch_names.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"

namespace eider::detail::scratch {
namespace {

constexpr std::size_t kDigitsOfHash = 16;

std::string hash_of(std::string_view text) {
  return to_hex(to_view(sha256(text))).substr(0, kDigitsOfHash);
}

std::atomic<unsigned> databases_made = 0;

}  // namespace

std::string test_prefix() {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return "eider_test_" + hash_of(host.data()) + "_";
}

std::string next_test_name() {
  return test_prefix() + std::to_string(::getpid()) + "_" + std::to_string(databases_made++);
}

std::vector<std::string> unused_of(const std::vector<std::string>& names) {
  const std::string prefix = test_prefix();
  std::vector<std::string> unused;
  for (const std::string& name : names) {
    if (!name.starts_with(prefix)) {
      continue;
    }
    const std::string_view rest = std::string_view(name).substr(prefix.size());
    const std::size_t end = std::min(rest.find('_'), rest.size());
    const auto process = parse_integer<pid_t>(rest.substr(0, end));
    const auto number = parse_integer<unsigned>(rest.substr(std::min(end + 1, rest.size())));
    const bool is_own = process == ::getpid();
    const bool is_gone = process && ::kill(*process, 0) != 0 && errno == ESRCH;
    if (is_gone || (is_own && number && *number + kTestDatabasesKept < databases_made)) {
      unused.push_back(name);
    }
  }
  return unused;
}

std::string template_name(const Migrations& migrations) {
  std::string all;
  for (const Migration& migration : migrations) {
    all += migration.name + " " + migration.checksum + "\n";
  }
  return "eider_template_" + hash_of(all);
}

std::string server_of_environment(const char* variable) {
  const char* const said = std::getenv(variable);
  return said == nullptr ? std::string() : said;
}

}  // namespace eider::detail::scratch
