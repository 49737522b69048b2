#include "cli/project/package.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cli/files.h"
#include "cli/process/run.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/core/json/value.h"

namespace eider {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifestType = "application/vnd.oci.image.manifest.v1+json";
constexpr std::string_view kConfigType = "application/vnd.oci.image.config.v1+json";
constexpr std::string_view kLayerType = "application/vnd.oci.image.layer.v1.tar+gzip";

/// A stored blob, with the values that refer to it.
struct StoredBlob {
  std::string digest;
  std::uint64_t bytes;
};

json::Value descriptor_of(std::string_view type, const StoredBlob& blob) {
  return json::object(
      {{"mediaType", type}, {"digest", "sha256:" + blob.digest}, {"size", blob.bytes}});
}

std::string blob_path(const std::string& folder, const std::string& digest) {
  return folder + "/blobs/sha256/" + digest;
}

Result<StoredBlob, std::string> add_blob(const std::string& folder, const json::Value& content) {
  const std::string text = json::to_text(content);
  StoredBlob blob{.digest = to_hex(to_view(sha256(text))), .bytes = text.size()};
  const auto written = write_text_file(blob_path(folder, blob.digest), text);
  return written ? Result<StoredBlob, std::string>(std::move(blob)) : fail(written.error());
}

/// Compresses the layer, and moves it to the blobs.
Result<StoredBlob, std::string> add_layer(const std::string& folder, const std::string& layer) {
  // Without name and time, so that equal layers are equal files.
  if (const auto said = run_quietly({"gzip", "-n", "-6", "-f", "--", layer}); !said) {
    return fail(said.error());
  }
  const std::string packed = layer + ".gz";
  auto digest = sha256_of_file(packed);
  if (!digest) {
    return fail(digest.error());
  }
  std::error_code failed;
  StoredBlob blob{.digest = std::move(*digest), .bytes = fs::file_size(packed, failed)};
  fs::rename(packed, blob_path(folder, blob.digest), failed);
  return failed ? Result<StoredBlob, std::string>(fail(failed.message())) : std::move(blob);
}

json::Value config_of(const OciImage& image, const std::string& diff_id) {
  const std::time_t time = image.created;
  std::tm parts{};
  gmtime_r(&time, &parts);
  const std::string created =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  json::Value environment = json::array({});
  for (const std::string& each : image.environment) {
    environment.push_back(each);
  }
  return json::object(
      {{"created", created},
       {"architecture", architecture_here()},
       {"os", "linux"},
       {"config",
        json::object(
            {{"User", "10001:10001"},
             {"ExposedPorts", json::object({{"8080/tcp", json::object({})}})},
             {"Env", std::move(environment)},
             {"Entrypoint", json::array({image.program})},
             {"WorkingDir", "/"},
             {"StopSignal", "SIGTERM"},
             {"Labels", json::object({{"org.opencontainers.image.title", image.name},
                                      {"org.opencontainers.image.version", image.version}})}})},
       {"rootfs", json::object({{"type", "layers"}, {"diff_ids", json::array({diff_id})}})},
       {"history", json::array({json::object(
                       {{"created", created}, {"created_by", "eider package --format oci"}})})}});
}

}  // namespace

Result<void, std::string> write_oci_layout(const std::string& folder, const OciImage& image) {
  std::error_code failed;
  fs::create_directories(folder + "/blobs/sha256", failed);
  const auto diff_id = sha256_of_file(image.layer);
  if (failed || !diff_id) {
    return fail(failed ? fmt::format("cannot create {}: {}", folder, failed.message())
                       : diff_id.error());
  }
  const auto layer = add_layer(folder, image.layer);
  if (!layer) {
    return fail(layer.error());
  }
  const auto config = add_blob(folder, config_of(image, "sha256:" + *diff_id));
  if (!config) {
    return fail(config.error());
  }
  const auto manifest = add_blob(
      folder, json::object({{"schemaVersion", 2},
                            {"mediaType", kManifestType},
                            {"config", descriptor_of(kConfigType, *config)},
                            {"layers", json::array({descriptor_of(kLayerType, *layer)})}}));
  if (!manifest) {
    return fail(manifest.error());
  }
  json::Value at = descriptor_of(kManifestType, *manifest);
  at["platform"] = json::object({{"architecture", architecture_here()}, {"os", "linux"}});
  at["annotations"] = json::object({{"org.opencontainers.image.ref.name", image.version}});
  auto written = write_text_file(
      folder + "/index.json",
      json::to_text(json::object({{"schemaVersion", 2}, {"manifests", json::array({at})}})));
  return written ? write_text_file(folder + "/oci-layout", R"({"imageLayoutVersion":"1.0.0"})")
                 : written;
}

std::string architecture_here() {
  utsname about{};
  uname(&about);
  const std::string_view machine(about.machine);
  return machine == "x86_64" ? "amd64" : machine == "aarch64" ? "arm64" : std::string(machine);
}

}  // namespace eider
