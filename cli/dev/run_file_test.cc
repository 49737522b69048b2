#include "cli/dev/run_file.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace eider::dev {
namespace {

TEST(RunFile, components_are_those_whose_headers_are_included) {
  EXPECT_EQ(components_of("#include <eider/eider.h>\n#include <string>\n"),
            std::set<std::string>());
  EXPECT_EQ(
      components_of("#include <eider/data/db/sqlite/sqlite.h>\n#include <eider/web/forms/forms.h>\n"
                    "#include <eider/web/views/app/views.h>\n#include <eider/io/tls/tls.h>"),
      (std::set<std::string>{"sqlite", "tls", "views"}));
  EXPECT_EQ(components_of("<eider/"), std::set<std::string>());
}

}  // namespace
}  // namespace eider::dev
