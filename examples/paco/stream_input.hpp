/// @file
/// A PaCo stream read forward from a file or pipe, segment by segment, in memory that the caller bounds.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/byte_file.hpp"

#include "gpuimg/codec/paco/format.hpp"

namespace gpuimg::examples {

/// Bytes that are not set before they are written, so that pages never touched cost no memory.
class byte_buffer {
 public:
  /// At least `size` bytes; the contents are lost when the buffer has to grow.
  /// @throws std::bad_alloc
  std::span<std::byte> take(std::uint64_t size) {
    if (size > capacity_) {
      bytes_.reset();
      bytes_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
      capacity_ = size;
    }
    return {bytes_.get(), static_cast<std::size_t>(size)};
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::uint64_t capacity_ = 0;
};

/// Product that stays at the largest number instead of wrapping.
constexpr std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) noexcept {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}
constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) noexcept {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/// Throws when `bytes` exceed `limit`; `what` asks for them.
/// @throws error out_of_memory
void require_memory(std::uint64_t bytes, std::uint64_t limit, const std::string& what);

/// The segments of a stream. HEAD is read by the constructor; next() goes to TILE after TILE, then to END.
class stream_input {
 public:
  /// @throws error io, truncated, corrupt, unsupported
  explicit stream_input(const std::string& path);

  const paco::stream_header& header() const noexcept { return header_; }

  /// For messages: the path, or "standard input".
  const std::string& name() const noexcept { return file_.name(); }

  /// Goes to the next TILE or END, over the rest of the present one and optional segments that nobody knows.
  /// A CRC is checked where the payload has been read by read_payload(), or where `check` is set.
  /// @throws error io, truncated, corrupt, unsupported
  const paco::segment_header& next(bool check = false);

  /// Goes to tile `index`.
  /// @throws error as next(), and corrupt where END comes first
  const paco::segment_header& next_tile(std::int64_t index, bool check = false);

  /// Goes to END, which has to come next.
  void finish(bool check = false);

  /// Offset of the present segment's payload in the stream.
  std::uint64_t payload_offset() const noexcept { return payload_offset_; }

  /// Reads on in the present segment's payload until `front` holds its first `bytes` bytes.
  /// @throws error io, truncated
  void read_front(std::vector<std::byte>& front, std::uint64_t bytes);

  /// The whole payload; a CRC behind it is checked.
  /// @throws error io, truncated, corrupt, std::bad_alloc
  std::span<const std::byte> read_payload(byte_buffer& buffer);

  /// Bytes of all segments so far, with their headers and CRCs.
  std::uint64_t position() const noexcept { return file_.position(); }

 private:
  paco::segment_header read_header();
  void skip_rest(bool check);
  void check_crc(std::uint32_t computed);
  void read(std::span<std::byte> bytes);

  input_file file_;
  paco::stream_header header_;
  paco::segment_header segment_;
  std::uint64_t payload_offset_ = 0;
  std::uint64_t left_ = 0;  ///< bytes of the present segment that have not been read, its CRC included
  std::uint32_t crc_ = 0;   ///< of what has been read of the present segment
};

}  // namespace gpuimg::examples
