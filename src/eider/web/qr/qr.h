// QR codes as SVG, for pages.
// Layering: must not know what the text is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider {

/// The share of a code that may be covered or damaged.
enum class QrCorrection : std::uint8_t { percent_7, percent_15, percent_25, percent_30 };

struct QrOptions {
  /// Accessible name of the image, which screen readers read.
  std::string title = "QR code";
  /// Width and height, in CSS pixels. Style sheets can change it.
  unsigned size_px = 240;
  /// Width of the light margin, in modules. Scanners need four.
  unsigned margin = 4;
  QrCorrection correction = QrCorrection::percent_15;
};

/// Returns an `<svg>` element with the QR code of a text, for use in a page. It is black on white,
/// with its own background: scanners do not read inverted codes, so it stays so in dark mode.
///
///     page.qr = Markup(*qr_svg("https://shop.example/", {.title = "Link to the shop"}));
///
/// text    any bytes; UTF-8 for scanners
/// errors  422 for an empty text, and for more than a code can contain: 2,331 bytes with 15 %
///         correction
[[nodiscard]] Result<std::string> qr_svg(std::string_view text, const QrOptions& options = {});

}  // namespace eider
