#include "eider/web/middleware/caching.h"

#include <string>
#include <string_view>
#include <utility>

#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/respond.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/conditional_response.h"
#include "eider/protocols/http/etag.h"
#include "eider/server/content.h"

namespace eider {

namespace {

constexpr int kRefusalsFrom = 400;
constexpr int kPreconditionFailed = 412;

bool only_reads(const Request& request) noexcept {
  return request.method() == Method::get || request.method() == Method::head;
}

/// Returns false for produced bodies, which can still become an error until the first byte, and for
/// protocol switches, which are not representations.
bool has_representation(const Response& response) noexcept {
  return response.status() == 200 &&
         (is_in_memory(response) || content_as<FileContent>(response) != nullptr);
}

void refuse_state(Response& response) {
  drop_representation(response);
  render_error(
      response,
      Error(kPreconditionFailed,
            "The resource has changed: the precondition does not match its current version."));
}

void respond_conditionally(const Request& request, Response& response, std::size_t bytes_max) {
  if (!only_reads(request) || !has_representation(response)) {
    return;
  }
  const std::int64_t now = wall_time().time_since_epoch().count();
  if (!response.find_header("ETag") && !response.find_header("Last-Modified")) {
    if (!is_in_memory(response) || response.body().size() > bytes_max) {
      return;
    }
    response.add_header("ETag", make_entity_tag(response.content_type(), response.body()));
  }
  const Representation it = representation_of(response, now);
  switch (evaluate_preconditions(request.method(), request.headers(), it, now)) {
    case Verdict::proceed:
      return;
    case Verdict::not_modified:
      become_not_modified(response);
      return;
    case Verdict::failed:
      refuse_state(response);
      return;
  }
}

void describe_conditions(Operation& operation) {
  const Operation::Response* const whole = operation.find_response(200);
  if (!operation.only_reads() || operation.opens_websocket ||
      (whole != nullptr && whole->is_streamed)) {
    return;
  }
  for (const std::string_view name :
       {"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}) {
    operation.take_header(name, nullptr, false);
  }
  if (whole != nullptr) {
    operation.add_response(200, {}).add_header("ETag");
  }
  operation.add_response(304, "The resource has not changed.").add_header("ETag");
  operation.add_problem(kPreconditionFailed, "The resource has changed since the client read it.");
}

void describe_cache_control(Operation& operation) {
  for (Operation::Response& response : operation.responses) {
    if (operation.only_reads() && response.status >= 200 && response.status < kRefusalsFrom) {
      response.add_header("Cache-Control");
    }
  }
}

}  // namespace

Hook conditional_requests(ConditionalRequests options) {
  return {.on_response =
              [options](const Request& request, Response& response) {
                respond_conditionally(request, response, options.response_bytes_max);
              },
          .name = "conditional_requests",
          .describe = describe_conditions};
}

Hook cache_control(const CacheControl& words) {
  auto after = [value = to_header_value(words)](const Request& request, Response& response) {
    if (only_reads(request) && response.status() < kRefusalsFrom &&
        !response.find_header("Cache-Control")) {
      response.add_header("Cache-Control", value);
    }
  };
  return {
      .on_response = std::move(after), .name = "cache_control", .describe = describe_cache_control};
}

}  // namespace eider
