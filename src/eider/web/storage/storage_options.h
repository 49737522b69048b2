// StorageOptions: where objects are stored, as settings of a program.
// Layering: must not open a storage.
#pragma once

#include <cstdint>
#include <string>

#include "eider/app/settings/secret.h"
#include "eider/core/reflect/option_text.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// Where the name of the bucket goes in URLs.
///
/// automatic  before the host name for Amazon, in the path for other endpoints
enum class S3Addressing : std::uint8_t { automatic, host, path };

/// A local directory, or a bucket of S3 if `s3_bucket` is set. As settings of a program:
///
///     OptionSet("notes").add(own.storage, "storage")  // --storage-directory, --storage-s3-bucket
struct StorageOptions {
  std::string directory = "storage";
  std::string s3_bucket = {};
  std::string s3_endpoint = {};
  std::string s3_region = "us-east-1";
  std::string s3_access_key = {};
  Secret s3_secret_key = {};
  Secret s3_session_token = {};
  S3Addressing s3_addressing = S3Addressing::automatic;
  std::string s3_prefix = {};
  Secret signing_key = {};
  std::string public_url = {};

  static constexpr OptionText kOptions[] = {
      {"directory", "Directory for stored files, if no S3 bucket is set", "DIRECTORY"},
      {"s3_bucket", "S3 bucket for stored files", "NAME"},
      {"s3_endpoint", "S3 server, such as https://s3.example.org", "URL", "Amazon S3"},
      {"s3_region", "Region of the bucket", "NAME"},
      {"s3_access_key", "Access key ID", "ID"},
      {"s3_secret_key", "Secret access key"},
      {"s3_session_token", "Session token of temporary credentials"},
      {"s3_addressing", "Bucket in the host name or in the path of S3 URLs"},
      {"s3_prefix", "Prefix of all keys in the bucket, such as notes/", "TEXT"},
      {"signing_key",
       "Key of signed URLs that this application serves, at least 32 bytes",
       {},
       "a file in the directory"},
      {"public_url", "URL of this application, for signed URLs: https://example.org", "URL",
       "none: signed URLs are paths"}};
};

}  // namespace eider
