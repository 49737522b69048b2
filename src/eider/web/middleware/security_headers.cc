#include "eider/web/middleware/security_headers.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"

namespace eider {

namespace {

/// 144 bits, as 24 characters without padding.
constexpr std::size_t kNonceBytes = 18;
constexpr std::size_t kFieldsMax = 7;
constexpr std::string_view kNoncePlace = "{nonce}";

/// Returns the policy, split at the places of the nonce.
std::vector<std::string> cut_policy(std::string_view policy) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = policy.find(kNoncePlace);
    parts.emplace_back(policy.substr(0, at));
    if (at == std::string_view::npos) {
      return parts;
    }
    policy.remove_prefix(at + kNoncePlace.size());
  }
}

std::string policy_with(const std::vector<std::string>& parts, const CspNonce* nonce) {
  const std::string source = nonce == nullptr ? "" : "'nonce-" + nonce->text() + "'";
  std::string policy = parts.front();
  for (std::size_t index = 1; index < parts.size(); ++index) {
    policy.append(source).append(parts[index]);
  }
  return policy;
}

class SecurityFields {
 public:
  /// Throws std::invalid_argument for a value that is not valid in a header.
  explicit SecurityFields(const SecurityHeaders& headers)
      : csp_name_(headers.csp_is_only_reported ? "Content-Security-Policy-Report-Only"
                                               : "Content-Security-Policy"),
        csp_(cut_policy(headers.csp)) {
    keep(csp_name_, policy_with(csp_, nullptr));
    keep("X-Content-Type-Options", "nosniff");
    keep("Referrer-Policy", headers.referrer_policy);
    keep("X-Frame-Options", headers.frame_options);
    keep("Cross-Origin-Opener-Policy", headers.opener_policy);
    keep("Cross-Origin-Resource-Policy", headers.resource_policy);
    keep("Permissions-Policy", headers.permissions_policy);
  }

  void add_to(const Request& request, Response& response) const {
    const auto* nonce = csp_.size() == 1 ? nullptr : request.find<CspNonce>();
    if (nonce != nullptr && !response.find_header(csp_name_)) {
      response.add_header(csp_name_, policy_with(csp_, nonce));
    }
    if (response.field_lines().empty()) {
      response.append_field_lines(all_);
      return;
    }
    response.append_field_lines(missing_in(response.field_lines()));
  }

 private:
  struct Line {
    std::string_view name;
    std::string text;
  };

  /// Returns the header lines that the response does not have, in one pass over its headers.
  [[nodiscard]] std::string missing_in(std::string_view said) const {
    std::array<bool, kFieldsMax> is_said{};
    while (!said.empty()) {
      const std::string_view name = said.substr(0, said.find(':'));
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        is_said[i] = is_said[i] || equals_ignoring_case(name, lines_[i].name);
      }
      said.remove_prefix(std::min(said.find('\n'), said.size() - 1) + 1);
    }
    std::string missing;
    missing.reserve(all_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      missing.append(is_said[i] ? std::string_view() : lines_[i].text);
    }
    return missing;
  }

  /// Stores a header line. It is validated here, and not for each response.
  void keep(std::string_view name, const std::string& value) {
    if (!value.empty()) {
      Response checked;
      checked.add_header(name, value);
      lines_.push_back({name, std::string(checked.field_lines())});
      all_.append(lines_.back().text);
    }
  }

  std::string_view csp_name_;
  std::vector<std::string> csp_;
  std::vector<Line> lines_;
  std::string all_;
};

SecurityFields checked_fields(const SecurityHeaders& headers) {
  try {
    return SecurityFields(headers);
  } catch (const std::invalid_argument& wrong) {
    throw Failure(Error::internal(std::string("security_headers: ") + wrong.what()));
  }
}

}  // namespace

CspNonce::CspNonce() : text_(to_base64(secret_bytes(kNonceBytes))) {}

Hook security_headers(SecurityHeaders headers) {
  return {.on_request = {},
          .on_response = [fields = checked_fields(headers)](
                             const Request& request,
                             Response& response) { fields.add_to(request, response); },
          .name = "security_headers"};
}

}  // namespace eider
