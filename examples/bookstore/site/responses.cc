#include "site/responses.h"

namespace bookstore {

eider::Response html(eider::HtmlPage page, int status) {
  eider::Response response;
  response.set_status(page.status() == 200 ? status : page.status());
  response.set_type("text/html; charset=utf-8");
  response.set_body(std::move(page.text()));
  return response;
}

eider::Response see_other(std::string_view address) {
  eider::Response response;
  response.set_status(303);
  response.add_header("Location", address);
  return response;
}

}  // namespace bookstore
