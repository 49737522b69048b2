#include "words.h"

#include <eider/eider.h>

namespace shop {

std::string greeting() {
  return "first words";
}

}  // namespace shop
