#include "cli/dev/run_file.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace eider::dev {
namespace {

TEST(RunFile, components_are_those_whose_headers_are_included) {
  EXPECT_EQ(components_of("#include <eider/eider.h>\n#include <string>\n"),
            std::set<std::string>());
  EXPECT_EQ(components_of("#include <eider/sqlite.h>\n#include <eider/forms.h>\n"
                          "#include <eider/views.h>\n#include <eider/tls.h>"),
            (std::set<std::string>{"sqlite", "tls", "views"}));
  EXPECT_EQ(components_of("<eider/"), std::set<std::string>());
}

}  // namespace
}  // namespace eider::dev
