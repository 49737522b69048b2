#include "eider/server/content.h"

#include "eider/server/upgrade.h"

namespace eider {

void ContentDeleter::operator()(FileContent* content) const noexcept {
  delete content;
}

void ContentDeleter::operator()(ProducedContent* content) const noexcept {
  delete content;
}

void ContentDeleter::operator()(Upgrade* content) const noexcept {
  delete content;
}

FileContent::FileContent(std::shared_ptr<const Descriptor> file, std::vector<Piece> pieces,
                         std::string tail)
    : file_(std::move(file)), pieces_(std::move(pieces)), tail_(std::move(tail)) {}

std::uint64_t FileContent::bytes() const noexcept {
  std::uint64_t sum = tail_.size();
  for (const Piece& piece : pieces_) {
    sum += piece.before.size() + piece.bytes;
  }
  return sum;
}

}  // namespace eider
