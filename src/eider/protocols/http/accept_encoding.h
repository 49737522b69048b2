// Selects the content coding of a response from the client's Accept-Encoding header.
// Layering: must not compress, nor know which codings there are.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "eider/protocols/http/head.h"
#include "eider/protocols/http/qvalue.h"

namespace eider {

/// What the Accept-Encoding fields of one request say.
///
/// A coding that is named twice counts as it was named first; "x-gzip" is "gzip". Items beyond
/// kItemsMax and fields beyond kBytesMax are passed over, so that a huge field costs nothing.
/// source  RFC 9110, section 12.5.3
class AcceptEncoding {
 public:
  static constexpr std::size_t kItemsMax = 16;
  static constexpr std::size_t kBytesMax = 1024;

  AcceptEncoding() = default;
  /// All fields of that name. The result views into them.
  explicit AcceptEncoding(std::span<const Field> fields) noexcept;

  /// One more field line's value, which must outlive this.
  void add(std::string_view field_value) noexcept;

  /// 0 when it is not acceptable. For "identity" see identity_weight.
  [[nodiscard]] Weight weight_of(std::string_view coding) const noexcept;
  /// How much the client wants content as it is; nothing when it does not say: then identity is
  /// acceptable, and any coding that is acceptable too is preferred to it.
  [[nodiscard]] std::optional<Weight> identity_weight() const noexcept;

  /// The coding of the greatest weight; among equals the first of `offered`.
  ///
  /// offered  the server's codings without "identity", best first
  /// returns  an index into `offered`; nothing: send the content as it is. That is also the
  /// response
  ///          to a client without the field, and to one that takes nothing at all: that is better
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
