#include "eider/protocols/http/conditional_response.h"

#include <string>
#include <string_view>

#include "eider/protocols/http/date.h"

namespace eider {

Representation representation_of(const Response& response, std::int64_t now_seconds) noexcept {
  Representation known;
  if (const auto tag = response.find_header("ETag")) {
    known.tag = parse_entity_tag(*tag);
  }
  if (const auto modified = response.find_header("Last-Modified")) {
    known.modified_seconds = parse_date(*modified, now_seconds);
  }
  return known;
}

void weaken_entity_tag(Response& response) {
  const auto tag = response.find_header("ETag");
  if (tag && tag->starts_with('"')) {
    response.replace_header("ETag", std::string("W/").append(*tag));
  }
}

void drop_representation(Response& response) {
  for (const std::string_view name :
       {"Last-Modified", "Cache-Control", "Expires", "Content-Language", "Content-Disposition"}) {
    if (response.find_header(name)) {
      response.remove_header(name);
    }
  }
}

void become_not_modified(Response& response) {
  constexpr int kNotModified = 304;
  response.set_status(kNotModified).set_static_type({}).set_static_body({});
  for (const std::string_view name : {"Content-Encoding", "Content-Language", "Content-Disposition",
                                      "Content-Range", "Accept-Ranges"}) {
    if (response.find_header(name)) {
      response.remove_header(name);
    }
  }
}

}  // namespace eider
