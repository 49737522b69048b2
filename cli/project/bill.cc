#include "cli/project/package.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/patterns.h"
#include "cli/process/run.h"
#include "eider/core/json/value.h"

namespace eider {

namespace {

/// Percent-encodes a part of a purl, except characters that purl allows.
std::string in_purl(std::string_view text) {
  std::string quoted;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    const bool is_plain = byte < 0x80 && (std::isalnum(byte) != 0 || each == '.' || each == '-' ||
                                          each == '_' || each == '~');
    quoted += is_plain ? std::string(1, each) : fmt::format("%{:02X}", byte);
  }
  return quoted;
}

std::string purl_of(const SystemPackage& package, const std::string& distribution) {
  return fmt::format("pkg:deb/{}/{}@{}?arch={}", in_purl(distribution), in_purl(package.name),
                     in_purl(package.version), in_purl(package.architecture));
}

Result<json::Value, std::string> component_of(const SystemPackage& package,
                                              const std::string& distribution) {
  const bool is_package = !package.version.empty();
  json::Value files = json::array({});
  for (const SharedLibrary& file : package.files) {
    const auto digest = sha256_of_file(file.path);
    if (!digest) {
      return fail(digest.error());
    }
    files.push_back(json::object(
        {{"type", "file"},
         {"name", file.name},
         {"hashes", json::array({json::object({{"alg", "SHA-256"}, {"content", *digest}})})}}));
  }
  json::Value component = json::object({{"type", "library"}});
  component["bom-ref"] = is_package ? purl_of(package, distribution) : package.name;
  component["name"] = package.name;
  if (is_package) {
    component["version"] = package.version;
    component["purl"] = purl_of(package, distribution);
  }
  component["components"] = std::move(files);
  return component;
}

}  // namespace

Result<std::string, std::string> cyclonedx_of(const BillOfMaterials& bill) {
  json::Value components = json::array({json::object(
      {{"type", "framework"}, {"bom-ref", "eider"}, {"name", "eider"}, {"version", version()}})});
  json::Value needed = json::array({"eider"});
  for (const SystemPackage& package : bill.packages) {
    auto component = component_of(package, bill.distribution);
    if (!component) {
      return fail(component.error());
    }
    needed.push_back((*component)["bom-ref"]);
    components.push_back(std::move(*component));
  }
  // The reference "program" differs from all references of libraries, which could have its name.
  return json::to_text(json::object(
             {{"bomFormat", "CycloneDX"},
              {"specVersion", "1.5"},
              {"version", 1},
              {"metadata",
               json::object({{"component", json::object({{"type", "application"},
                                                         {"bom-ref", "program"},
                                                         {"name", bill.name},
                                                         {"version", bill.version}})}})},
              {"components", std::move(components)},
              {"dependencies",
               json::array({json::object({{"ref", "program"}, {"dependsOn", needed}})})}})) +
         "\n";
}

Result<std::string, std::string> sha256_of_file(const std::string& path) {
  const auto said = run_quietly({"sha256sum", "--", path});
  if (!said) {
    return fail(said.error());
  }
  // sha256sum begins the line with a backslash if the file name contains a line end or a backslash.
  constexpr std::size_t kDigits = 64;
  return said->substr(said->starts_with('\\') ? 1 : 0, kDigits);
}

std::string distribution_here() {
  const auto said = read_text_file("/etc/os-release");
  const PatternMatch found = find_pattern(said.value_or(""), "(^|\n)ID=\"?([a-z0-9._-]+)");
  return found.empty() ? "linux" : found[2];
}

}  // namespace eider
