// XML of S3: reading any input ends within the limits, and escaped text is read as it was.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/base/utf8.h"
#include "eider/web/storage/s3/xml.h"

namespace {

using namespace eider;
using detail::s3::XmlReader;

void read_all(std::string_view document) {
  XmlReader reader(document);
  std::size_t depth = 0;
  std::size_t bytes = 0;
  while (auto event = reader.next()) {
    switch (event->kind) {
      case XmlReader::Kind::start:
        ensure(++depth <= XmlReader::kDepthMax + 1, "depth is bounded");
        break;
      case XmlReader::Kind::end:
        ensure(depth-- > 0, "only open elements end");
        break;
      case XmlReader::Kind::text:
        bytes += event->text.size();
        break;
    }
  }
  ensure(bytes <= document.size(), "text does not grow");
  ensure(reader.is_malformed() || depth == 0, "all elements of a valid document have ended");
  ensure(!reader.next(), "nothing follows the end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  read_all(in);
  if (is_utf8(in)) {
    const auto root = detail::s3::read_xml("<a>" + detail::s3::xml_escape(in) + "</a>");
    ensure(root && root->text == in, "escaped text is read as it was");
  }
  return 0;
}
