// One end of the bridge: a network device inside of a namespace, as whole IP packets.
// Must not outlive its use: the device goes with the object, whatever ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace network {

/// A TUN device: packets without a link layer, so nobody asks for hardware addresses. It offers no
/// offload, so that the kernel sends it only packets that could stand on a wire: at most one MTU,
/// with their checksums.
class Tunnel {
 public:
  /// Makes the device in the namespace that `ip netns` knows by that name. Throws
  /// std::runtime_error with what is missing and the mend.
  Tunnel(const std::string& name_of_namespace, const std::string& device);
  ~Tunnel();
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;

  [[nodiscard]] int fd() const { return fd_; }

  /// The next packet that the namespace sends out, valid until the next call; empty: none waits.
  [[nodiscard]] std::string_view receive();

  enum class Sent : std::uint8_t { yes, lost };
  /// Gives a packet to the namespace. Lost when the device is down or out of room.
  Sent send(std::string_view packet);

 private:
  static constexpr std::size_t kPacketBytesMax = 65536;

  int fd_ = -1;
  std::string buffer_ = std::string(kPacketBytesMax, '\0');
};

}  // namespace network
