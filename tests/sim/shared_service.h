// A service whose responses share one text, for tests that it is sent without copies.
// Layering: must not be used in tests of the real application.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "eider/io/runtime/task.h"
#include "eider/server/service.h"

namespace eider {

/// /wait…           responds from a task
/// anything else    responds without a task
class SharedService final : public RequestService {
 public:
  RequestPlan plan(Request& request) noexcept override {
    return {.endpoint = this, .waits = request.path().starts_with("/wait")};
  }
  void respond(const RequestPlan& /*plan*/, Request& /*request*/,
               Response& response) noexcept override {
    response.set_static_type(kTextPlain).set_shared_body(text);
  }
  Task<> respond_later(const RequestPlan& plan, Request& request, Response& response,
                       const Ongoing& /*ongoing*/) override {
    respond(plan, request, response);
    co_return;
  }
  void respond_failed(const Request& /*request*/, Response* /*response*/,
                      std::exception_ptr /*thrown*/) noexcept override {}
  void refuse(int status, std::string_view detail, Response& response) noexcept override {
    response.set_status(status).set_static_body(detail);
  }

  std::shared_ptr<const std::string> text = std::make_shared<std::string>(1'000'000, 's');
};

}  // namespace eider
