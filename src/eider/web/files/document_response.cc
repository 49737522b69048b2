#include <algorithm>
#include <array>
#include <utility>

#include "eider/app/handlers/respond.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/protocols/http/accept_encoding.h"
#include "eider/protocols/http/preconditions.h"
#include "eider/protocols/http/range.h"
#include "eider/server/content.h"
#include "eider/web/files/document_response.h"

namespace eider::detail::files {
namespace {

constexpr int kPartialContent = 206;
constexpr int kNotModified = 304;
constexpr int kPreconditionFailed = 412;
constexpr int kRangeNotSatisfiable = 416;

Response error_response(int status, std::string detail) {
  Response response;
  render_error(response, Error(status, std::move(detail)));
  return response;
}

const Variant& choose_variant(const Document& document, const Request& request) {
  if (document.siblings.empty()) {
    return document.plain;
  }
  std::array<std::string_view, 3> codings;
  const auto end = std::ranges::transform(document.siblings, codings.begin(), &Variant::coding).out;
  const AcceptEncoding accepted(request.headers());
  const auto chosen =
      accepted.choose({codings.data(), static_cast<std::size_t>(end - codings.begin())});
  return chosen ? document.siblings[*chosen] : document.plain;
}

Response not_modified(const Variant& variant) {
  Response response(kNotModified);
  response.prepend_field_lines(
      std::string_view(variant.field_lines).substr(0, variant.own_lines_bytes));
  return response;
}

Response unsatisfied(const Variant& variant) {
  Response response =
      error_response(kRangeNotSatisfiable, "The requested range is outside the file.");
  response.add_header("Content-Range", unsatisfied_range(variant.file->size()));
  response.add_header("Accept-Ranges", "bytes");
  return response;
}

using Piece = FileContent::Piece;

/// Joins the pieces, from a file that is in memory.
std::string join(std::string_view bytes, const std::vector<Piece>& pieces,
                 const std::string& tail) {
  std::string text;
  for (const Piece& piece : pieces) {
    text.append(piece.before).append(bytes.substr(piece.offset, piece.bytes));
  }
  return text.append(tail);
}

void set_pieces(Response& response, const StoredFile& file, std::vector<Piece> pieces,
                std::string tail) {
  if (!file.lasting.empty() && pieces.size() == 1) {
    response.set_static_body(file.lasting.substr(pieces.front().offset, pieces.front().bytes));
  } else if (file.file == nullptr) {
    response.set_body(join(file.view(), pieces, tail));
  } else {
    response.set_content(
        std::make_unique<FileContent>(file.file, std::move(pieces), std::move(tail)));
  }
}

void set_one_range(Response& response, const Document& document, const Variant& variant,
                   const ByteRange& range) {
  response.set_static_type(document.content_type);
  response.add_header("Content-Range", content_range(range, variant.file->size()));
  set_pieces(response, *variant.file, {{.offset = range.first, .bytes = range.bytes}}, {});
}

void set_many_ranges(Response& response, const Document& document, const Variant& variant,
                     const ByteRanges& ranges) {
  // 128 random bits: no file contains them by chance.
  const std::string boundary = to_hex(secret_bytes(16));
  const RangeParts parts(boundary, document.content_type, variant.file->size());
  std::vector<Piece> pieces;
  RangeParts::Place place = RangeParts::Place::first;
  for (const ByteRange& range : ranges.view()) {
    pieces.push_back({parts.head(range, place), range.first, range.bytes});
    place = RangeParts::Place::later;
  }
  response.set_type(parts.content_type());
  set_pieces(response, *variant.file, std::move(pieces), parts.tail());
}

/// Selects the ranges. Several ranges of a compressed variant would require a multipart body in
/// that coding, so the complete body is sent instead.
RangeChoice choose(std::string_view range, const Variant& variant) {
  const RangeChoice choice = choose_ranges(range, variant.file->size());
  return choice.ranges.size() > 1 && !variant.coding.empty() ? RangeChoice() : choice;
}

Response partial(const Document& document, const Variant& variant, const ByteRanges& ranges) {
  Response response(kPartialContent);
  response.prepend_field_lines(variant.field_lines);
  if (ranges.size() == 1) {
    set_one_range(response, document, variant, ranges.view().front());
  } else {
    set_many_ranges(response, document, variant, ranges);
  }
  return response;
}

Response whole(const Document& document, const Variant& variant) {
  Response response;
  response.prepend_field_lines(variant.field_lines);
  response.set_static_type(document.content_type);
  set_pieces(response, *variant.file, {{.bytes = variant.file->size()}}, {});
  return response;
}

}  // namespace

Response respond_with(const Document& document, const Request& request, std::int64_t now_seconds) {
  const Variant& variant = choose_variant(document, request);
  const Representation it{.tag = parse_entity_tag(variant.entity_tag),
                          .modified_seconds = variant.modified_seconds};
  switch (evaluate_preconditions(request.method(), request.headers(), it, now_seconds)) {
    case Verdict::not_modified:
      return not_modified(variant);
    case Verdict::failed:
      return error_response(kPreconditionFailed,
                            "The file has changed: the precondition of the request does not match "
                            "its current version.");
    case Verdict::proceed:
      break;
  }
  // Preconditions are evaluated before the range (RFC 9110, 13.2.2).
  const auto range = applicable_range(request.method(), request.headers(), it, now_seconds);
  const RangeChoice choice = range ? choose(*range, variant) : RangeChoice();
  switch (choice.kind) {
    case RangeChoice::Kind::unsatisfiable:
      return unsatisfied(variant);
    case RangeChoice::Kind::partial:
      return partial(document, variant, choice.ranges);
    case RangeChoice::Kind::whole:
      break;
  }
  return whole(document, variant);
}

}  // namespace eider::detail::files
