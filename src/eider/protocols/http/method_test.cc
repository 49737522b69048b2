#include "eider/protocols/http/method.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

TEST(Method, is_read_as_it_is_written) {
  for (int value = 0; value < static_cast<int>(Method::unknown); ++value) {
    const auto method = static_cast<Method>(value);
    EXPECT_EQ(parse_method(to_text(method)), method) << to_text(method);
    EXPECT_LE(to_text(method).size(), kMethodBytesMax);
  }
}

TEST(Method, is_unknown_in_any_other_spelling) {
  for (const std::string_view name :
       {"", "get", "Get", "GE", "GETT", "PSOT", "HEAd", "PATCh", "DELETe", "OPTIONs", "CONNECt",
        "TRACe", "QUERy", "query", "BREW", "PROPFIND"}) {
    EXPECT_EQ(parse_method(name), Method::unknown) << name;
  }
  EXPECT_EQ(to_text(Method::unknown), "");
}

}  // namespace
}  // namespace eider
