#include <gtest/gtest.h>

#include "eider/core/base/result.h"

namespace eider {
namespace {

TEST(Error, has_the_status_of_its_function) {
  EXPECT_EQ(Error::gone("x").status(), 410);
  EXPECT_EQ(Error::bad_gateway("x").status(), 502);
  EXPECT_EQ(Error::bad_gateway("The bank did not respond.").detail(), "The bank did not respond.");
}

TEST(ErrorSentence, is_the_detail_if_no_field_is_wrong) {
  EXPECT_EQ(Error::conflict("There is a user of that name.").sentence(),
            "There is a user of that name.");
}

TEST(ErrorSentence, names_each_field_by_its_label) {
  EXPECT_EQ(Error::invalid({{"/starts", "is taken"}}).sentence(), "Starts: is taken.");
  EXPECT_EQ(Error::invalid({{"/address/zip_code", "is missing"}, {"/items/0/name", "is too long."}})
                .sentence(),
            "Zip code: is missing; Name: is too long.");
}

TEST(ErrorSentence, begins_with_a_capital_letter_for_the_whole_document) {
  EXPECT_EQ(Error::invalid({{"", "must be an object"}, {"page", "is not a number"}}).sentence(),
            "Must be an object; Page: is not a number.");
}

}  // namespace
}  // namespace eider
