// Selects the content coding of a response from the client's Accept-Encoding header.
// Layering: must not compress, nor know which codings exist.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "eider/protocols/http/head.h"
#include "eider/protocols/http/qvalue.h"

namespace eider {

/// The Accept-Encoding headers of one request.
///
/// If a coding is listed twice, the first item counts; "x-gzip" is "gzip". Items beyond kItemsMax
/// and headers beyond kBytesMax are ignored, so that a huge header costs nothing.
/// source  RFC 9110, section 12.5.3
class AcceptEncoding {
 public:
  static constexpr std::size_t kItemsMax = 16;
  static constexpr std::size_t kBytesMax = 1024;

  AcceptEncoding() = default;
  /// Reads all headers of that name. The object has views of them.
  explicit AcceptEncoding(std::span<const Field> fields) noexcept;

  /// Adds the value of one more header, which must outlive this object.
  void add(std::string_view field_value) noexcept;

  /// Returns the weight of a coding, 0 if it is not acceptable. For "identity" see identity_weight.
  [[nodiscard]] Weight weight_of(std::string_view coding) const noexcept;
  /// Returns the weight of content without coding, or nothing if the client does not specify it.
  /// Then identity is acceptable, and each acceptable coding is preferred to it.
  [[nodiscard]] std::optional<Weight> identity_weight() const noexcept;

  /// Selects the coding with the greatest weight; among equal ones, the first of `offered`.
  ///
  /// offered  the server's codings without "identity", best first
  /// returns  an index into `offered`, or nothing: send the content unencoded. This includes
  ///          clients without the header, and clients that accept nothing at all: that is better
  ///          than a 406 (RFC 9110, section 12.1)
  [[nodiscard]] std::optional<std::size_t> choose(
      std::span<const std::string_view> offered) const noexcept;

 private:
  [[nodiscard]] std::optional<Weight> listed(std::string_view coding) const noexcept;
  void add_item(const WeightedToken& item) noexcept;

  std::array<WeightedToken, kItemsMax> items_{};
  std::size_t item_count_ = 0;
  std::optional<Weight> any_weight_;  // of "*"
};

}  // namespace eider
