#include "cli/project/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/process/run.h"

namespace eider {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 12> kSystemLibraries = {
    "libc.so.6",   "libm.so.6",   "libmvec.so.1",      "libpthread.so.0",
    "libdl.so.2",  "librt.so.1",  "libresolv.so.2",    "libutil.so.1",
    "libanl.so.1", "libnsl.so.1", "libthread_db.so.1", "libBrokenLocale.so.1"};

bool is_loader(std::string_view name) {
  return name.starts_with("ld-linux") || name.starts_with("ld64.so") || name.starts_with("ld.so");
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  const std::size_t end = text.find_last_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

/// Returns the output of dpkg, also if it knows only some of the files and exits with 1.
Result<std::string, std::string> said_by(std::vector<std::string> words) {
  auto said = run_quietly(std::move(words));
  if (!said && said.error() != kWasStopped) {
    return std::move(said.error());
  }
  return said;
}

/// Returns the possible paths of a file: /lib is a link to /usr/lib, and dpkg may use either name.
std::vector<std::string> names_of(const std::string& path) {
  std::error_code failed;
  std::vector<std::string> names = {path, fs::canonical(path, failed).string()};
  for (std::size_t i = 0; i != 2; ++i) {
    names.push_back(names[i].starts_with("/usr/") ? names[i].substr(4) : "/usr" + names[i]);
  }
  std::erase_if(names, [](const std::string& name) { return name.size() < 2; });
  return names;
}

/// Parses lines such as "zlib1g:amd64: /lib/x86_64-linux-gnu/libz.so.1". Returns packages by file.
std::map<std::string, std::string> owners_in(const std::string& said) {
  std::map<std::string, std::string> owners;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find(": /");
    if (end != std::string::npos && line.find(' ') == end + 1) {
      owners.emplace(line.substr(end + 2), line.substr(0, end));
    }
  }
  return owners;
}

/// Returns name, version and architecture for each package name of dpkg.
Result<std::map<std::string, SystemPackage>, std::string> described(
    const std::map<std::string, std::string>& owners) {
  if (owners.empty()) {
    return std::map<std::string,
                    SystemPackage>();  // without names, dpkg-query would list all packages
  }
  std::vector<std::string> words = {
      "dpkg-query", "-W", "-f=${binary:Package}\\t${Package}\\t${Version}\\t${Architecture}\\n"};
  for (const auto& [file, package] : owners) {
    words.push_back(package);
  }
  const auto said = said_by(std::move(words));
  if (!said) {
    return fail(said.error());
  }
  std::map<std::string, SystemPackage> packages;
  std::istringstream lines(*said);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string called;
    SystemPackage package;
    std::getline(fields, called, '\t');
    std::getline(fields, package.name, '\t');
    std::getline(fields, package.version, '\t');
    std::getline(fields, package.architecture, '\t');
    packages.emplace(called, package);
  }
  return packages;
}

}  // namespace

Result<Closure, std::string> read_ldd(std::string_view said) {
  Closure closure;
  while (!said.empty()) {
    const std::size_t end = std::min(said.find('\n'), said.size());
    const std::string_view line = trimmed(said.substr(0, end));
    said.remove_prefix(std::min(end + 1, said.size()));
    const std::size_t arrow = line.find(" => ");
    const std::string_view name = trimmed(line.substr(0, std::min(arrow, line.find(" (0x"))));
    std::string_view path = arrow == std::string_view::npos ? name : line.substr(arrow + 4);
    path = trimmed(path.substr(0, path.find(" (0x")));
    if (path == "not found") {
      return fail(fmt::format("{} was not found. Install the package that contains it", name));
    }
    const std::string_view last = name.substr(name.rfind('/') + 1);
    if (!path.starts_with('/')) {
      continue;  // the kernel's vDSO, or a message
    }
    if (is_loader(last)) {
      closure.loader = path;
      continue;
    }
    closure.libraries.push_back(
        {std::string(last), std::string(path),
         std::ranges::find(kSystemLibraries, last) != kSystemLibraries.end()});
  }
  std::ranges::sort(closure.libraries, {}, &SharedLibrary::name);
  return closure;
}

Result<Closure, std::string> closure_of(const std::string& program) {
  const auto said = run_quietly({"ldd", program});
  if (said) {
    return read_ldd(*said);
  }
  const bool is_static = said.error().find("not a dynamic executable") != std::string::npos;
  return is_static ? Result<Closure, std::string>(Closure{}) : fail(said.error());
}

Result<std::vector<SystemPackage>, std::string> packages_of(
    const std::vector<SharedLibrary>& libraries) {
  std::vector<std::string> words = {"dpkg-query", "-S"};
  for (const SharedLibrary& each : libraries) {
    std::ranges::copy(names_of(each.path), std::back_inserter(words));
  }
  const auto said = said_by(std::move(words));
  if (!said) {
    return fail(said.error());
  }
  const auto owners = owners_in(*said);
  auto known = described(owners);
  if (!known) {
    return fail(known.error());
  }
  std::map<std::string, SystemPackage> packages;
  for (const SharedLibrary& each : libraries) {
    SystemPackage package{.name = each.name};
    for (const std::string& name : names_of(each.path)) {
      const auto owner = owners.find(name);
      if (owner != owners.end() && known->contains(owner->second)) {
        package = known->at(owner->second);
      }
    }
    packages.try_emplace(package.name, package).first->second.files.push_back(each);
  }
  std::vector<SystemPackage> all;
  for (auto& [name, package] : packages) {
    all.push_back(std::move(package));
  }
  return all;
}

}  // namespace eider
