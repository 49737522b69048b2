#include "eider/web/qr/qr.h"

#include <qrencode.h>

#include <cerrno>
#include <memory>
#include <new>

#include "eider/core/base/html.h"

namespace eider {

namespace {

/// Capacity of the largest code with the lowest correction (ISO/IEC 18004, table 7).
constexpr std::size_t kQrBytesMax = 2953;

struct QrFreer {
  void operator()(QRcode* code) const noexcept { QRcode_free(code); }
};
using QrPtr = std::unique_ptr<QRcode, QrFreer>;

QRecLevel level_of(QrCorrection correction) {
  switch (correction) {
    case QrCorrection::percent_7:
      return QR_ECLEVEL_L;
    case QrCorrection::percent_15:
      return QR_ECLEVEL_M;
    case QrCorrection::percent_25:
      return QR_ECLEVEL_Q;
    case QrCorrection::percent_30:
      return QR_ECLEVEL_H;
  }
  return QR_ECLEVEL_M;
}

/// Returns an SVG path of the dark modules, with one rectangle for adjacent modules in a row.
std::string path_of(const QRcode& code, unsigned margin) {
  const auto width = static_cast<std::size_t>(code.width);
  const auto is_dark = [&](std::size_t row, std::size_t column) {
    return (code.data[row * width + column] & 1U) != 0;
  };
  std::string path;
  for (std::size_t row = 0; row < width; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      if (!is_dark(row, column)) {
        continue;
      }
      std::size_t end = column;
      while (end < width && is_dark(row, end)) {
        ++end;
      }
      path += "M" + std::to_string(column + margin) + " " + std::to_string(row + margin) + "h" +
              std::to_string(end - column) + "v1H" + std::to_string(column + margin) + "z";
      column = end;
    }
  }
  return path;
}

}  // namespace

Result<std::string> qr_svg(std::string_view text, const QrOptions& options) {
  if (text.empty() || text.size() > kQrBytesMax) {
    return fail(Error::invalid({{"", "must have 1 to 2953 bytes for a QR code"}}));
  }
  const QrPtr code(QRcode_encodeData(static_cast<int>(text.size()),
                                     reinterpret_cast<const unsigned char*>(text.data()), 0,
                                     level_of(options.correction)));
  if (code == nullptr) {
    if (errno == ENOMEM) {
      throw std::bad_alloc();
    }
    return fail(Error::invalid({{"", "is too long for a QR code with this correction"}}));
  }
  const std::string size = std::to_string(static_cast<unsigned>(code->width) + 2 * options.margin);
  const std::string pixels = std::to_string(options.size_px);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + pixels +
         "\" height=\"" + pixels + "\" viewBox=\"0 0 " + size + " " + size +
         "\" shape-rendering=\"crispEdges\"><title>" + escape_html(options.title) +
         "</title><path fill=\"#fff\" d=\"M0 0h" + size + "v" + size +
         "H0z\"/><path fill=\"#000\" d=\"" + path_of(*code, options.margin) + "\"/></svg>";
}

}  // namespace eider
