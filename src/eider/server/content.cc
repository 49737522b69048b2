#include "eider/server/content.h"

namespace eider {

FileContent::FileContent(std::shared_ptr<const Descriptor> file, std::vector<Piece> pieces,
                         std::string tail)
    : file_(std::move(file)), pieces_(std::move(pieces)), tail_(std::move(tail)) {}

FileContent::~FileContent() = default;

std::uint64_t FileContent::bytes() const noexcept {
  std::uint64_t sum = tail_.size();
  for (const Piece& piece : pieces_) {
    sum += piece.before.size() + piece.bytes;
  }
  return sum;
}

}  // namespace eider
